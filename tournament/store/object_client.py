"""Requests to an object store: the only module that imports obstore.

Errors of obstore become one line with advice.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar, cast

import obstore
from obstore import exceptions
from obstore.store import AzureStore, GCSStore, S3Store

from tournament.errors import RunError, truncate
from tournament.store.object_place import ObjectLocation
from tournament.store.object_streams import BLOCK, Blocks, Upload
from tournament.store.storage import MAX_READ, AlreadyExists, TooLarge

_Result = TypeVar("_Result")
_Store = S3Store | GCSStore | AzureStore
# Version of an object's content, such as an e-tag or a generation.
Version = dict[str, str]

_KINDS: dict[str, Callable[..., _Store]] = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}
# Retries, seconds in all and seconds per request. A store that hasn't answered yet gets few.
_EAGER, _PATIENT, _ONCE = (2, 5, 20), (10, 60, 120), (0, 0, 30)
# Error codes of stores.
_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound")
# Seconds between attempts at a conditional put.
_PAUSES = (0.1, 0.4, 1.6, 6.4)
_UPLOADS_AT_ONCE = 4


class _NoAnswer(RunError):
    """Raised when a request failed, for example because the store didn't answer. It might have been carried out."""


class ObjectClient:
    """A client for requests to one bucket. Keys include the prefix.

    Any request can fail with FileNotFoundError, if the object is missing, and with RunError. The first one can also
    fail with InputError, if the URL needs an account.

    Attributes:
        url: URL for messages.
        prefix: Prefix of all keys, which ends with a slash; "" if there is none.
    """

    def __init__(self, location: str) -> None:
        """Parse the URL.

        Raises:
            InputError: The URL can't hold results.
        """
        self._place = ObjectLocation(location)
        self.url, self.prefix = self._place.url, self._place.prefix
        self._stores: dict[tuple[int, int, int], _Store] = {}
        self._answered = False

    def _store(self, limits: tuple[int, int, int]) -> _Store:
        """Return the store with limits for retries and time. Stores are cached by their limits.

        Args:
            limits: Retries, seconds for all of them, and seconds for each request.

        Raises:
            InputError: The URL needs an account.
            RunError: The credentials can't be read, or are missing.
        """
        if limits not in self._stores:
            retries, seconds, seconds_each = limits
            try:
                self._stores[limits] = self._configured(
                    client_options={
                        "allow_http": self._place.endpoint.startswith("http:"),
                        "connect_timeout": "3s",
                        "timeout": f"{seconds_each}s",
                    },
                    retry_config={
                        "max_retries": retries,
                        "retry_timeout": timedelta(seconds=seconds),
                        "backoff": {"max_backoff": timedelta(seconds=5)},
                    },
                )
            except (exceptions.BaseError, ValueError, OSError) as error:
                # obstore's message might contain parts of a key.
                if "ccount" in str(error).partition("\n")[0]:
                    raise self._place.bad("set AZURE_STORAGE_ACCOUNT, or add ?account=NAME") from None
                raise RunError(f"{self.url}: its credentials can't be read; {self._place.remedy}") from None
        return self._stores[limits]

    def _configured(self, **options: Any) -> _Store:
        """Return a new store with these options of obstore.

        Raises:
            RunError: There are no credentials for s3.
            ValueError: An environment variable of obstore is invalid. obstore's own exceptions occur, too.
        """
        return _KINDS[self._place.kind](self._place.bucket, config=self._place.settings(), **options)

    def _send(self, request: Callable[[_Store], _Result], limits: tuple[int, int, int] | None = None) -> _Result:
        """Send a request and return its result.

        Args:
            request: Called with the store; returns the result.
            limits: Retries, seconds for all of them, and seconds for each request. None for patient ones, or for short
                ones until the store has answered once.

        Raises:
            FileNotFoundError: The object is missing.
            AlreadyExists: A conditional put found another version.
            RunError: Any other error, such as a missing bucket, refused credentials or no answer.
            InputError: The URL needs an account.
        """
        try:
            result = request(self._store(limits or (_PATIENT if self._answered else _EAGER)))
        except (exceptions.BaseError, OSError) as error:
            raise self._translated(error) from None
        self._answered = True
        return result

    def _translated(self, error: Exception) -> Exception:
        """Return the exception to raise for an exception of obstore: AlreadyExists, FileNotFoundError or RunError."""
        # A query in a URL might contain a key.
        text = re.sub(r"\?\S+", "", str(error).partition("\n\nDebug source")[0])
        is_taken = isinstance(error, exceptions.AlreadyExistsError | exceptions.PreconditionError)
        # A conflict means that another request is still being carried out, so the put is tried again.
        if is_taken and "ConditionalRequestConflict" not in text:
            return AlreadyExists(self.url)
        if any(code in text for code in _NO_BUCKET):
            return self._no_bucket()
        if isinstance(error, FileNotFoundError):
            return FileNotFoundError(2, "No such file or directory", self.url)
        if isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError):
            return RunError(f"{self.url} refuses these credentials: {self._place.remedy}")
        where = f" at {self._place.endpoint}" if self._place.endpoint else ""
        why = truncate(" ".join(text.split()), 300)
        return _NoAnswer(
            f"{self.url}: the store{where} fails ({why}); check its address, its region,"
            f" the credentials and the network; {self._place.remedy}, and run again to continue"
        )

    def _no_bucket(self) -> RunError:
        return RunError(f"{self.url}: no {self._place.word} {self._place.bucket}; create it, or name another one")

    def list(self, prefix: str) -> tuple[dict[str, int], tuple[str, ...]]:
        """Return what is directly below a prefix.

        Returns:
            The size in bytes of each object, by name, and the names of the prefixes, without slashes. Both are empty if
            nothing is there.

        Raises:
            RunError: The request fails, or there is no such bucket.
            InputError: The URL needs an account.
        """
        try:
            listing = self._send(lambda store: obstore.list_with_delimiter(store, prefix.rstrip("/") or None))
        except FileNotFoundError:
            raise self._no_bucket() from None
        sizes = {item["path"].removeprefix(prefix): item["size"] for item in listing["objects"]}
        return sizes, tuple(inner.rstrip("/").removeprefix(prefix) for inner in listing["common_prefixes"])

    def size(self, key: str) -> int:
        """Return the size of an object in bytes.

        Raises:
            FileNotFoundError: The object is missing.
            RunError: The request fails.
            InputError: The URL needs an account.
        """
        return self._send(lambda store: obstore.head(store, key))["size"]

    def get(self, key: str, max_bytes: int = MAX_READ) -> tuple[bytes, Version]:
        """Return the content of an object, and its version.

        Args:
            key: Key of the object.
            max_bytes: Maximum size of the object; 512 MiB by default.

        Raises:
            FileNotFoundError: The object is missing.
            TooLarge: The object has more than `max_bytes` bytes.
            RunError: The request fails.
            InputError: The URL needs an account.
        """

        def request(store: _Store) -> tuple[bytes, Version]:
            """Return the object's content and version.

            Raises:
                TooLarge: The object has more than `max_bytes` bytes.
            """
            response = obstore.get(store, key)
            if (size := response.meta["size"]) > max_bytes:
                raise TooLarge(f"{self.url}: {key} is too large: {size:,} bytes")
            return response.bytes().to_bytes(), _version(response.meta)

        return self._send(request)

    def get_range(self, key: str, start: int, end: int) -> tuple[bytes, int]:
        """Return the bytes of an object from `start` to before `end`, and the object's size in bytes.

        Returns:
            Bytes and size. Fewer bytes if the object ends before `end`. If it has none from `start` on, b"" and
            `start`.

        Raises:
            FileNotFoundError: The object is missing.
            RunError: The request fails.
            InputError: The URL needs an account.
        """

        def request(store: _Store) -> tuple[bytes, int]:
            """Return the range's bytes, and the object's size in bytes."""
            response = obstore.get(store, key, options={"range": (start, end)})
            return response.bytes().to_bytes(), response.meta["size"]

        try:
            return self._send(request)
        except RunError:
            if self.size(key) > start:
                raise
            # An empty object has no range.
            return b"", start

    def write(self, key: str, content: bytes) -> None:
        """Create or replace an object.

        Raises:
            RunError: The request fails.
            InputError: The URL needs an account.
        """
        self._send(lambda store: obstore.put(store, key, content, use_multipart=False))

    def write_if(self, key: str, content: bytes, expected: Version | None) -> Version:
        """Replace an object if it has the expected version.

        Args:
            key: Key of the object.
            content: New content, which must be unique. So it shows after a lost answer whether the put succeeded.
            expected: Version of the object; None to create it.

        Returns:
            The new version.

        Raises:
            AlreadyExists: The object has another version, or exists although it was to be created.
            FileNotFoundError: The object to replace was removed.
            RunError: The request fails. If the store doesn't answer, there are five attempts, with pauses of 8.5
                seconds in all.
            InputError: The URL needs an account.
        """
        mode = cast(Any, expected or "create")
        lost_answer = False
        for pause in (*_PAUSES, None):
            try:
                return _version(self._send(lambda store: obstore.put(store, key, content, mode=mode), _ONCE))
            except AlreadyExists:
                if lost_answer and (current := self.get(key))[0] == content:
                    return current[1]
                raise
            # obstore's own retry would mistake the object that it just created for another writer's.
            except _NoAnswer:
                if pause is None:
                    raise
                lost_answer = True
                time.sleep(pause)
        raise AssertionError

    def copy(self, source: str, target: str) -> None:
        """Copy an object within the bucket.

        Raises:
            FileNotFoundError: The source is missing.
            RunError: The request fails.
            InputError: The URL needs an account.
        """
        self._send(lambda store: obstore.copy(store, source, target))

    def remove(self, keys: Sequence[str]) -> None:
        """Remove those objects that exist.

        Raises:
            RunError: A request fails.
            InputError: The URL needs an account.
        """
        if keys:
            with contextlib.suppress(FileNotFoundError):
                self._send(lambda store: obstore.delete(store, keys))

    def open_writer(self, key: str) -> Upload:
        """Return a stream that becomes an object once it is finished, and replaces one with this key.

        Raises:
            RunError: The request fails.
            InputError: The URL needs an account.
        """
        writer = self._send(
            lambda store: obstore.open_writer(store, key, buffer_size=BLOCK, max_concurrency=_UPLOADS_AT_ONCE)
        )
        return Upload(writer, lambda step: self._send(lambda store: step()))

    def open_reader(self, key: str) -> Blocks:
        """Return an object as a file that can be read at any offset.

        Raises:
            FileNotFoundError: The object is missing.
            RunError: The request fails.
            InputError: The URL needs an account.
        """
        return Blocks(self.size(key), partial(self.get_range, key))


def _version(metadata: Any) -> Version:
    """Return the version in an object's metadata. It is {} if the store gives none."""
    return {name: metadata[name] for name in ("e_tag", "version") if metadata.get(name)}
