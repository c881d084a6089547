"""Requests to an object store: the only module that imports obstore. Its errors become one line with a remedy."""

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
from tournament.store.object_place import ObjectPlace
from tournament.store.object_streams import BLOCK, Blocks, Upload
from tournament.store.storage import MOST_READ, AlreadyExists, TooLarge

_Answer = TypeVar("_Answer")
_Store = S3Store | GCSStore | AzureStore
Version = dict[str, str]  # of an object's content, as the store calls it: an e-tag, a generation

_KINDS: dict[str, Callable[..., _Store]] = {"s3": S3Store, "gs": GCSStore, "az": AzureStore}
# Retries, seconds in all and seconds a request: few for a store that hasn't answered yet.
_EAGER, _PATIENT, _ONCE = (2, 5, 20), (10, 60, 120), (0, 0, 30)
_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound")  # as stores call it
_PAUSES = (0.1, 0.4, 1.6, 6.4)  # seconds between attempts at a conditional put
_UPLOADS_AT_ONCE = 4


class _NoAnswer(RunError):
    """The store did not answer, or is busy: the request may have been carried out or not."""


class ObjectClient:
    """Requests to one bucket; keys include the prefix. `url` is for messages, `prefix` is "" or ends with a slash.

    A missing object raises FileNotFoundError, a conditional put that finds another content AlreadyExists, any other
    error RunError.
    """

    def __init__(self, location: str) -> None:
        """Raises InputError for a URL that can't hold results."""
        self._place = ObjectPlace(location)
        self.url, self.prefix = self._place.url, self._place.prefix
        self._stores: dict[tuple[int, int, int], _Store] = {}
        self._answered = False

    def _store(self, patience: tuple[int, int, int]) -> _Store:
        if patience not in self._stores:
            retries, seconds, seconds_each = patience
            try:
                self._stores[patience] = self._configured(
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
                # obstore's message may contain parts of a key.
                if "ccount" in str(error).partition("\n")[0]:
                    raise self._place.bad("set AZURE_STORAGE_ACCOUNT, or add ?account=NAME") from None
                raise RunError(f"{self.url}: its credentials can't be read; {self._place.remedy}") from None
        return self._stores[patience]

    def _configured(self, **options: Any) -> _Store:
        return _KINDS[self._place.kind](self._place.bucket, config=self._place.settings(), **options)

    def _ask(self, request: Callable[[_Store], _Answer], patience: tuple[int, int, int] | None = None) -> _Answer:
        try:
            answer = request(self._store(patience or (_PATIENT if self._answered else _EAGER)))
        except (exceptions.BaseError, OSError) as error:
            raise self._translated(error) from None
        self._answered = True
        return answer

    def _translated(self, error: Exception) -> Exception:
        """The exception to raise for one of obstore's."""
        text = re.sub(r"\?\S+", "", str(error).partition("\n\nDebug source")[0])  # in a URL, which may contain a key
        taken = isinstance(error, exceptions.AlreadyExistsError | exceptions.PreconditionError)
        if taken and "ConditionalRequestConflict" not in text:  # else another request is being carried out: try again
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
            f"{self.url}: the store{where} fails ({why}); are its address, its region"
            f" and the credentials right, and the network up? {self._place.remedy}, and run again to continue"
        )

    def _no_bucket(self) -> RunError:
        return RunError(
            f"{self.url}: there is no {self._place.word} {self._place.bucket}; make it first, or name another"
        )

    def list(self, prefix: str) -> tuple[dict[str, int], tuple[str, ...]]:
        """The sizes of objects right below a prefix, and the names of prefixes there."""
        try:
            found = self._ask(lambda store: obstore.list_with_delimiter(store, prefix.rstrip("/") or None))
        except FileNotFoundError:
            raise self._no_bucket() from None
        sizes = {item["path"].removeprefix(prefix): item["size"] for item in found["objects"]}
        return sizes, tuple(inner.rstrip("/").removeprefix(prefix) for inner in found["common_prefixes"])

    def size(self, key: str) -> int:
        return self._ask(lambda store: obstore.head(store, key))["size"]

    def get(self, key: str, most: int = MOST_READ) -> tuple[bytes, Version]:
        """An object's content and its version. Raises TooLarge for more than `most` bytes."""

        def request(store: _Store) -> tuple[bytes, Version]:
            found = obstore.get(store, key)
            if (size := found.meta["size"]) > most:
                raise TooLarge(f"{self.url}: {key} is too large: {size:,} bytes")
            return found.bytes().to_bytes(), _version(found.meta)

        return self._ask(request)

    def get_range(self, key: str, start: int, end: int) -> tuple[bytes, int]:
        """Bytes of an object from `start` on, and its size."""

        def request(store: _Store) -> tuple[bytes, int]:
            found = obstore.get(store, key, options={"range": (start, end)})
            return found.bytes().to_bytes(), found.meta["size"]

        try:
            return self._ask(request)
        except RunError:
            if self.size(key) > start:
                raise
            return b"", start  # an empty object has no range

    def put(self, key: str, content: bytes) -> None:
        self._ask(lambda store: obstore.put(store, key, content, use_multipart=False))

    def put_if(self, key: str, content: bytes, expected: Version | None) -> Version:
        """Replace the expected version, or create the object if None is expected. Returns the new version. Contents
        must be unique. Raises AlreadyExists when another version is there."""
        mode = cast(Any, expected or "create")
        lost_answer = False
        for pause in (*_PAUSES, None):
            try:
                return _version(self._ask(lambda store: obstore.put(store, key, content, mode=mode), _ONCE))
            except AlreadyExists:
                if lost_answer and (there := self.get(key))[0] == content:
                    return there[1]
                raise
            except _NoAnswer:  # obstore's own retry would take the object it just made for another's
                if pause is None:
                    raise
                lost_answer = True
                time.sleep(pause)
        raise AssertionError

    def copy(self, source: str, target: str) -> None:
        self._ask(lambda store: obstore.copy(store, source, target))

    def remove(self, keys: Sequence[str]) -> None:
        """Remove objects, if they are there."""
        if keys:
            with contextlib.suppress(FileNotFoundError):
                self._ask(lambda store: obstore.delete(store, keys))

    def open_writer(self, key: str) -> Upload:
        """A new object as a stream."""
        writer = self._ask(
            lambda store: obstore.open_writer(store, key, buffer_size=BLOCK, max_concurrency=_UPLOADS_AT_ONCE)
        )
        return Upload(writer, lambda step: self._ask(lambda store: step()))

    def open_reader(self, key: str) -> Blocks:
        """An object as a file. Raises FileNotFoundError."""
        return Blocks(self.size(key), partial(self.get_range, key))


def _version(found: Any) -> Version:
    return {name: found[name] for name in ("e_tag", "version") if found.get(name)}
