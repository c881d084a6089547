"""The web server of an open contest: the published folder, read-only, and requests of authors.

Requests must name this server, so that a foreign name that leads here (DNS rebinding) gets nothing. Requests that
change something must come from this server's own pages, or have their token in a header, which pages of other sites
can't set. A request has a limited time and size, and the number of connections is limited.

A handler answers a browser with a page, or with a redirection after a form. It answers a script with JSON, or with the
text of a job or a refusal. Handlers run in threads, so that a slow one doesn't delay other requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import ipaddress
import os
import socket
import sqlite3
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, UploadFile
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from tournament.containment import our_error
from tournament.entrants.folder import KINDS
from tournament.errors import InputError
from tournament.open_contest.author_page import AuthorPage, job_address, job_values, words_of_job
from tournament.open_contest.authors import Author, AuthorsFile, find_author
from tournament.open_contest.jobs import BOT, NOT_FIT, PRACTICE, QUEUED, SET_ASIDE, Job
from tournament.open_contest.overview import boards_in, list_status
from tournament.open_contest.publish import list_faces, rules_values
from tournament.open_contest.refusals import Refused
from tournament.open_contest.submissions import Submissions, find_bot_files
from tournament.reporting.face import face_page, served_policy

_BODY_SECONDS = 60.0
_HEAD_BYTES = 16 << 10
# Maximum bytes of a form without its file.
_FORM_BYTES = 8 << 10
_MAX_CONNECTIONS, _BACKLOG = 1_000, 64
# Maximum pages that read records at the same time, in all and for one author.
_MAX_LOOKS, _MAX_LOOKS_OF_AUTHOR = 8, 2
# Maximum named opponents of a practice match.
_MAX_OPPONENTS = 100
# Maximum requests of an author that wait, and uploads, at the same time.
_MAX_WAITS_OF_AUTHOR, _MAX_UPLOADS_OF_AUTHOR = 4, 4
# Maximum seconds that an answer waits for a job.
_WAIT_SECONDS = 60.0
_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
_COOKIE = "token"
_HEADERS = {
    "content-security-policy": served_policy(),
    "x-content-type-options": "nosniff",
    # Browsers send forms with the Origin "null" if the policy is no-referrer.
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class Address:
    """An address on which a server listens.

    Attributes:
        host: Name or address of the host, an IPv6 address without brackets.
        port: The port; 0 for any that is free.
        url: URL by which people reach the server; None for that of the address.
    """

    host: str = "127.0.0.1"
    port: int = 0
    url: str | None = None

    @property
    def url_host(self) -> str:
        """Host as in a URL, an IPv6 address in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def is_loopback(self) -> bool:
        """True if only this machine can reach the address. A name other than localhost counts as False."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse_address(text: str, url: str | None = None) -> Address:
    """Return the address of a text such as "8080" or "0.0.0.0:8080".

    Args:
        text: A port, or a host, a colon and a port. Without a host it is 127.0.0.1.
        url: URL by which people reach the server, or None.

    Raises:
        InputError: The text has no port from 0 to 65535, or the URL has no host or another scheme than http or https.
    """
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise InputError(f"--serve {text}: expected a port, or an address and a port, as 0.0.0.0:8080")
    if url is not None and not _is_web_address(url):
        raise InputError(f"--public-url {url}: expected the address with its scheme, as https://contest.example.org")
    return Address(host.strip("[]") or "127.0.0.1", int(port), url)


def _is_web_address(url: str) -> bool:
    """Return whether a URL has the scheme http or https, and a host."""
    try:
        parts = urlsplit(url)
    except ValueError:  # An address in brackets is invalid.
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


class Server:
    """A server of a published folder, and of submissions if there are any. It serves while this context is open.

    Attributes:
        port: The port on which it listens.
        url: URL by which people reach it.
        ended: Reason why it no longer serves; "" while it does.
    """

    def __init__(
        self, address: Address, folder: Path, submissions: Submissions | None, authors: AuthorsFile | None
    ) -> None:
        """Listen at an address.

        Args:
            address: The address.
            folder: The published folder.
            submissions: Submissions of authors; None without submissions.
            authors: The authors; None without submissions.

        Raises:
            InputError: The address can't be used, such as because another program listens there.
        """
        is_https = urlsplit(address.url or "").scheme == "https"
        routes: list[Route | Mount] = []
        if submissions and authors:
            routes += Desk(submissions, authors, folder, secure=is_https).routes
        routes.append(Mount("/", _Published(directory=folder, html=True, follow_symlink=False)))
        try:
            self._socket = socket.create_server(
                (address.host, address.port), family=socket.AF_INET6 if ":" in address.host else socket.AF_INET
            )
        except OSError as error:
            # Numbers below 0 are errors of name resolution.
            number = error.errno or 0
            why = os.strerror(number) if number > 0 else error.strerror or str(error)
            raise InputError(f"can't listen on {address.url_host}:{address.port}: {why}") from None
        self.port = self._socket.getsockname()[1]
        self.url = address.url or f"http://{address.url_host}:{self.port}/"
        self.ended, self._stopped = "", False
        self._server = uvicorn.Server(
            uvicorn.Config(
                Starlette(routes=routes, exception_handlers=_TROUBLE, middleware=_guards(address)),
                http=_Bounded,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=_BACKLOG,
                timeout_keep_alive=5,
                timeout_graceful_shutdown=2,
                h11_max_incomplete_event_size=_HEAD_BYTES,
            )
        )
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped = self._server.should_exit = True
        self._thread.join(5)
        self._socket.close()

    def _serve(self) -> None:
        """Serve until the server is stopped. If it ends otherwise, store the reason."""
        why = "the server ended"
        try:
            self._server.run([self._socket])
        except BaseException as error:
            why = our_error(error, why)
        if not self._stopped:
            self.ended = f"{why}; watch again to continue"


class _Published(StaticFiles):
    """The published folder. Files with a compressed copy are sent compressed to clients that accept it."""

    def file_response(
        self, full_path: Any, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return the response for a file, with its compressed copy if there is one and the client accepts gzip."""
        copy = f"{full_path}.gz"
        if "gzip" not in Headers(scope=scope).get("accept-encoding", "") or not os.path.exists(copy):
            return super().file_response(full_path, stat_result, scope, status_code)
        answer = super().file_response(copy, os.stat(copy), scope, status_code)
        if isinstance(answer, FileResponse):
            answer.headers["content-type"] = str(FileResponse(full_path).headers["content-type"])
            answer.headers["content-encoding"] = "gzip"
        answer.headers["vary"] = "accept-encoding"
        return answer


class _Bounded(H11Protocol):
    """A connection, of which there is a limited number.

    One too many ends the connection that has been idle for longest. If all are active, it ends the one that has been
    answered for longest, so that slow clients can't block others.
    """

    def connection_made(self, transport: Any) -> None:
        """Accept a connection, and end another one if there are more than 1,000."""
        super().connection_made(transport)
        self._since = self.loop.time()
        if len(self.connections) > _MAX_CONNECTIONS:
            candidates = [one for one in self.connections if isinstance(one, _Bounded) and one is not self]
            oldest = min(candidates, key=_Bounded._worth)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def _worth(self) -> tuple[bool, float]:
        """Return whether a request is being answered, and since when in seconds of the loop. The least is ended."""
        return self.cycle is not None and not self.cycle.response_complete, self._since

    def on_response_complete(self) -> None:
        """Remember the time from which the connection is idle."""
        super().on_response_complete()
        self._since = self.loop.time()


class _Guarded:
    """A layer that adds headers to every answer, and refuses changes that pages of other sites request.

    It also refuses a request that has both a length and chunks.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        host, origins = request.headers.get("host"), request.headers.getlist("origin")

        async def with_headers(message: Message) -> None:
            """Send a message, with our headers if it starts the response."""
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                added = {**_HEADERS, "cache-control": "no-cache"}
                message["headers"] = [
                    *message["headers"],
                    *((k.encode(), v.encode()) for k, v in added.items() if k.encode() not in own),
                ]
            await send(message)

        app = self._app
        if request.method not in ("GET", "HEAD") and any(_netloc(origin) != host for origin in origins):
            app = PlainTextResponse("not from another site\n", 403)
        if "transfer-encoding" in request.headers and "content-length" in request.headers:
            # A proxy that goes by the other one would see two requests in it (RFC 9112, 6.3).
            app = PlainTextResponse("a body is either chunked or has a length, not both\n", 400)
        await app(scope, receive, with_headers)


def _netloc(origin: str) -> str | None:
    """Return host and port of an Origin, or None if it is invalid."""
    try:
        return urlsplit(origin).netloc
    # An invalid address in brackets is an example.
    except ValueError:
        return None


def _guards(address: Address) -> list[Middleware]:
    """Return the layers that every request passes, the outer one first.

    The inner one refuses requests that name another host than the address, its URL or, on loopback, this machine.
    """
    names = {"127.0.0.1", "localhost", "[::1]"} if address.is_loopback else {address.url_host}
    if address.url:
        names.add(_url_host(address.url))
    # People can use any name of the machine.
    elif address.host in ("0.0.0.0", "::"):
        names.add("*")
    return [Middleware(_Guarded), Middleware(TrustedHostMiddleware, allowed_hosts=sorted(names), www_redirect=False)]


def _url_host(url: str) -> str:
    """Return the host that a URL names, in brackets if it is an IPv6 address, or "" if it names none."""
    host = urlsplit(url).hostname or ""
    return f"[{host}]" if ":" in host else host


@dataclass(frozen=True)
class Call:
    """A request that the server answers. The reference page and `/llms.txt` list them.

    Attributes:
        method: HTTP method.
        path: Path, with names of its parameters in braces.
        does: Description of the call.
        parameters: Meaning of each parameter of the query or the form, by its name.
        takes: Description of the body; "" if there is none.
        needs_token: Whether the call needs a token.
    """

    method: str
    path: str
    does: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    takes: str = ""
    needs_token: bool = True


@dataclass(frozen=True)
class _Sent:
    """The content of a request.

    Attributes:
        author: Author of the request, without a name if the call needs no token.
        body: Its body, b"" if a form was sent or nothing was.
        form: Fields of its form by name, without files.
        file: Name and content of the form's file; None if there is none.
    """

    author: Author
    body: bytes = b""
    form: Mapping[str, str] = field(default_factory=dict)
    file: tuple[str, bytes] | None = None


_Handler = Callable[["Desk", Request, _Sent], Response | Job]
_HANDLERS: list[tuple[Call, _Handler]] = []


def _call(
    method_and_path: str,
    does: str,
    parameters: Mapping[str, str] = MappingProxyType({}),
    takes: str = "",
    *,
    token: bool = True,
) -> Callable[[_Handler], _Handler]:
    """Declare that a handler answers a call.

    Args:
        method_and_path: Method and path, such as "GET /mine".
        does: Description of the call.
        parameters: Meaning of each parameter by name.
        takes: Description of the body, "" if there is none.
        token: Whether the call needs a token.
    """
    method, path = method_and_path.split()

    def declare(handler: _Handler) -> _Handler:
        """Add the handler."""
        _HANDLERS.append((Call(method, path, does, parameters, takes, token), handler))
        return handler

    return declare


_CONTEST = {"contest": "name of the contest, if the server has several"}
_WAIT = {"wait": f"seconds to wait for the outcome, at most {_WAIT_SECONDS:g}"}
_MATCH = {
    "against": "names of opponents with commas between; default all",
    "baseline": "name of your bot in the contest to compare with; default the one of the same name, if there",
    "sessions": "sessions of each match",
}
_FILE = "a bot's file, or a program's folder as NAME.zip"
_GAME = {"opponent": "name of the opponent", "session": "session of their match, from 0", "game": "one game, from 0"}
_KIND = {"action": "`enter` or `practise`"}
_NOBODY = Author("", "")


class Desk:
    """The handlers of all calls. Each answers a browser with a page, and a script with JSON or text.

    Args:
        submissions: Submissions of authors.
        authors: The authors.
        published: The published folder.
        secure: Whether cookies are sent by HTTPS only.

    Attributes:
        routes: A route for each path of the calls.
    """

    def __init__(self, submissions: Submissions, authors: AuthorsFile, published: Path, *, secure: bool) -> None:
        self._submissions, self._authors, self._published = submissions, authors, published
        self._cookie: dict[str, Any] = {"httponly": True, "samesite": "strict", "secure": secure}
        self._author_page = AuthorPage(submissions, published)
        self._uploading, self._looking, self._waiting = Counter[str](), Counter[str](), Counter[str]()
        calls: dict[str, dict[str, tuple[Call, _Handler]]] = {}
        for call, handler in _HANDLERS:
            calls.setdefault(call.path, {})[call.method] = call, handler
        self.routes: list[Route | Mount] = [
            Route(path, self._endpoint(methods), methods=[*_METHODS]) for path, methods in calls.items()
        ]

    def _endpoint(self, methods: Mapping[str, tuple[Call, _Handler]]) -> Callable[[Request], Awaitable[Response]]:
        """Return the handler of all requests to a path, given its calls by method. HEAD is answered as GET."""

        async def answer(request: Request) -> Response:
            """Answer a request to the path.

            Raises:
                HTTPException: The path has no such method.
                Refused: The token is missing or invalid, or the request is refused.
            """
            method = "GET" if request.method == "HEAD" else request.method
            if method not in methods:
                raise HTTPException(405, headers={"Allow": ", ".join(methods)})
            call, handler = methods[method]
            author = await run_in_threadpool(self._author, request) if call.needs_token else _NOBODY
            sent = _Sent(author) if method == "GET" else await self._sent(request, call, author)
            result = await run_in_threadpool(handler, self, request, sent)
            return await self._answer_job(request, result) if isinstance(result, Job) else result

        return answer

    def _author(self, request: Request, token: str = "") -> Author:
        """Return the author of a request. Wrong tokens aren't counted, because tokens are too long to be guessed.

        Raises:
            Refused: The token is missing, invalid or revoked, its author is banned, or a cookie came without Origin.
        """
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if not token and scheme.lower() == "bearer":
            token = given.strip()
        # A page of another site can send the cookie nowhere, but browsers older than SameSite send it everywhere.
        elif not token and (request.method in ("GET", "HEAD") or request.headers.get("origin")):
            token = request.cookies.get(_COOKIE, "")
        elif not token and _COOKIE in request.cookies:
            why = "a browser's cookie counts only with the header Origin"
            raise Refused(401, f"{why}; send the token instead: Authorization: Bearer TOKEN")
        if not token:
            raise Refused(401, "this needs a token: Authorization: Bearer TOKEN, as the organiser gave it")
        author = find_author(token, self._authors())
        if author is None:
            raise Refused(401, "this token isn't valid: copy all of it, or ask the organiser for a new one")
        return author

    def _signed_in(self, request: Request) -> Author | None:
        """Return the author of a request, or None if it has no valid token."""
        with contextlib.suppress(Refused):
            return self._author(request)
        return None

    async def _sent(self, request: Request, call: Call, author: Author) -> _Sent:
        """Return the content of a request.

        Raises:
            Refused: It is too large, takes longer than 60 seconds, the author sends more than four at a time, or the
                contest doesn't take the file.
            HTTPException: The form is malformed.
        """
        max_bytes = self._submissions.current.opening.max_file_bytes if call.takes and author.name else 0
        with _counted(
            self._uploading, author.name, _MAX_UPLOADS_OF_AUTHOR if author.name else _MAX_CONNECTIONS
        ) as fits:
            if not fits:
                raise Refused(429, f"{_MAX_UPLOADS_OF_AUTHOR} files of yours are on their way", 1)
            if call.takes == _FILE:
                if "." in (file := request.path_params["file"]):
                    await run_in_threadpool(self._submissions.admit, author, self._contest(request), file)
                return _Sent(author, await _bounded(request, max_bytes).body())
            async with _bounded(request, max_bytes + _FORM_BYTES).form(max_files=1, max_fields=10) as form:
                texts = {name: value for name, value in form.items() if isinstance(value, str)}
                if not isinstance(file := form.get("file"), UploadFile):
                    return _Sent(author, form=texts)
                if (file.size or 0) > max_bytes:
                    raise _too_large(max_bytes)
                return _Sent(author, form=texts, file=(file.filename or "", await file.read()))

    # Pages and their values

    @_call("GET /contests", "list the contests", token=False)
    def _contests(self, _request: Request, _: _Sent) -> Response:
        """Answer with the name, title, state and dates of each contest, in the order of the settings file."""
        current = self._submissions.current
        return JSONResponse(
            [rules_values(current.contests, current.over, name, short=True) for name in current.contests]
        )

    @_call("GET /c/{name}/rules", "show rules, settings, limits and templates", token=False)
    def _rules(self, request: Request, _: _Sent) -> Response:
        """Answer with a contest's rules, settings, limits and templates.

        Raises:
            Refused: There is no such contest.
        """
        current, name = self._submissions.current, request.path_params["name"]
        current.config_of(name)
        return JSONResponse(rules_values(current.contests, current.over, name))

    @_call("GET /submit", "show the form for bots", token=False)
    def _form(self, request: Request, _: _Sent) -> Response:
        """Answer with the page with the form for bots."""
        return self._form_page(request)

    def _form_page(self, request: Request, problem: str = "", status: int = 200) -> Response:
        """Return the page with the form for bots, or for signing in if the request has no valid token.

        Args:
            request: The request.
            problem: Text about what went wrong, "" if nothing did.
            status: HTTP status of the answer.
        """
        current, signed_in = self._submissions.current, self._signed_in(request)
        remaining = self._submissions.left_today(signed_in.name)[0] if signed_in else 0
        faces = list_faces(current.contests, current.over)
        page = face_page("submit", signed_in, contests=faces, kinds=tuple(KINDS), left=remaining, problem=problem)
        return HTMLResponse(page, status)

    @_call("POST /sign-in", "sign a browser in", {}, "a form with `token`", token=False)
    def _sign_in(self, request: Request, sent: _Sent) -> Response:
        """Set the cookie of a token for 30 days, and redirect to the form.

        Raises:
            Refused: The token is invalid, and a script sent it. A browser gets the page again.
        """
        token = sent.form.get("token", "").strip()
        try:
            self._author(request, token or "none")
        except Refused as refused:
            if _for_browser(request):
                return self._form_page(request, refused.why, 401)
            raise
        answer = RedirectResponse("/submit", 303)
        answer.set_cookie(_COOKIE, token, max_age=30 * 86_400, **self._cookie)
        return answer

    @_call("POST /sign-out", "sign a browser out", token=False)
    def _sign_out(self, _request: Request, _sent: _Sent) -> Response:
        """Delete the cookie, and redirect to the form."""
        answer = RedirectResponse("/submit", 303)
        answer.delete_cookie(_COOKIE, **self._cookie)
        return answer

    @_call("GET /mine", "list your bots: places, faults and losses; and your last jobs")
    def _my_bots(self, request: Request, sent: _Sent) -> Response:
        """Answer with an author's bots and jobs.

        Raises:
            Refused: Two such pages of the author are being computed, or eight in all.
        """
        with _counted(self._looking, sent.author.name, _MAX_LOOKS_OF_AUTHOR, _MAX_LOOKS) as fits:
            if not fits:
                raise Refused(503, "too many such pages are being computed; try again", 2)
            values = self._author_page.values(sent.author)
        if _for_browser(request):
            return HTMLResponse(face_page("mine", sent.author, mine=values, words_of_job=words_of_job))
        return JSONResponse(values)

    @_call("GET /class", "list every author with last upload, state, reason and best place; for organisers")
    def _class(self, request: Request, sent: _Sent) -> Response:
        """Answer with a line for each author and contest, by contest and then by name of the author.

        Raises:
            Refused: The author isn't an organiser.
        """
        _require_organiser(sent.author)
        current = self._submissions.current
        boards = boards_in(self._published, current.contests)
        lines = list_status(self._authors().values(), self._submissions.jobs, current.contests, boards)
        if _for_browser(request):
            faces = list_faces(current.contests, current.over)
            return HTMLResponse(face_page("class", sent.author, lines=lines, contests=faces))
        return JSONResponse([asdict(one) for one in lines])

    @_call("GET /class/sources.zip", "download every bot's latest source; for organisers", _CONTEST)
    def _sources(self, request: Request, sent: _Sent) -> Response:
        """Answer with an archive: a folder for each author with the bots in the contest.

        Raises:
            Refused: The author isn't an organiser, or the request names no contest or an unknown one.
            OSError: A bot's file can't be read.
        """
        _require_organiser(sent.author)
        contest = self._contest(request)
        config, content = self._submissions.current.config_of(contest), io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive, self._submissions.among_entrants:
            for author in self._authors():
                for bot in self._submissions.jobs.names(author, contest):
                    for path in find_bot_files(config.entrants, bot):
                        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                            archive.write(file, f"{author}/{file.relative_to(config.entrants)}")
        headers = {"content-disposition": f'attachment; filename="{contest}_sources.zip"'}
        return Response(content.getvalue(), 200, headers, "application/zip")

    @_call("GET /llms.txt", "list these calls", token=False)
    def _llms_text(self, _request: Request, _: _Sent) -> Response:
        """Answer with the list of calls as text, in the order of their declaration."""
        lines = ["# An open contest of bots", "", "Send `Accept: application/json`, and the author's token as"]
        lines += ["`Authorization: Bearer TOKEN`. Jobs take a while: add `?wait=60`, and while `state` is queued ask"]
        lines += ["again at `url`.", ""]
        for call in CALLS:
            query = "&".join(f"{name}=" for name in call.parameters)
            lines.append(f"- `{call.method} {call.path}{'?' if query else ''}{query}`: {call.does}")
        return PlainTextResponse("\n".join(lines) + "\n")

    # Jobs

    @_call("PUT /bots/{file}", "submit a bot", _CONTEST | _WAIT, _FILE)
    def _submit(self, request: Request, sent: _Sent) -> Job:
        """Take a bot, and return its queued job.

        Raises:
            Refused: The bot is refused, or the request names no contest.
        """
        return self._submissions.take(sent.author, self._contest(request), request.path_params["file"], sent.body)

    @_call("POST /bots", "submit a bot by a form", _CONTEST | _KIND, "a form with `file`")
    def _upload(self, request: Request, sent: _Sent) -> Job:
        """Take a bot from a form, to enter or for a practice match, and return its job.

        Raises:
            Refused: The form has no file, the bot is refused, or the request names no contest.
        """
        if sent.file is None or not sent.file[0]:
            raise Refused(400, "choose a file")
        kind = PRACTICE if sent.form.get("action") == "practise" else BOT
        contest = self._contest(request, sent.form.get("contest", ""))
        return self._submissions.take(sent.author, contest, *sent.file, kind)

    @_call("DELETE /bots/{file}", "withdraw a bot, by its name", _CONTEST | _WAIT)
    @_call("POST /bots/{file}/withdraw", "withdraw a bot by a form", _CONTEST)
    def _withdraw(self, request: Request, sent: _Sent) -> Job:
        """Queue a bot's withdrawal, and return its job.

        Raises:
            Refused: The withdrawal is refused, or the request names no contest.
        """
        return self._submissions.withdraw(sent.author, self._contest(request), request.path_params["file"])

    @_call("POST /practice/{file}", "play a bot against others without entering it; with a name instead of a file, the"
           " bot in the contest", _CONTEST | _WAIT | _MATCH, _FILE)  # fmt: skip
    def _practise(self, request: Request, sent: _Sent) -> Job:
        """Queue a practice match, and return its job. A name without an ending means the bot in the contest.

        Raises:
            Refused: The match is refused, `sessions` isn't a number, more than 100 opponents are named, or the request
                names no contest.
        """
        contest, file, query = self._contest(request), request.path_params["file"], request.query_params
        against = [*dict.fromkeys(name for name in query.get("against", "").split(",") if name)]
        if len(against) > _MAX_OPPONENTS:
            raise Refused(400, f"against=NAME,…: {_MAX_OPPONENTS} opponents at most, or none for all")
        requested = {"against": against, "baseline": query.get("baseline"), "sessions": _integer(request, "sessions")}
        asks = {name: value for name, value in requested.items() if value}
        if "." not in file:
            return self._submissions.practise(sent.author, contest, file, asks)
        return self._submissions.take(sent.author, contest, file, sent.body, PRACTICE, asks)

    @_call("POST /replay/{bot}", "show a recorded session of your bot step by step, without what the opponent printed",
           _CONTEST | _WAIT | _GAME)  # fmt: skip
    def _replay(self, request: Request, sent: _Sent) -> Job:
        """Queue a replay of a session, by default the first, or of one game of it, and return its job.

        Raises:
            Refused: The replay is refused, a parameter is wrong, or the request names no contest.
        """
        asks: dict[str, Any] = {"opponent": request.query_params.get("opponent", "")}
        asks |= {"session": _integer(request, "session") or 0, "game": _integer(request, "game")}
        return self._submissions.show(sent.author, self._contest(request), request.path_params["bot"], asks)

    @_call("GET /jobs/{id}", "show a job", _WAIT)
    def _job(self, request: Request, sent: _Sent) -> Job:
        """Return one of the author's jobs.

        Raises:
            Refused: The author has no such job, or it is another author's.
        """
        job = self._submissions.job(sent.author, request.path_params["id"])
        if job is None:
            raise Refused(404, "you have no such job")
        return job

    async def _answer_job(self, request: Request, job: Job) -> Response:
        """Return the answer for a job, after waiting for its outcome if the request has `wait`.

        It waits at most 60 seconds, and not at all if four requests of the author wait already. A browser's form is
        redirected to the job's page at once.

        Raises:
            Refused: `wait` isn't a number.
        """
        if _for_browser(request) and request.method not in ("GET", "HEAD"):
            return RedirectResponse(job_address(job), 303)
        try:
            seconds = min(float(request.query_params.get("wait", 0)), _WAIT_SECONDS)
        except ValueError:
            raise Refused(400, "wait=SECONDS") from None
        jobs, end, changes = self._submissions.jobs, time.monotonic() + seconds, -1
        with _counted(self._waiting, job.author, _MAX_WAITS_OF_AUTHOR) as fits:
            while fits and job.state == QUEUED and time.monotonic() < end:
                if jobs.changes == changes:
                    await asyncio.sleep(0.1)
                else:
                    changes = jobs.changes
                    current = await run_in_threadpool(jobs.job, job.id)
                    job = current or job
        return await run_in_threadpool(self._job_answer, request, job)

    def _job_answer(self, request: Request, job: Job) -> Response:
        """Return the present state of a job as a page, as JSON or as text.

        A script gets status 202 while it is queued, 422 if it was refused or set aside, and otherwise 200.
        """
        job = self._submissions.jobs.job(job.id) or job
        values, where = job_values(self._submissions, job), job_address(job)
        if _for_browser(request):
            return HTMLResponse(face_page("job", self._signed_in(request), job=values, words_of_job=words_of_job))
        status = 202 if job.state == QUEUED else 422 if job.state in (NOT_FIT, SET_ASIDE) else 200
        more = f"; ask {where}" if job.state == QUEUED else ""
        text = f"{job.file}: {job.state}{more}\n{job.quick if job.state == QUEUED else words_of_job(values)}"
        return _answer(request, values, text, status, {"Location": where})

    def _contest(self, request: Request, named: str = "") -> str:
        """Return the contest that a request means, which might not exist.

        Args:
            request: The request.
            named: Name of the contest in a form; "" means that of the query, or the only contest.

        Raises:
            Refused: It names none, and there are several.
        """
        names = list(self._submissions.current.contests)
        contest = named or request.query_params.get("contest") or (names[0] if len(names) == 1 else "")
        if not contest:
            raise Refused(400, f"name the contest: ?contest=NAME, one of {', '.join(names)}")
        return contest


CALLS = tuple(call for call, _ in _HANDLERS)


@contextlib.contextmanager
def _counted(counter: Counter[str], author: str, maximum: int, total: int = _MAX_CONNECTIONS) -> Iterator[bool]:
    """Count a request of an author within this context.

    Args:
        counter: Numbers of requests by author.
        author: Name of the author.
        maximum: Most requests of an author.
        total: Most requests in all.

    Yields:
        Whether the request is allowed. One that isn't doesn't count.
    """
    fits = counter[author] < maximum and counter.total() < total
    counter[author] += fits
    try:
        yield fits
    finally:
        counter[author] -= fits


def _require_organiser(author: Author) -> None:
    """Check that an author is an organiser.

    Raises:
        Refused: The author isn't.
    """
    if not author.organiser:
        raise Refused(403, "this is for organisers: set organiser = true for their name in the authors' file")


def _integer(request: Request, name: str) -> int | None:
    """Return a parameter of the query that is a whole number, or None if it is missing.

    Raises:
        Refused: It isn't a number from 0, or has ten digits or more.
    """
    text = request.query_params.get(name)
    if text is not None and not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Refused(400, f"{name}=N: a number from 0")
    return None if text is None else int(text)


def _for_browser(request: Request) -> bool:
    """Return whether a request accepts a page of HTML, as those of browsers do."""
    return "text/html" in request.headers.get("accept", "")


def _answer(
    request: Request, values: object, text: str, status: int = 200, headers: Mapping[str, str] = MappingProxyType({})
) -> Response:
    """Return values as JSON if the request accepts it, otherwise a text that ends in one line break."""
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse(values, status, headers)
    return PlainTextResponse(text.rstrip("\n") + "\n", status, headers)


async def _trouble(request: Request, error: Exception) -> Response:
    """Return the refusal for an error as a page, as text or as JSON.

    A browser without a valid token is redirected to the form for signing in.
    """
    headers = dict(getattr(error, "headers", None) or {})
    refused = _refused(request, error)
    if refused.retry_after:
        headers["Retry-After"] = str(refused.retry_after)
    if _for_browser(request):
        if refused.status == 401:
            return RedirectResponse("/submit", 303)
        return HTMLResponse(face_page("problem", None, why=refused.why), refused.status, headers)
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    values = {"error": refused.why} | ({"retry_after": refused.retry_after} if refused.retry_after else {})
    return _answer(request, values, refused.why, refused.status, headers)


_ERRORS: tuple[Any, ...] = (Refused, HTTPException, ClientDisconnect, OSError, sqlite3.Error, Exception)
_TROUBLE = dict.fromkeys(_ERRORS, _trouble)


def _refused(request: Request, error: Exception) -> Refused:
    """Return the refusal for an error: status 507 if this machine failed, and 500 for an error of our own.

    The traceback of an error of our own is stored.
    """
    match error:
        case Refused():
            return error
        case HTTPException(status_code=404):
            return Refused(404, "there is nothing at this address")
        case HTTPException(status_code=405):
            takes = (error.headers or {}).get("Allow", "GET, HEAD")
            return Refused(405, f"{request.method} isn't for this address; it takes {takes}")
        case HTTPException():
            return Refused(error.status_code, error.detail)
        case ClientDisconnect():
            return Refused(400, "the request was cut off")
        case OSError() | sqlite3.Error():
            return Refused(507, f"this machine failed: {getattr(error, 'strerror', None) or error}")
    our_error(error, f"{request.method} {request.url.path}")
    return Refused(500, "an internal error of the server; tell the organiser")


def _too_large(max_bytes: int) -> Refused:
    """Return the refusal of a body that has more than this many bytes."""
    return Refused(413, f"at most {max_bytes:,} bytes")


def _bounded(request: Request, max_bytes: int) -> Request:
    """Return a request whose body can't be too large or too slow: reading it then fails with Refused.

    Raises:
        Refused: The length in the request's header is too large, before anything is read.
    """
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > max_bytes:
        raise _too_large(max_bytes)
    end, size = asyncio.get_running_loop().time() + _BODY_SECONDS, 0

    async def receive() -> Message:
        """Return the next message.

        Raises:
            Refused: The body is too large, or takes longer than 60 seconds.
        """
        nonlocal size
        try:
            async with asyncio.timeout_at(end):
                message = await request.receive()
        except TimeoutError:
            raise Refused(408, f"it took longer than {_BODY_SECONDS:g} s to come") from None
        size += len(message.get("body", b""))
        if size > max_bytes:
            raise _too_large(max_bytes)
        return message

    return Request(request.scope, receive)
