"""Results below a prefix of an object store.

Such stores have conditional puts, but no locks and no renames. A writer puts its sign into `writer`, in place of the
one that it found there: the newest writer wins. A part is copied to its place and then removed from staging; for
readers either is one step.
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
from tournament.store.storage import LOCK_NAME, MOST_READ, AlreadyExists, checked_name

if TYPE_CHECKING:
    import pyarrow as pa


_MOST_OF_SIGN = 1 << 12  # bytes
_AT_ONCE = 32  # requests


class ObjectStorage:
    """A prefix in an object store. Raises RunError when a request fails."""

    def __init__(self, location: str) -> None:
        self.location = location.rstrip("/")
        self._client = ObjectClient(self.location)
        self._prefix = self._client.prefix
        self._sign = b""
        self._version: Version = {}

    def _key(self, name: str) -> str:
        return f"{self._prefix}{checked_name(name)}"

    def check_writable(self) -> None:
        self.list("sessions")  # whether it can be reached

    def prepare(self) -> None:
        """Nothing has to be there before."""

    def acquire(self) -> bool:
        """Become the only writer. True if the former one left its sign: it may still be writing. Raises RunError when
        another becomes the writer at the same moment."""
        sign = f"process {os.getpid()} on {os.uname().nodename}, {uuid.uuid4().hex}\n".encode()
        former, version = b"", None
        with contextlib.suppress(FileNotFoundError):
            former, version = self._client.get(self._key(LOCK_NAME), _MOST_OF_SIGN)
        try:
            self._version = self._client.put_if(self._key(LOCK_NAME), sign, version)
        except AlreadyExists:
            raise RunError(f"another run begins in {self.location} at this moment; wait for it, or stop it") from None
        with contextlib.suppress(AlreadyExists):  # other bytes: after a lost answer these tell whose the object is
            self._client.put_if(self._key(LOCK_NAME), b"to be refused: " + sign, None)
            raise RunError(
                f"{self.location}: this store replaces objects that it was told not to, so that two runs could"
                " overwrite each other's records; use one with conditional puts"
            )
        self._sign = sign
        return bool(former)

    def release(self) -> None:
        if self._sign:
            # If this fails, the next writer takes it for a crash.
            with contextlib.suppress(AlreadyExists, FileNotFoundError, RunError):
                self._client.put_if(self._key(LOCK_NAME), b"", self._version)
        self._sign = b""

    def still_held(self) -> bool:
        try:
            return bool(self._sign) and self._client.get(self._key(LOCK_NAME), _MOST_OF_SIGN)[0] == self._sign
        except FileNotFoundError:
            return False

    def may_be_locked(self) -> bool:
        try:
            return bool(self._client.get(self._key(LOCK_NAME), _MOST_OF_SIGN)[0])
        except FileNotFoundError:
            return False

    def list(self, folder: str) -> dict[str, int]:
        found, _ = self._client.list(f"{self._key(folder)}/")
        return {name: size for name, size in found.items() if not name.startswith(".")}

    def everything(self, folder: str) -> dict[str, bool]:
        files, folders = self._client.list(f"{self._key(folder)}/")
        return dict.fromkeys(files, True) | {f"{name}/": False for name in folders}

    def folders(self) -> tuple[str, ...]:
        return tuple(sorted(self._client.list(self._prefix)[1]))

    def size(self, name: str) -> int | None:
        try:
            return self._client.size(self._key(name))
        except FileNotFoundError:
            return None

    def sizes(self, names: Sequence[str]) -> dict[str, int]:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return {name: size for name, size in zip(names, pool.map(self.size, names)) if size is not None}

    def read(self, name: str, most: int = MOST_READ) -> bytes:
        return self._client.get(self._key(name), most)[0]

    def tail(self, name: str, count: int, size: int | None = None) -> tuple[bytes, int]:
        key = self._key(name)
        known = self._client.size(key) if size is None else size
        content, now = self._client.get_range(key, max(0, known - count), max(1, known))
        if now != known:  # It was replaced since.
            content, now = self._client.get_range(key, max(0, now - count), max(1, now))
        return content, now

    def replace(self, name: str, content: bytes, *, private: bool = False, durable: bool = True) -> None:
        # The bucket's rules say who may read a private one, and it keeps what it has taken.
        self._client.put(self._key(name), content)

    def publish(self, staged: str, name: str) -> None:
        self._client.copy(self._key(staged), self._key(name))
        self.remove(staged)

    def publish_all(self, moves: Sequence[tuple[str, str]]) -> None:
        """Publish several, those that are there, side by side: a store is slow to answer."""

        def publish(move: tuple[str, str]) -> None:
            with contextlib.suppress(FileNotFoundError):
                self.publish(*move)

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            list(pool.map(publish, moves))

    def remove(self, name: str) -> None:
        self._client.remove([self._key(name)])

    def open_staged(self, name: str) -> IO[bytes]:
        return cast(IO[bytes], self._client.open_writer(self._key(name)))

    def finish_staged(self, stream: IO[bytes]) -> None:
        cast(Upload, stream).finish()

    def open_data(self, name: str) -> pa.NativeFile:
        import pyarrow as pa  # reading the field doesn't need it

        return pa.PythonFile(self._client.open_reader(self._key(name)), mode="r")

    def archives(self) -> tuple[str, ...]:
        return ()

    def new_archive(self) -> str:
        raise RunError(
            f"{self.location} has other records, and in an object store nothing can be moved: give the contest's table"
            " another name, or `results` another prefix"
        )

    def move(self, to: str) -> None:
        self.new_archive()
