"""Results below a prefix of an object store.

Such stores have conditional puts, but no locks and no renames. A writer replaces the sign that it finds in `writer` by
its own, so the newest writer wins. A part is copied to its place and then removed from staging/. For readers either is
one step.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO, TYPE_CHECKING, cast

from tournament.errors import RunError
from tournament.store.object_client import ObjectClient, Version
from tournament.store.object_streams import Upload
from tournament.store.storage import LOCK_NAME, MAX_READ, AlreadyExists, checked_name

if TYPE_CHECKING:
    import pyarrow as pa


# Maximum bytes of a sign.
_MAX_SIGN_BYTES = 1 << 12
# Parallel requests.
_AT_ONCE = 32


class ObjectStorage:
    """A prefix in an object store.

    Any request can fail with RunError. The first one can also fail with InputError, if the URL needs an account.
    """

    def __init__(self, location: str) -> None:
        self.location = location.rstrip("/")
        self._client = ObjectClient(self.location)
        self._prefix = self._client.prefix
        self._sign = b""
        self._version: Version = {}

    def _key(self, name: str) -> str:
        """Return the key of an object, with the prefix.

        Raises:
            RunError: The name is invalid.
        """
        return f"{self._prefix}{checked_name(name)}"

    def check_writable(self) -> None:
        """Check that the store can be reached and read, but not whether it can be written or who the writer is.

        Raises:
            RunError: The request fails.
            InputError: The URL needs an account.
        """
        self.list("sessions")

    def prepare(self) -> None:
        """Do nothing: prefixes don't have to be created."""

    def acquire(self) -> bool:
        """Become the only writer.

        Returns:
            Whether the previous writer left its sign, so that it might still be running.

        Raises:
            RunError: Another process becomes the writer at the same moment, the store has no conditional puts, or a
                request fails.
            FileNotFoundError: The previous writer's sign was removed in between.
            InputError: The URL needs an account.
        """
        sign = f"process {os.getpid()} on {os.uname().nodename}, {uuid.uuid4().hex}\n".encode()
        previous, version = b"", None
        with contextlib.suppress(FileNotFoundError):
            previous, version = self._client.get(self._key(LOCK_NAME), _MAX_SIGN_BYTES)
        try:
            self._version = self._client.write_if(self._key(LOCK_NAME), sign, version)
        except AlreadyExists:
            raise RunError(f"another run is starting in {self.location}; wait for it, or stop it") from None
        # The content differs from the sign, so that a lost answer can't hide whose object it is.
        with contextlib.suppress(AlreadyExists):
            self._client.write_if(self._key(LOCK_NAME), b"to be refused: " + sign, None)
            raise RunError(
                f"{self.location}: this store ignores conditions of puts, so two runs could"
                " overwrite each other's records; use one with conditional puts"
            )
        self._sign = sign
        return bool(previous)

    def release(self) -> None:
        """Let other processes become the writer. A failing request is ignored."""
        if self._sign:
            # If this fails, the next writer assumes a crash.
            with contextlib.suppress(AlreadyExists, FileNotFoundError, RunError):
                self._client.write_if(self._key(LOCK_NAME), b"", self._version)
        self._sign = b""

    def still_held(self) -> bool:
        """Return whether this process is still the writer: False before `acquire` and after `release`, too.

        Raises:
            RunError: The request fails.
            InputError: The URL needs an account.
        """
        try:
            return bool(self._sign) and self._client.get(self._key(LOCK_NAME), _MAX_SIGN_BYTES)[0] == self._sign
        except FileNotFoundError:
            return False

    def may_be_locked(self) -> bool:
        """Return whether there is a writer, or one that ended without releasing the records.

        Raises:
            RunError: The request fails.
            InputError: The URL needs an account.
        """
        try:
            return bool(self._client.get(self._key(LOCK_NAME), _MAX_SIGN_BYTES)[0])
        except FileNotFoundError:
            return False

    def list(self, folder: str) -> dict[str, int]:
        """Return the size in bytes of each object in a folder, by name, without hidden ones. {} if there are none.

        Raises:
            RunError: The name is invalid, or the request fails.
            InputError: The URL needs an account.
        """
        sizes, _ = self._client.list(f"{self._key(folder)}/")
        return {name: size for name, size in sizes.items() if not name.startswith(".")}

    def everything(self, folder: str) -> dict[str, bool]:
        """Return whether each entry of a folder is a file, by name, files first. Names of folders end with a slash.

        Raises:
            RunError: The name is invalid, or the request fails.
            InputError: The URL needs an account.
        """
        files, folders = self._client.list(f"{self._key(folder)}/")
        return dict.fromkeys(files, True) | {f"{name}/": False for name in folders}

    def folders(self) -> tuple[str, ...]:
        """Return the names of the folders below the prefix, sorted.

        Raises:
            RunError: The request fails.
            InputError: The URL needs an account.
        """
        return tuple(sorted(self._client.list(self._prefix)[1]))

    def size(self, name: str) -> int | None:
        """Return the size of an object in bytes, or None if it is missing.

        Raises:
            RunError: The name is invalid, or the request fails.
            InputError: The URL needs an account.
        """
        try:
            return self._client.size(self._key(name))
        except FileNotFoundError:
            return None

    def sizes(self, names: Sequence[str]) -> dict[str, int]:
        """Return the sizes in bytes of those objects that exist, by name, in the order of the names.

        Requests are sent in parallel.

        Raises:
            RunError: A name is invalid, or a request fails.
            InputError: The URL needs an account.
        """
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return {name: size for name, size in zip(names, pool.map(self.size, names)) if size is not None}

    def read(self, name: str, max_bytes: int = MAX_READ) -> bytes:
        """Return the content of an object.

        Args:
            name: Name of the object.
            max_bytes: Maximum size of the object; 512 MiB by default.

        Raises:
            FileNotFoundError: The object is missing.
            TooLarge: The object has more than `max_bytes` bytes.
            RunError: The name is invalid, or the request fails.
            InputError: The URL needs an account.
        """
        return self._client.get(self._key(name), max_bytes)[0]

    def tail(self, name: str, count: int, size: int | None = None) -> tuple[bytes, int]:
        """Return the last `count` bytes of an object, or all of a smaller one, and its size in bytes.

        Args:
            name: Name of the object.
            count: Number of bytes.
            size: Size of the object in bytes, which saves a request; None if it is unknown.

        Raises:
            FileNotFoundError: The object is missing.
            RunError: The name is invalid, or a request fails.
            InputError: The URL needs an account.
        """
        key = self._key(name)
        object_size = self._client.size(key) if size is None else size
        content, now = self._client.get_range(key, max(0, object_size - count), max(1, object_size))
        # The object was replaced since its size was read.
        if now != object_size:
            content, now = self._client.get_range(key, max(0, now - count), max(1, now))
        return content, now

    def replace(self, name: str, content: bytes, *, private: bool = False, durable: bool = True) -> None:
        """Create or replace an object in one step.

        Args:
            name: Name of the object.
            content: Content of the object.
            private: Without effect: the bucket's rules decide who can read the object.
            durable: Without effect: an object is always durable.

        Raises:
            RunError: The name is invalid, or the request fails.
            InputError: The URL needs an account.
        """
        self._client.write(self._key(name), content)

    def publish(self, staged: str, name: str) -> None:
        """Move a staged object to its name.

        Raises:
            FileNotFoundError: The staged object is missing.
            RunError: A name is invalid, or a request fails.
            InputError: The URL needs an account.
        """
        self._client.copy(self._key(staged), self._key(name))
        self.remove(staged)

    def publish_all(self, moves: Sequence[tuple[str, str]]) -> None:
        """Publish those staged objects that exist, in parallel, because a store answers slowly.

        Args:
            moves: Pairs of the name in staging/ and the final name.

        Raises:
            RunError: A name is invalid, or a request fails.
            InputError: The URL needs an account.
        """

        def publish(move: tuple[str, str]) -> None:
            """Publish one staged object, unless it is missing.

            Raises:
                RunError: A name is invalid, or a request fails.
                InputError: The URL needs an account.
            """
            with contextlib.suppress(FileNotFoundError):
                self.publish(*move)

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(publish, moves))

    def remove(self, name: str) -> None:
        """Remove an object, if it exists.

        Raises:
            RunError: The name is invalid, or the request fails.
            InputError: The URL needs an account.
        """
        self._client.remove([self._key(name)])

    def open_staged(self, name: str) -> IO[bytes]:
        """Return a stream that becomes an object in staging/, and replaces one with this name.

        Raises:
            RunError: The name is invalid, or the request fails.
            InputError: The URL needs an account.
        """
        return cast(IO[bytes], self._client.open_writer(self._key(name)))

    def finish_staged(self, stream: IO[bytes]) -> None:
        """Complete a staged object, and close its stream.

        Raises:
            RunError: A request fails.
        """
        cast(Upload, stream).finish()

    def open_data(self, name: str) -> pa.NativeFile:
        """Open an object for pyarrow.

        Raises:
            FileNotFoundError: The object is missing.
            RunError: The name is invalid, or the request fails.
            InputError: The URL needs an account.
        """
        # Imported here, because reading the field doesn't need it.
        import pyarrow as pa

        return pa.PythonFile(self._client.open_reader(self._key(name)), mode="r")

    def archives(self) -> tuple[str, ...]:
        """Return (): an object store has no archives."""
        return ()

    def new_archive(self) -> str:
        """Refuse to archive, because objects can't be moved.

        Raises:
            RunError: Always.
        """
        raise RunError(
            f"{self.location} has other records, and in an object store nothing can be moved; give the contest's table"
            " another name, or `results` another prefix"
        )

    def move(self, to: str) -> None:
        """Refuse to move, because objects can't be moved.

        Raises:
            RunError: Always.
        """
        self.new_archive()
