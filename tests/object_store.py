"""An object store on this machine, for tests that need one: moto's, behind a gate that counts, holds and refuses."""

from __future__ import annotations

import threading
import urllib.request
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import obstore
import obstore.store
import pytest

from tournament.store import object_client

BUCKET = "bucket"
_Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


@dataclass
class ServedStore:
    """The store while it runs.

    Attributes:
        options: Options of URLs into its one bucket.
        requests: Requests that came, each "METHOD key" and marked if it is of a multipart upload.
        gate: Called with each request before it is answered. It may wait, or return "503" or "409 Code" to refuse it.
        losing: The same after the request was carried out, so that the answer is lost.
        deaf: Whether conditions are passed over.
    """

    address: str = ""
    options: str = ""
    requests: list[str] = field(default_factory=list)
    gate: Callable[[str], str | None] = lambda request: None
    losing: Callable[[str], str | None] = lambda request: None
    deaf: bool = False

    def around(self, application: _Application) -> _Application:
        def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
            path = environ["PATH_INFO"].removeprefix(f"/{BUCKET}").removeprefix("/")
            query = environ.get("QUERY_STRING", "")
            method = "COPY" if "HTTP_X_AMZ_COPY_SOURCE" in environ else environ["REQUEST_METHOD"]
            upload = next((f" {word}" for word in ("uploads", "uploadId", "delete", "list-type") if word in query), "")
            request = f"{method} {path}{upload}"
            self.requests.append(request)
            status = self.gate(request)
            if status is None:
                if self.deaf:
                    environ = {key: value for key, value in environ.items() if not key.startswith("HTTP_IF_")}
                lost = self.losing(request)
                if lost is None:
                    return application(environ, start)
                list(application(environ, lambda *_: None))
                status = lost
            else:
                environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            number, _, code = status.partition(" ")
            body = f"<Error><Code>{code}</Code></Error>".encode() if code else b""
            start(f"{number} Refused", [("Content-Length", str(len(body)))])
            return [body]

        return answer

    @contextmanager
    def behaving(self, **how: Any) -> Iterator[list[str]]:
        """Set attributes for the length of a block, and yield the requests that come in it."""
        before = {name: getattr(self, name) for name in how}
        first = len(self.requests)
        seen: list[str] = []
        vars(self).update(how)
        try:
            yield seen
        finally:
            vars(self).update(before)
            seen += self.requests[first:]


@contextmanager
def serve() -> Iterator[ServedStore]:
    """Yield the store while it runs."""
    from moto.moto_server.werkzeug_app import (  # takes a second, and few tests need it
        DomainDispatcherApplication,
        create_backend_app,
    )
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"

        def log(self, type: str, message: str, *args: Any) -> None:
            pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        served = ServedStore()
        application = served.around(DomainDispatcherApplication(create_backend_app))
        server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Quiet)
        address = served.address = f"127.0.0.1:{server.server_port}"
        served.options = f"endpoint_override={address}&scheme=http&region=us-east-1"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            bucket = urllib.request.Request(f"http://{address}/{BUCKET}", method="PUT")
            urllib.request.urlopen(bucket).close()
            yield served
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class MemoryStore:
    """A store in this process, for every ObjectClient. `gate` gets each request before it is done, "VERB key"."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.inner = obstore.store.MemoryStore()
        self.gate: Callable[[str], object] = lambda request: None
        patch.setattr(object_client.ObjectClient, "_configured", lambda client, **options: self.inner)
        verbs = ("put", "copy", "head", "get", "list", "list_with_delimiter")
        gated = {verb: self._gated(verb) for verb in verbs} | {"delete": self._delete}
        patch.setattr(object_client, "obstore", SimpleNamespace(**(vars(obstore) | gated)))

    def _gated(self, verb: str) -> Callable[..., Any]:
        def request(store: Any, key: str, *arguments: Any, **options: Any) -> Any:
            self.gate(f"{verb.upper()} {key}")
            return getattr(obstore, verb)(store, key, *arguments, **options)

        return request

    def _delete(self, store: Any, keys: Sequence[str]) -> None:
        for key in keys:
            self.gate(f"DELETE {key}")
            obstore.delete(store, key)

    def objects(self, prefix: str = "") -> dict[str, bytes]:
        """Return all objects below a prefix."""
        found = obstore.list(self.inner, prefix or None).collect()
        return {item["path"]: obstore.get(self.inner, item["path"]).bytes().to_bytes() for item in found}


def new_location(options: str) -> str:
    """Return a prefix of the bucket in which nothing is yet."""
    return f"s3://{BUCKET}/{uuid.uuid4().hex}?{options}"
