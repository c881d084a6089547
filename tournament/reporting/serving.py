"""The report for spectators: served on loopback, made anew when there is more in the records.

Other sites' pages in the same browser must not read it: only requests that name this address are answered, so that a
name which leads here by another's DNS gets nothing, and nothing is allowed across origins.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tournament.errors import BadInput, TournamentError
from tournament.reporting.findings import Findings
from tournament.reporting.page import content_policy

ADDRESS = "127.0.0.1"
_LOOKS = 2.0  # seconds between two looks at the records
_REST = 10  # times as long as the last report took, before the next one is made
_PATIENCE = 10.0  # seconds for a request

Making = Callable[[], tuple[str, Findings]]


@dataclass
class Shown:
    """The page that is served, and its stamp, which changes with it."""

    page: bytes = b""
    stamp: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def show(self, text: str, findings: Findings) -> None:
        with self.lock:
            self.page, self.stamp = text.encode(), findings.made

    def now(self) -> tuple[bytes, str]:
        with self.lock:
            return self.page, self.stamp


def _handler(shown: Shown, hosts: frozenset[str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        server_version, sys_version = "tournament", ""
        timeout = _PATIENCE

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def _answer(self, with_body: bool) -> None:
            page, stamp = shown.now()
            path = self.path.partition("?")[0]
            if self.headers.get_all("Host") is None or not hosts.issuperset(self.headers.get_all("Host", [])):
                status, kind, body = HTTPStatus.FORBIDDEN, "text/plain", b"not here\n"
            elif path == "/":
                status, kind, body = HTTPStatus.OK, "text/html", page
            elif path == "/stamp":
                status, kind, body = HTTPStatus.OK, "text/plain", stamp.encode()
            else:
                status, kind, body = HTTPStatus.NOT_FOUND, "text/plain", b"there is only /\n"
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Security-Policy", f"{content_policy(live=True)}; frame-ancestors 'none'")
            self.send_header("Cross-Origin-Resource-Policy", "same-origin")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Referrer-Policy", "no-referrer")
            self.end_headers()
            if with_body:
                self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    return Handler


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever hangs up in the middle is no trouble of ours."""


class Server:
    """A report on loopback. Used as a context, it listens; `watch` keeps it new until it is interrupted."""

    def __init__(self, make: Making, stamp: Callable[[], object], port: int) -> None:
        """Makes the first report. Raises as `make` does, and BadInput where the port can't be had."""
        self._make, self._stamp = make, stamp
        self._shown = Shown()
        self._seen = stamp()
        started = time.monotonic()
        self._shown.show(*make())
        self._took = time.monotonic() - started
        try:
            self._server = _Listener((ADDRESS, port), BaseHTTPRequestHandler)
        except OSError as error:
            raise BadInput(f"port {port} can't be had: {error.strerror}; leave --port away for a free one") from None
        port = self._server.server_address[1]
        self.url = f"http://{ADDRESS}:{port}/"
        hosts = frozenset({f"{ADDRESS}:{port}", f"localhost:{port}"})
        self._server.RequestHandlerClass = _handler(self._shown, hosts)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.2,), daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def watch(self, say: Callable[[str], None], wait: Callable[[float], object] = time.sleep) -> None:
        """Make the report anew whenever the records have changed, for ever. Trouble is said, and the last one stays."""
        while True:
            wait(max(_LOOKS, _REST * self._took))
            self.look(say)

    def look(self, say: Callable[[str], None]) -> bool:
        """Make the report anew if the records have changed. Whether it did."""
        try:
            seen = self._stamp()
            if seen == self._seen:
                return False
            started = time.monotonic()
            self._shown.show(*self._make())
        except TournamentError as problem:
            say(f"{problem}; what is shown stays")
            return False
        self._took = time.monotonic() - started
        self._seen = seen
        return True
