"""The report for spectators: served on loopback, and made anew when the records change.

Pages of other sites in the same browser must not read it. Requests must name this address, so that a foreign host
name that resolves to it (DNS rebinding) gets nothing, and nothing is allowed across origins.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tournament.errors import BadInput, TournamentError
from tournament.reporting.findings import Findings
from tournament.reporting.page import content_policy

ADDRESS = "127.0.0.1"
_INTERVAL = 2.0  # least seconds between two checks of the records
_PAUSE = 10  # between two reports, in times of what the last one took
_TIMEOUT = 10.0  # seconds, of a request

Making = Callable[[], tuple[str, Findings]]


def _handler(shown: Callable[[], tuple[bytes, bytes]], hosts: frozenset[str]) -> type[BaseHTTPRequestHandler]:
    """Serves the page and the stamp that are `shown`; the stamp changes with the page."""

    class Handler(BaseHTTPRequestHandler):
        server_version, sys_version = "tournament", ""
        timeout = _TIMEOUT  # of each read, and of all that is sent

        def setup(self) -> None:
            super().setup()
            # A byte now and then would begin the time of a read anew.
            self._late = threading.Timer(_TIMEOUT, self.connection.shutdown, (socket.SHUT_RDWR,))
            self._late.daemon = True
            self._late.start()

        def parse_request(self) -> bool:
            is_whole = super().parse_request()
            self._late.cancel()
            return is_whole

        def finish(self) -> None:
            self._late.cancel()
            super().finish()

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def _answer(self, with_body: bool) -> None:
            page, stamp = shown()
            path = self.path.partition("?")[0]
            if self.headers.get_all("Host") is None or not hosts.issuperset(self.headers.get_all("Host", [])):
                status, kind, body = HTTPStatus.FORBIDDEN, "text/plain", b"not here\n"
            elif path == "/":
                status, kind, body = HTTPStatus.OK, "text/html", page
            elif path == "/stamp":
                status, kind, body = HTTPStatus.OK, "text/plain", stamp
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
        """Ignore clients that hang up."""


class Server:
    """A report on loopback. As a context it listens; `watch` keeps it up to date until interrupted."""

    def __init__(self, make: Making, stamp: Callable[[], object], port: int) -> None:
        """Makes the first report. Raises what `make` raises, and BadInput when the port isn't free."""
        self._make, self._stamp = make, stamp
        self._seen = stamp()
        self._show()
        try:
            self._server = _Listener((ADDRESS, port), BaseHTTPRequestHandler)
        except OSError as error:
            raise BadInput(f"port {port} can't be had: {error.strerror}; leave --port away for a free one") from None
        port = self._server.server_address[1]
        self.url = f"http://{ADDRESS}:{port}/"
        hosts = frozenset({f"{ADDRESS}:{port}", f"localhost:{port}"})
        self._server.RequestHandlerClass = _handler(lambda: self._shown, hosts)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.2,), daemon=True)

    def _show(self) -> None:
        """Make the report and show it. Raises as `make` does."""
        started = time.monotonic()
        page, findings = self._make()
        self._shown = page.encode(), findings.made.encode()
        self._took = time.monotonic() - started

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def watch(self, say: Callable[[str], None], wait: Callable[[float], object] = time.sleep) -> None:
        """Make the report anew whenever the records have changed, for ever. After an error the last one stays."""
        while True:
            wait(max(_INTERVAL, _PAUSE * self._took))
            self.look(say)

    def look(self, say: Callable[[str], None]) -> bool:
        """Make the report anew if the records have changed, and return whether it was made."""
        try:
            seen = self._stamp()
            if seen == self._seen:
                return False
            self._show()
        except TournamentError as problem:
            say(f"{problem}; what is shown stays")
            return False
        self._seen = seen
        return True
