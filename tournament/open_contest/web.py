"""The web server of an open contest: the published folder, read-only, and what authors ask for.

Requests must name this server, so that a foreign name that leads here (DNS rebinding) gets nothing. Requests that
change something must come from this server's own pages, or bring their token in a header, which no other site's page
can. A request has a limited time and size, and the number of connections is limited.

Each address has one handler. It answers a browser with a page, or a redirection after a form, and a script with JSON
or text. Handlers run in threads, so that a slow one delays no other request.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import ipaddress
import json
import os
import socket
import sqlite3
import threading
import time
import zipfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from tournament.containment import our_error
from tournament.entrants.folder import KINDS
from tournament.errors import InputError
from tournament.open_contest.authors import Author, AuthorsFile, author_of
from tournament.open_contest.jobs import BOT, NOT_FIT, PRACTICE, QUEUED, SET_ASIDE, Job
from tournament.open_contest.mine import Mine, address_of_job, job_values, words_of_job
from tournament.open_contest.overview import boards_in, status_of
from tournament.open_contest.publish import PLACE, faces_of, rules_of
from tournament.open_contest.refusals import Refused
from tournament.open_contest.submissions import Submissions, files_of_bot
from tournament.reporting.face import face_page, served_policy

_BODY_SECONDS = 60.0
_HEAD_BYTES = 16 << 10
_FORM_BYTES = 8 << 10  # of a form without its file
_MAX_CONNECTIONS, _BACKLOG = 1_000, 64
_MAX_LOOKS, _MAX_LOOKS_OF_AUTHOR = 8, 2  # pages at a time that read records
_MAX_OPPONENTS = 100  # of a practice match, by name
_MAX_WAITS_OF_AUTHOR, _MAX_UPLOADS_OF_AUTHOR = 4, 4  # at a time
_WAIT_SECONDS = 60.0  # the longest that an answer waits for a job
_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
_COOKIE = "token"
_HEADERS = {
    "content-security-policy": served_policy(),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # With no-referrer, browsers send forms with the Origin "null".
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class Address:
    """An address on which a server listens, and the URL by which people reach it."""

    host: str = "127.0.0.1"
    port: int = 0
    url: str | None = None

    @property
    def shown(self) -> str:
        """The host as in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def is_loopback(self) -> bool:
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def address_of(text: str, url: str | None = None) -> Address:
    """Return the address of a text such as "8080" or "0.0.0.0:8080". Raises InputError."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise InputError(f"--serve {text}: expected a port, or an address and a port, as 0.0.0.0:8080")
    if url is not None and (urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname):
        raise InputError(f"--public-url {url}: expected the address with its scheme, as https://contest.example.org")
    return Address(host.strip("[]") or "127.0.0.1", int(port), url)


class Server:
    """A server of a published folder, and of submissions if there are any. It serves while this context is open.

    Attributes:
        ended: Why it doesn't serve any more, "" while it does.
    """

    def __init__(
        self, address: Address, folder: Path, submissions: Submissions | None, authors: AuthorsFile | None
    ) -> None:
        """Raises InputError if it can't listen at the address."""
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
            number = error.errno or 0  # below 0 if a name leads nowhere
            why = os.strerror(number) if number > 0 else error.strerror or str(error)
            raise InputError(f"can't listen on {address.shown}:{address.port}: {why}") from None
        self.port = self._socket.getsockname()[1]
        self.url = address.url or f"http://{address.shown}:{self.port}/"
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
        why = "the server ended"
        try:
            self._server.run([self._socket])
        except BaseException as error:
            why = our_error(error, why)
        if not self._stopped:
            self.ended = f"{why}; watch again to continue"


class _Published(StaticFiles):
    """The published folder. A file that has a compressed copy is sent compressed to clients that take it."""

    def file_response(
        self, full_path: Any, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
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
    """A connection of a limited number. One too many ends the one that has been idle for longest, or, if all are
    active, that has been answered for longest, so that slow clients keep no one out."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._since = self.loop.time()
        if len(self.connections) > _MAX_CONNECTIONS:
            others = [one for one in self.connections if isinstance(one, _Bounded) and one is not self]
            oldest = min(others, key=_Bounded._worth)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def _worth(self) -> tuple[bool, float]:
        return self.cycle is not None and not self.cycle.response_complete, self._since

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._since = self.loop.time()


class _Guarded:
    """A layer that adds headers to every answer, and refuses changes that another site's page asks for."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        host, origins = request.headers.get("host"), request.headers.getlist("origin")

        async def with_headers(message: Message) -> None:
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
    """Return host and port that an Origin names; None if that is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:  # as of brackets around what is no address
        return None


def _guards(address: Address) -> list[Middleware]:
    """Return the layers through which every request goes."""
    names = {"127.0.0.1", "localhost", "[::1]"} if address.is_loopback else {address.shown}
    if address.url:
        names.add(_host_of(address.url))
    elif address.host in ("0.0.0.0", "::"):  # by whichever name the classroom has for it
        names.add("*")
    return [Middleware(_Guarded), Middleware(TrustedHostMiddleware, allowed_hosts=sorted(names), www_redirect=False)]


def _host_of(url: str) -> str:
    """Return the host that a URL names, in brackets if it is an IPv6 address."""
    host = urlsplit(url).hostname or ""
    return f"[{host}]" if ":" in host else host


@dataclass(frozen=True)
class Call:
    """A request that the server answers; the reference page and `/llms.txt` list them.

    Attributes:
        does: What it does, as text.
        parameters: Meaning of each parameter of the query or the form.
        takes: What the body is, if there is one.
    """

    method: str
    path: str
    does: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    takes: str = ""
    needs_token: bool = True


_CONTEST = {"contest": "name of the contest, if the server has several"}
_WAIT = {"wait": f"seconds to wait for the outcome, at most {_WAIT_SECONDS:g}"}
_MATCH = {"against": "names of opponents with commas between; default all", "sessions": "sessions of each match"}
_FILE = "a bot's file, or a program's folder as NAME.zip"
_GAME = {"opponent": "name of the opponent", "session": "session of their match, from 0", "game": "one game, from 0"}
_KIND = {"action": "`enter` or `practise`"}
CALLS = (
    Call("GET", "/contests", "list the contests", needs_token=False),
    Call("GET", "/c/{name}/rules", "show rules, settings, limits and templates", needs_token=False),
    Call("GET", "/c/{name}/standings", "show the board", needs_token=False),
    Call("PUT", "/bots/{file}", "submit a bot", _CONTEST | _WAIT, _FILE),
    Call("POST", "/bots", "submit a bot by a form", _CONTEST | _KIND, "a form with `file`"),
    Call("DELETE", "/bots/{file}", "withdraw a bot, by its name", _CONTEST | _WAIT),
    Call("GET", "/bots/{file}/withdraw", "ask whether to withdraw a bot", _CONTEST),
    Call("POST", "/bots/{file}/withdraw", "withdraw a bot by a form", _CONTEST),
    Call("POST", "/practice/{file}", "play a bot against others without entering it; with a name instead of a file, the"
         " bot in the contest", _CONTEST | _WAIT | _MATCH, _FILE),
    Call("POST", "/replay/{bot}", "show a recorded session of your bot step by step, without what the opponent printed",
         _CONTEST | _WAIT | _GAME),
    Call("GET", "/mine", "list your bots: places, faults, losses, versions; and your last jobs"),
    Call("GET", "/jobs", "list your last jobs, without their texts"),
    Call("GET", "/jobs/{id}", "show a job", _WAIT),
    Call("GET", "/class", "list every author with last upload, state, reason and best place; for organisers"),
    Call("GET", "/class/sources.zip", "download every bot's latest source; for organisers", _CONTEST),
    Call("GET", "/submit", "show the form for bots", needs_token=False),
    Call("POST", "/sign-in", "sign a browser in", {}, "a form with `token`", needs_token=False),
    Call("POST", "/sign-out", "sign a browser out", needs_token=False),
    Call("GET", "/llms.txt", "list these calls", needs_token=False),
)  # fmt: skip


@dataclass(frozen=True)
class _Sent:
    """What a request brings: its body, or the fields and the file of a form; and its author, if it needs one."""

    author: Author
    body: bytes = b""
    form: Mapping[str, str] = field(default_factory=dict)
    file: tuple[str, bytes] | None = None


_NOBODY = Author("", "")
_Handler = Callable[[Request, _Sent], Response | Job]


class Desk:
    """The handlers of all calls."""

    def __init__(self, submissions: Submissions, authors: AuthorsFile, published: Path, *, secure: bool) -> None:
        self._submissions, self._authors, self._published, self._secure = submissions, authors, published, secure
        self._mine = Mine(submissions, published)
        self._uploading: Counter[str] = Counter()
        self._looking: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()
        handlers: dict[tuple[str, str], _Handler] = {
            ("GET", "/contests"): self._contests,
            ("GET", "/c/{name}/rules"): self._rules,
            ("GET", "/c/{name}/standings"): self._standings,
            ("PUT", "/bots/{file}"): self._put,
            ("POST", "/bots"): self._upload,
            ("DELETE", "/bots/{file}"): self._withdraw,
            ("GET", "/bots/{file}/withdraw"): self._confirm,
            ("POST", "/bots/{file}/withdraw"): self._withdraw,
            ("POST", "/practice/{file}"): self._put,
            ("POST", "/replay/{bot}"): self._replay,
            ("GET", "/mine"): self._my_bots,
            ("GET", "/jobs"): self._jobs,
            ("GET", "/jobs/{id}"): self._job,
            ("GET", "/class"): self._class,
            ("GET", "/class/sources.zip"): self._sources,
            ("GET", "/submit"): self._form,
            ("POST", "/sign-in"): self._sign_in,
            ("POST", "/sign-out"): self._sign_out,
            ("GET", "/llms.txt"): self._in_words,
        }
        calls: dict[str, dict[str, tuple[Call, _Handler]]] = {}
        for call in CALLS:
            calls.setdefault(call.path, {})[call.method] = call, handlers[call.method, call.path]
        self.routes: list[Route | Mount] = [
            Route(path, self._endpoint(methods), methods=[*_METHODS]) for path, methods in calls.items()
        ]

    def _endpoint(self, methods: Mapping[str, tuple[Call, _Handler]]) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers all requests to an address."""

        async def answer(request: Request) -> Response:
            method = "GET" if request.method == "HEAD" else request.method
            if method not in methods:
                raise HTTPException(405, headers={"Allow": ", ".join(methods)})
            call, handler = methods[method]
            author = await run_in_threadpool(self._author, request) if call.needs_token else _NOBODY
            sent = _Sent(author) if method == "GET" else await self._sent(request, call, author)
            found = await run_in_threadpool(handler, request, sent)
            return await self._told(request, found) if isinstance(found, Job) else found

        return answer

    def _author(self, request: Request, token: str = "") -> Author:
        """Return the author of a request. Wrong tokens aren't counted: they are too long to be guessed. Raises
        Refused."""
        if not token:
            scheme, _, given = request.headers.get("authorization", "").partition(" ")
            if scheme.lower() == "bearer":
                token = given.strip()
            # A page of another site can send the cookie nowhere, but browsers older than SameSite send it everywhere.
            elif request.method in ("GET", "HEAD") or request.headers.get("origin"):
                token = request.cookies.get(_COOKIE, "")
            elif _COOKIE in request.cookies:
                why = "a browser's cookie counts only with the header Origin"
                raise Refused(401, f"{why}; send the token instead: Authorization: Bearer TOKEN")
        if not token:
            raise Refused(401, "this needs a token: Authorization: Bearer TOKEN, as the organiser gave it")
        author = author_of(token, self._authors())
        if author is None:
            raise Refused(401, "this token isn't valid: copy it whole, or ask the organiser for a new one")
        return author

    async def _sent(self, request: Request, call: Call, author: Author) -> _Sent:
        """Return what a request brings. Raises Refused."""
        most = self._submissions.current.opening.max_file_bytes if call.takes and author.name else 0
        kind = request.headers.get("content-type", "").partition(";")[0].strip()
        if author.name and self._uploading[author.name] >= _MAX_UPLOADS_OF_AUTHOR:
            raise Refused(429, f"{_MAX_UPLOADS_OF_AUTHOR} files of yours are on their way", 1)
        self._uploading[author.name] += 1
        try:
            if call.takes == _FILE:
                if "." in request.path_params["file"]:
                    admitted = (author, self._contest(request), request.path_params["file"])
                    await run_in_threadpool(self._submissions.admit, *admitted)
                return _Sent(author, await _body(request, most))
            body = await _body(request, most + _FORM_BYTES)
        finally:
            self._uploading[author.name] -= 1
        if kind == "multipart/form-data":
            return await _multipart(request, body, author, most)
        try:
            return _Sent(author, b"", dict(parse_qsl(body.decode(), max_num_fields=10)))
        except ValueError:
            raise Refused(400, "expected the fields of a form") from None

    # Pages and their values

    def _form(self, request: Request, _: _Sent) -> Response:
        return self._form_page(request)

    def _form_page(self, request: Request, problem: str = "", status: int = 200) -> Response:
        current, signed_in = self._submissions.current, self._signed_in(request)
        left = self._submissions.left_today(signed_in.name)[0] if signed_in else 0
        faces = faces_of(current.contests, current.over)
        text = face_page("submit", signed_in, contests=faces, kinds=tuple(KINDS), left=left, problem=problem)
        return _page(text, status)

    def _signed_in(self, request: Request) -> Author | None:
        with contextlib.suppress(Refused):
            return self._author(request)
        return None

    def _sign_in(self, request: Request, sent: _Sent) -> Response:
        token = sent.form.get("token", "").strip()
        try:
            self._author(request, token or "none")
        except Refused as refused:
            if _for_browser(request):
                return self._form_page(request, refused.why, 401)
            raise
        answer = RedirectResponse("/submit", 303)
        answer.set_cookie(_COOKIE, token, httponly=True, samesite="strict", secure=self._secure, max_age=30 * 86_400)
        return answer

    def _sign_out(self, _request: Request, _sent: _Sent) -> Response:
        answer = RedirectResponse("/submit", 303)
        answer.delete_cookie(_COOKIE, httponly=True, samesite="strict", secure=self._secure)
        return answer

    def _my_bots(self, request: Request, sent: _Sent) -> Response:
        with self._looks(sent.author):
            values = self._mine.values(sent.author)
        if _for_browser(request):
            return _page(face_page("mine", sent.author, mine=values, words_of_job=words_of_job))
        return _answer(request, 200, values, _mine_as_text(values))

    @contextlib.contextmanager
    def _looks(self, author: Author) -> Iterator[None]:
        """Count a page that reads records, so that other pages aren't kept waiting. Raises Refused."""
        if self._looking[author.name] >= _MAX_LOOKS_OF_AUTHOR or self._looking.total() >= _MAX_LOOKS:
            raise Refused(503, "this is being worked out for others, or for you; ask again", 2)
        self._looking[author.name] += 1
        try:
            yield
        finally:
            self._looking[author.name] -= 1

    def _contests(self, request: Request, _: _Sent) -> Response:
        current = self._submissions.current
        values = [rules_of(current.contests, current.over, name, short=True) for name in current.contests]
        text = "\n".join(f"{one['name']}: {one['title']}, {one['state']}" for one in values)
        return _answer(request, 200, values, text)

    def _rules(self, request: Request, _: _Sent) -> Response:
        current, name = self._submissions.current, request.path_params["name"]
        current.config_of(name)
        values = rules_of(current.contests, current.over, name)
        return _answer(request, 200, values, json.dumps(values, indent=2))

    def _standings(self, request: Request, _: _Sent) -> Response:
        name = request.path_params["name"]
        self._submissions.current.config_of(name)
        try:
            board = json.loads((self._published / PLACE / name / "board.json").read_bytes())
        except (OSError, ValueError):
            raise Refused(404, "there is no board yet: it takes bots that can play") from None
        values = {key: board[key] for key in ("contest", "made", "open", "failed_matches", "leaderboard")}
        lines = [f"{line['rank'] or '-'} {line['name']} {line['score']}" for line in values["leaderboard"]]
        return _answer(request, 200, values, "\n".join(lines))

    def _class(self, request: Request, sent: _Sent) -> Response:
        _require_organiser(sent.author)
        current = self._submissions.current
        boards = boards_in(self._published, current.contests)
        lines = status_of(self._authors().values(), self._submissions.jobs, current.contests, boards)
        if _for_browser(request):
            faces = faces_of(current.contests, current.over)
            return _page(face_page("class", sent.author, lines=lines, contests=faces))
        text = "\n".join(f"{one.author}: {one.bot or '-'} {one.state} {one.best_place or '-'}" for one in lines)
        return _answer(request, 200, [asdict(one) for one in lines], text)

    def _sources(self, request: Request, sent: _Sent) -> Response:
        """Answer with an archive: a folder for each author with the bots in the contest."""
        _require_organiser(sent.author)
        contest = self._contest(request)
        config, content = self._submissions.current.config_of(contest), io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive, self._submissions.among_entrants:
            for author in self._authors():
                for bot in self._submissions.jobs.names(author, contest):
                    for path in files_of_bot(config.entrants, bot):
                        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                            archive.write(file, f"{author}/{file.relative_to(config.entrants)}")
        headers = {"content-disposition": f'attachment; filename="{contest}_sources.zip"'}
        return Response(content.getvalue(), 200, headers, "application/zip")

    def _in_words(self, _request: Request, _: _Sent) -> Response:
        lines = ["# An open contest of bots", "", "Send `Accept: application/json`, and the author's token as"]
        lines += ["`Authorization: Bearer TOKEN`. Jobs take a while: add `?wait=60`, and while `state` is queued ask"]
        lines += ["again at `url`.", ""]
        for call in CALLS:
            query = "&".join(f"{name}=" for name in call.parameters)
            lines.append(f"- `{call.method} {call.path}{'?' if query else ''}{query}`: {call.does}")
        return PlainTextResponse("\n".join(lines) + "\n")

    # Jobs

    def _put(self, request: Request, sent: _Sent) -> Job:
        contest, file = self._contest(request), request.path_params["file"]
        if request.method == "PUT":
            return self._submissions.take(sent.author, contest, file, sent.body)
        asks = _match_of(request)
        if "." not in file:
            return self._submissions.practise(sent.author, contest, file, asks)
        return self._submissions.take(sent.author, contest, file, sent.body, PRACTICE, asks)

    def _upload(self, request: Request, sent: _Sent) -> Job:
        if sent.file is None or not sent.file[0]:
            raise Refused(400, "choose a file")
        kind = PRACTICE if sent.form.get("action") == "practise" else BOT
        contest = self._contest(request, sent.form.get("contest", ""))
        return self._submissions.take(sent.author, contest, *sent.file, kind)

    def _confirm(self, request: Request, sent: _Sent) -> Response:
        bot, contest = request.path_params["file"], self._contest(request)
        if self._submissions.jobs.owner(contest, bot) != (sent.author.name, bot):
            raise Refused(404, f"you have no bot called {bot}")
        where = f"/bots/{bot}/withdraw?{urlencode({'contest': contest})}"
        question = f"Withdraw {bot}? It leaves the contest with all its matches. Its name stays yours."
        if _for_browser(request):
            return _page(face_page("confirm", sent.author, bot=bot, where=where, question=question))
        return _answer(request, 200, {"question": question, "url": where}, question)

    def _withdraw(self, request: Request, sent: _Sent) -> Job:
        return self._submissions.withdraw(sent.author, self._contest(request), request.path_params["file"])

    def _replay(self, request: Request, sent: _Sent) -> Job:
        asks: dict[str, Any] = {"opponent": request.query_params.get("opponent", "")}
        asks |= {"session": _integer(request, "session") or 0, "game": _integer(request, "game")}
        return self._submissions.show(sent.author, self._contest(request), request.path_params["bot"], asks)

    def _jobs(self, request: Request, sent: _Sent) -> Response:
        found = self._submissions.jobs_of(sent.author.name)
        values = [job_values(self._submissions, job) | {"said": "", "report": None} for job in found]
        return _answer(request, 200, values, "\n".join(f"{job.at} {job.file}: {job.state}" for job in found))

    def _job(self, request: Request, sent: _Sent) -> Job:
        job = self._submissions.job(sent.author, request.path_params["id"])
        if job is None:
            raise Refused(404, "you have no such job")
        return job

    async def _told(self, request: Request, job: Job) -> Response:
        """Return the answer for a job, after waiting for its outcome if the request has `wait`."""
        where = address_of_job(job)
        if _for_browser(request) and request.method not in ("GET", "HEAD"):
            return RedirectResponse(where, 303)
        try:
            seconds = min(float(request.query_params.get("wait", 0)), _WAIT_SECONDS)
        except ValueError:
            raise Refused(400, "wait=SECONDS") from None
        if job.state == QUEUED and seconds > 0 and self._waiting[job.author] < _MAX_WAITS_OF_AUTHOR:
            self._waiting[job.author] += 1
            try:
                job = await self._done(job, seconds)
            finally:
                self._waiting[job.author] -= 1
        return await run_in_threadpool(self._job_answer, request, job, where)

    async def _done(self, job: Job, seconds: float) -> Job:
        """Return a job once it is done, or as it is after some seconds."""
        jobs, end = self._submissions.jobs, time.monotonic() + seconds
        while job.state == QUEUED and time.monotonic() < end:
            changes = jobs.changes
            found = await run_in_threadpool(jobs.job, job.id)
            job = found or job
            while job.state == QUEUED and jobs.changes == changes and time.monotonic() < end:
                await asyncio.sleep(0.1)
        return job

    def _job_answer(self, request: Request, job: Job, where: str) -> Response:
        job = self._submissions.jobs.job(job.id) or job
        status = 202 if job.state == QUEUED else 422 if job.state in (NOT_FIT, SET_ASIDE) else 200
        values = job_values(self._submissions, job)
        if _for_browser(request):
            return _page(face_page("job", self._signed_in(request), job=values, words_of_job=words_of_job))
        quick = f"\n{job.quick}" if job.quick else ""
        more = f"; ask {where}{quick}" if job.state == QUEUED else f"\n{words_of_job(values)}"
        return _answer(request, status, values, f"{job.file}: {job.state}{more}", {"Location": where})

    def _contest(self, request: Request, named: str = "") -> str:
        """Return the contest that a request means. Raises Refused."""
        names = list(self._submissions.current.contests)
        wanted = named or request.query_params.get("contest") or (names[0] if len(names) == 1 else "")
        if not wanted:
            raise Refused(400, f"name the contest: ?contest=NAME, one of {', '.join(names)}")
        return wanted


def _require_organiser(author: Author) -> None:
    if not author.organiser:
        raise Refused(403, "this is for organisers: set organiser = true for their name in the authors' file")


def _integer(request: Request, name: str) -> int | None:
    """Return a parameter that is a number; None if it isn't there. Raises Refused."""
    given = request.query_params.get(name)
    if given is not None and not (given.isascii() and given.isdecimal() and len(given) < 10):
        raise Refused(400, f"{name}=N: a number from 0")
    return None if given is None else int(given)


def _match_of(request: Request) -> dict[str, Any]:
    """Return the opponents and sessions that a practice match is asked for. Raises Refused."""
    against = [name for name in request.query_params.get("against", "").split(",") if name]
    if len(against) > _MAX_OPPONENTS:
        raise Refused(400, f"against=NAME,…: {_MAX_OPPONENTS} opponents at most, or none for all")
    asks = {"against": list(dict.fromkeys(against)), "sessions": _integer(request, "sessions")}
    return {name: value for name, value in asks.items() if value}


def _for_browser(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _page(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="text/html")


def _mine_as_text(mine: Mapping[str, Any]) -> str:
    """Return an author's bots as text: a line for each, then what wasn't fit."""
    lines = [f"{mine['submissions_left']} submissions left today"]
    for contest in mine["contests"]:
        for bot in contest["bots"]:
            has_place = bool(bot["place"]) and str(bot["place"])[0].isdigit()
            place = f", place {bot['place']} of {bot['field_size']}" if has_place else ""
            place += f", {bot['score']:+.6g}" if bot["place"] else ""
            why = f": {bot['disqualified']}" if bot["disqualified"] else ""
            state = "disqualified" if bot["disqualified"] else bot["state"]
            lines.append(f"{contest['name']} {bot['bot']}: {state}{why}{place}, {len(bot['faults'])} faults")
    for job in mine["jobs"]:
        if job["kind"] == BOT and job["state"] in (NOT_FIT, SET_ASIDE):
            lines.append(f"{job['at']} {job['file']}: {job['state']}; {job['url']} says why")
    return "\n".join(lines)


def _answer(
    request: Request, status: int, values: object, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        return Response(json.dumps(values), status, {**(headers or {})}, "application/json")
    return PlainTextResponse(text.rstrip("\n") + "\n", status, {**(headers or {})})


async def _refused(request: Request, refused: Exception, headers: Mapping[str, str] | None = None) -> Response:
    """Return a refusal as a page, as text or as JSON. A browser without a token goes to where it signs in."""
    assert isinstance(refused, Refused)
    after = refused.retry_after
    headers = {**(headers or {}), **({"Retry-After": str(after)} if after else {})}
    if _for_browser(request):
        if refused.status == 401:
            return RedirectResponse("/submit", 303)
        return Response(face_page("problem", None, why=refused.why), refused.status, headers, "text/html")
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    values = {"error": refused.why, **({"retry_after": after} if after else {})}
    return _answer(request, refused.status, values, refused.why, headers)


async def _failed(request: Request, error: Exception) -> Response:
    why = error.strerror if isinstance(error, OSError) else error
    return await _refused(request, Refused(507, f"this machine failed: {why}"))


async def _not_there(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    why = {404: "there is nothing at this address"}.get(error.status_code, error.detail)
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "GET, HEAD")
        why = f"{request.method} isn't for this address; it takes {allowed}"
    return await _refused(request, Refused(error.status_code, why), error.headers)


async def _our_error(request: Request, error: Exception) -> Response:
    our_error(error, f"{request.method} {request.url.path}")
    return await _refused(request, Refused(500, "an error of the server's own; tell the organiser"))


_TROUBLE: dict[Any, Any] = {
    Refused: _refused,
    OSError: _failed,
    sqlite3.Error: _failed,
    HTTPException: _not_there,
    Exception: _our_error,
}


async def _body(request: Request, most: int) -> bytes:
    """Return a request's body. Raises Refused if it is too large, or too slow."""
    too_large = Refused(413, f"at most {most:,} bytes")
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most:
        raise too_large
    content = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for piece in request.stream():
                content += piece
                if len(content) > most:
                    raise too_large
    except TimeoutError:
        raise Refused(408, f"it took longer than {_BODY_SECONDS:g} s to come") from None
    except ClientDisconnect:
        raise Refused(400, "it was cut off") from None
    return bytes(content)


async def _multipart(request: Request, body: bytes, author: Author, most: int) -> _Sent:
    """Return the fields and the file of a form. Raises Refused."""

    async def stream() -> AsyncIterator[bytes]:
        yield body
        yield b""

    try:
        parser = MultiPartParser(request.headers, stream(), max_files=1, max_fields=10)  # type: ignore[arg-type]
        form = await parser.parse()
    except (MultiPartException, KeyError, ValueError):
        raise Refused(400, "expected a form with a file") from None
    file = form.get("file")
    if isinstance(file, UploadFile):
        content = await file.read()
        if len(content) > most:
            raise Refused(413, f"at most {most:,} bytes")
        return _Sent(author, b"", _texts(form.items()), (file.filename or "", content))
    return _Sent(author, b"", _texts(form.items()))


def _texts(items: Any) -> dict[str, str]:
    return {name: value for name, value in items if isinstance(value, str)}
