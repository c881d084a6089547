"""Requests to an object store: the only module that imports obstore. What goes wrong is one line with its remedy.

A URL names the bucket, and the store where it isn't the cloud's own. Keys come from the environment, as the
clouds' own tools take them; a URL is shown, recorded and sent to workers, so that with keys in it is refused.
"""

from __future__ import annotations

import configparser
import contextlib
import io
import os
import re
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl, urlsplit

import obstore
from obstore import exceptions
from obstore.store import AzureStore, GCSStore, S3Store

from tournament.errors import BadInput, RunFailed, shortened
from tournament.store.storage import MOST_READ, AlreadyExists

_Answer = TypeVar("_Answer")
_Store = S3Store | GCSStore | AzureStore
Version = dict[str, str]  # what a store calls an object's content: an e-tag, a generation


@dataclass(frozen=True)
class _Cloud:
    """A kind of store: its word for a bucket, its URLs' options, and the environment that it goes by."""

    bucket: str
    options: tuple[str, ...]
    endpoints: tuple[str, ...]
    remedy: str


_CLOUDS = {
    "s3": _Cloud(
        "bucket",
        ("endpoint_override", "scheme", "region"),
        ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
    ),
    "gs": _Cloud(
        "bucket",
        ("endpoint_override", "scheme"),
        ("STORAGE_EMULATOR_HOST",),
        "set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`",
    ),
    "az": _Cloud(
        "container",
        ("endpoint_override", "scheme", "account"),
        ("AZURE_STORAGE_ENDPOINT",),
        "set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or run `az login` and set AZURE_USE_AZURE_CLI=true",
    ),
}
_AWS_CREDENTIALS = (
    *("AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_SKIP_SIGNATURE"),
    *("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"),
)
_STEP = re.compile(r"(?!\.\.?$)[A-Za-z0-9!_.*'()+=@,~-]{1,200}")
# A store that never answered is given up soon, one that did has time to come back: retries, seconds, seconds a request.
_EAGER, _PATIENT, _ONCE = (2, 5, 20), (10, 60, 120), (0, 0, 120)
_PAUSES = (0.1, 0.4, 1.6, 6.4, 12.8)  # seconds between attempts at a conditional put
_COPIES_AT_ONCE, _UPLOADS_AT_ONCE = 16, 4
_BLOCK = 8 << 20  # bytes of a block that is sent or read at once


class _NoAnswer(RunFailed):
    """The store did not answer, or asked to come back later: what was asked for may be done or not."""


class ObjectClient:
    """Requests to one bucket; keys are whole. `url` is for messages, `prefix` is "" or ends with a slash.

    What isn't there raises FileNotFoundError, a conditional put that found another content AlreadyExists, and all
    other trouble RunFailed.
    """

    def __init__(self, location: str) -> None:
        """Raises BadInput for a URL that can't be one of results."""
        parts = urlsplit(location)
        self.url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")
        if parts.scheme not in _CLOUDS:
            raise self._bad("name a folder, or a URL of s3://, gs:// or az://")
        self._scheme, self._cloud = parts.scheme, _CLOUDS[parts.scheme]
        self._options = dict(parse_qsl(parts.query, keep_blank_values=True))
        steps = [step for step in parts.path.split("/") if step]
        if "@" in parts.netloc or ":" in parts.netloc:
            raise self._bad(f"keys don't belong in a URL, which others see; {self._cloud.remedy}")
        if not all(map(_STEP.fullmatch, (parts.netloc, *steps))):
            raise self._bad(f"it must be as {parts.scheme}://{self._cloud.bucket}/prefix")
        if parts.fragment or not self._options.keys() <= set(self._cloud.options):
            raise self._bad(f"its options can be {', '.join(self._cloud.options)}; for keys, {self._cloud.remedy}")
        self._bucket, self.prefix = parts.netloc, "".join(f"{step}/" for step in steps)
        endpoint = self._options.get("endpoint_override") or _first_set(self._cloud.endpoints)
        with_scheme = "://" in endpoint or not endpoint
        self._endpoint = endpoint if with_scheme else f"{self._options.get('scheme', 'https')}://{endpoint}"
        self._stores: dict[tuple[int, int, int], _Store] = {}
        self._answered = False

    def _bad(self, why: str) -> BadInput:
        return BadInput(f"{self.url} is not a place for results: {why}")

    def _store(self, patience: tuple[int, int, int]) -> _Store:
        if patience not in self._stores:
            retries, seconds, seconds_each = patience
            try:
                self._stores[patience] = self._configured(
                    client_options={
                        "allow_http": self._endpoint.startswith("http:"),
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
                # What obstore says may have parts of a key in it.
                if "ccount" in str(error).partition("\n")[0]:
                    raise self._bad("set AZURE_STORAGE_ACCOUNT, or add ?account=NAME") from None
                raise RunFailed(f"{self.url}: its credentials can't be read; {self._cloud.remedy}") from None
        return self._stores[patience]

    def _configured(self, **options: Any) -> _Store:
        config: dict[str, Any] = {}
        if self._scheme == "gs":
            if self._endpoint:
                config["base_url"] = self._endpoint
            if "STORAGE_EMULATOR_HOST" in os.environ:  # which takes any credentials
                config["bearer_token"] = "none"
            return GCSStore(self._bucket, config=cast(Any, config), **options)
        if self._endpoint:
            config["endpoint"] = self._endpoint
        if self._scheme == "az":
            # As the cloud's own command line has them; obstore reads those of its libraries.
            config["account_name"] = self._options.get("account") or _first_set(("AZURE_STORAGE_ACCOUNT",))
            config["account_key"] = _first_set(("AZURE_STORAGE_KEY",))
            config = {key: value for key, value in config.items() if value}
            return AzureStore(self._bucket, config=cast(Any, config), **options)
        config |= _aws_profile()
        if "region" in self._options:
            config["region"] = self._options["region"]
        has_keys = "access_key_id" in config or _first_set(_AWS_CREDENTIALS)
        if os.environ.get("AWS_EC2_METADATA_DISABLED", "").lower() == "true" and not has_keys:
            raise RunFailed(self._no_credentials())  # obstore would ask the machine's cloud all the same
        return S3Store(self._bucket, config=cast(Any, config), **options)

    def _no_credentials(self) -> str:
        return f"{self.url} needs credentials, and there are none: {self._cloud.remedy}"

    def _ask(self, request: Callable[[_Store], _Answer], patience: tuple[int, int, int] | None = None) -> _Answer:
        try:
            answer = request(self._store(patience or (_PATIENT if self._answered else _EAGER)))
        except (exceptions.BaseError, OSError) as error:
            raise self._translated(error) from None
        self._answered = True
        return answer

    def _translated(self, error: Exception) -> Exception:
        """What to raise for an error of obstore's."""
        text, _, details = str(error).partition("\n\nDebug source")
        status = re.search(r"non-2xx status code: (\d+)", text)
        code = re.search(r"<Code>(\w+)</Code>", text)
        reason = code[1] if code else status[1] if status else ""
        bucket = self._cloud.bucket
        self._answered = status is not None and status[1] < "500"
        trouble = RunFailed if self._answered and status and status[1] not in ("408", "409", "429") else _NoAnswer
        if isinstance(error, exceptions.AlreadyExistsError | exceptions.PreconditionError):
            return AlreadyExists(self.url)
        if reason in ("NoSuchBucket", "ContainerNotFound") or (
            status and status[1] == "404" and "list request" in text
        ):
            return RunFailed(f"{self.url}: there is no {bucket} {self._bucket}; make it first, or name another")
        if isinstance(error, FileNotFoundError):
            return FileNotFoundError(2, "No such file or directory", self.url)
        # Asked last for keys are a cloud's own machines: it isn't one.
        if re.search(r"//(169\.254\.|metadata\.google|[^/]*fd00:ec2)", text):
            return RunFailed(self._no_credentials())
        if status and status[1] in ("401", "403"):
            return RunFailed(f"{self.url} refuses these credentials ({reason}): {self._cloud.remedy}")
        if "redirect" in text:
            return RunFailed(f"{self.url} lies in another region: set AWS_REGION, or add ?region=NAME")
        where = f" at {self._endpoint}" if self._endpoint else ""
        if status is None and "error sending request" in text:
            why = re.search(r'(?:message|error): "([^"]+)"', details)
            words = why[1] if why else "no answer"
            return _NoAnswer(f"{self.url} can't be reached{where} ({words}); is the address right, and the network up?")
        words = shortened(reason or " ".join(text.split()), 300)
        return trouble(f"{self.url}: the store{where} fails ({words}); run again to go on")

    def list(self, prefix: str) -> tuple[dict[str, int], tuple[str, ...]]:
        """The sizes of objects right below a prefix, and the names of prefixes there."""
        found = self._ask(lambda store: obstore.list_with_delimiter(store, prefix.rstrip("/") or None))
        sizes = {item["path"].removeprefix(prefix): item["size"] for item in found["objects"]}
        return sizes, tuple(inner.rstrip("/").removeprefix(prefix) for inner in found["common_prefixes"])

    def walk(self, prefix: str) -> dict[str, int]:
        """The sizes of all objects below a prefix, by what follows it."""
        found = self._ask(lambda store: obstore.list(store, prefix.rstrip("/") or None).collect())
        return {item["path"].removeprefix(prefix): item["size"] for item in found}

    def size(self, key: str) -> int:
        return self._ask(lambda store: obstore.head(store, key))["size"]

    def get(self, key: str) -> tuple[bytes, Version]:
        """An object's content and its version."""

        def request(store: _Store) -> tuple[bytes, Version]:
            found = obstore.get(store, key)
            if (size := found.meta["size"]) > MOST_READ:
                raise RunFailed(f"{self.url}: {key} is too large: {size:,} bytes")
            return found.bytes().to_bytes(), _version(found.meta)

        return self._ask(request)

    def get_range(self, key: str, start: int, end: int) -> tuple[bytes, int]:
        """Bytes of an object from `start` on, and its size."""

        def request(store: _Store) -> tuple[bytes, int]:
            found = obstore.get(store, key, options={"range": (start, end)})
            return found.bytes().to_bytes(), found.meta["size"]

        try:
            return self._ask(request)
        except RunFailed:
            if self.size(key) > start:
                raise
            return b"", start  # an empty object has no range

    def put(self, key: str, content: bytes) -> None:
        self._ask(lambda store: obstore.put(store, key, content, use_multipart=False))

    def put_if(self, key: str, content: bytes, expected: Version | None) -> Version:
        """Put a content in place of the expected version, or of nothing; its version. Contents must be unique.

        Raises AlreadyExists when there is another.
        """
        mode = cast(Any, expected or "create")
        lost_answer = False
        for pause in (*_PAUSES, None):
            try:
                return _version(self._ask(lambda store: obstore.put(store, key, content, mode=mode), _ONCE))
            except AlreadyExists:
                if lost_answer and (there := self.get(key))[0] == content:
                    return there[1]
                raise
            except _NoAnswer:  # a retry inside of obstore would meet its own object, and take it for another's
                if pause is None:
                    raise
                lost_answer = True
                time.sleep(pause)
        raise AssertionError

    def copy(self, source: str, target: str) -> None:
        self._ask(lambda store: obstore.copy(store, source, target))

    def copy_all(self, sources: Sequence[str], targets: Sequence[str]) -> None:
        """Copy objects, some at once."""
        with ThreadPoolExecutor(_COPIES_AT_ONCE) as pool:
            list(pool.map(self.copy, sources, targets))

    def remove(self, keys: Sequence[str]) -> None:
        """Remove objects, if they are there."""
        if keys:
            with contextlib.suppress(FileNotFoundError):
                self._ask(lambda store: obstore.delete(store, keys))

    def open_writer(self, key: str) -> Upload:
        """A new object, as a stream."""
        return Upload(self._ask, key)

    def open_reader(self, key: str) -> Blocks:
        """An object as a file. Raises FileNotFoundError."""
        return Blocks(self, key)


class Upload(io.RawIOBase):
    """A stream that becomes an object when it is finished, and nothing when it is closed before.

    What is larger than a block goes out in parts while it is written.
    """

    def __init__(self, ask: Callable[[Callable[[_Store], Any]], Any], key: str) -> None:
        super().__init__()
        self._ask = ask
        self._upload: Any = None
        self._upload = ask(
            lambda store: obstore.open_writer(store, key, buffer_size=_BLOCK, max_concurrency=_UPLOADS_AT_ONCE)
        )

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return cast(int, self._ask(lambda _: self._upload.write(data)))

    def finish(self) -> None:
        """Make it an object."""
        upload, self._upload = self._upload, None
        self._ask(lambda _: upload.close())
        super().close()

    def close(self) -> None:
        """Take back what is not finished."""
        upload, self._upload = self._upload, None
        super().close()
        if upload is not None:
            # Leaving by an exception is how obstore takes an upload back.
            self._ask(lambda _: upload.__exit__(RuntimeError, RuntimeError(), None))


class Blocks(io.RawIOBase):
    """An object read in large blocks, of which the last two are kept: a part's end says where its columns are."""

    def __init__(self, client: ObjectClient, key: str) -> None:
        super().__init__()
        self._client, self._key, self._place = client, key, 0
        first, self._size = client.get_range(key, 0, _BLOCK)
        self._kept = [(0, first)]

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        end = self._size if size is None or size < 0 else min(self._place + size, self._size)
        start, self._place = self._place, max(self._place, end)
        if start >= end:
            return b""
        for first, block in self._kept:
            if first <= start and end <= first + len(block):
                return block[start - first : end - first]
        block, _ = self._client.get_range(self._key, start, max(end, min(start + _BLOCK, self._size)))
        self._kept = [self._kept[-1], (start, block)]
        return block[: end - start]


def _version(found: Any) -> Version:
    return {name: found[name] for name in ("e_tag", "version") if found.get(name)}


def _first_set(names: Sequence[str]) -> str:
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def _aws_profile() -> dict[str, str]:
    """Region and keys as the files of the aws command have them, where the environment has none."""
    profile = _first_set(("AWS_PROFILE", "AWS_DEFAULT_PROFILE")) or "default"
    found: dict[str, str] = {}
    for variable, file, section in (
        ("AWS_CONFIG_FILE", "config", "default" if profile == "default" else f"profile {profile}"),
        ("AWS_SHARED_CREDENTIALS_FILE", "credentials", profile),
    ):
        settings = configparser.RawConfigParser()
        with contextlib.suppress(OSError, UnicodeDecodeError, configparser.Error):
            settings.read(os.path.expanduser(os.environ.get(variable) or f"~/.aws/{file}"), encoding="utf-8")
            found |= dict(settings[section]) if section in settings else {}
    config = {}
    if "region" in found and not _first_set(("AWS_REGION", "AWS_DEFAULT_REGION")):
        config["region"] = found["region"]
    if not _first_set(("AWS_ACCESS_KEY_ID",)):
        names = {"aws_access_key_id", "aws_secret_access_key", "aws_session_token"} & found.keys()
        config |= {name.removeprefix("aws_"): found[name] for name in names}
    return config
