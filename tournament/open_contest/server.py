"""An open contest on the web: one folder, read-only, and what authors submit. Nothing else of the machine.

Requests must name this server, so that a foreign name that leads here (DNS rebinding) gets nothing; what changes
something must come from its own pages, or bring its token in a header, which no other site's page can. A request has a
time to come in, a size, and so has the number of those who ask at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from tournament.containment import our_error
from tournament.entrants.folder import KINDS
from tournament.errors import InputError
from tournament.open_contest.answers import calls_in_words, openapi
from tournament.open_contest.authors import Author, AuthorsFile, author_of
from tournament.open_contest.jobs import BOT, CHECK, NOT_FIT, PRACTICE, QUEUED, SET_ASIDE, Job
from tournament.open_contest.mine import Mine, address_of_job, job_values, words_of_job
from tournament.open_contest.publishing import faces_of
from tournament.open_contest.refusals import Refused
from tournament.open_contest.rules import contests_of, rules_of, standings_of
from tournament.open_contest.submissions import Submissions
from tournament.reporting.face import job_page, mine_page, served_policy, submit_page

_MOST_RESTARTS = 3
_BODY_SECONDS = 60.0
_HEAD_BYTES = 16 << 10
_MOST_CONNECTIONS, _BACKLOG = 1_000, 64
_LOOKS_AT_ONCE, _LOOKS_OF_AN_AUTHOR = 8, 2  # of the threads that answer
_MOST_OPPONENTS = 100  # of a practice match, by name
_MOST_WAITING, _UPLOADS_OF_AN_AUTHOR = 100, 4
_WAIT_SECONDS = 60.0  # the longest that an answer waits for a check
_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
_COOKIE = "token"
_HEADERS = {
    "content-security-policy": served_policy(),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True)
class Address:
    """Where a server listens, and by which URL people reach it."""

    host: str = "127.0.0.1"
    port: int = 0
    url: str | None = None

    @property
    def shown(self) -> str:
        """The host as a URL has it."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def is_loopback(self) -> bool:
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def address_of(text: str, url: str | None = None) -> Address:
    """The address that a text such as "8080" or "0.0.0.0:8080" means, and its `url`. Raises InputError."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise InputError(f"--serve {text}: expected a port, or an address and a port, as 0.0.0.0:8080")
    if url is not None and (urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname):
        raise InputError(f"--public-url {url}: expected the address with its scheme, as https://contest.example.org")
    return Address(host.strip("[]") or "127.0.0.1", int(port), url)


class Server:
    """A server of the files in a folder, and of submissions where there are any. As a context it serves; where it ends
    all the same, that is told and it is started again, a few times. `ended`: why it isn't any more."""

    def __init__(
        self,
        address: Address,
        folder: Path,
        submissions: Submissions | None,
        authors: AuthorsFile | None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Raises InputError when it can't listen at the address."""
        is_https = urlsplit(address.url or "").scheme == "https"
        routes: list[Route | Mount] = []
        if submissions and authors:
            routes += _Desk(submissions, authors, Mine(submissions, folder), folder, secure=is_https).routes
        routes.append(Mount("/", StaticFiles(directory=folder, html=True, follow_symlink=False)))
        try:
            self._socket = socket.create_server(
                (address.host, address.port), family=socket.AF_INET6 if ":" in address.host else socket.AF_INET
            )
        except OSError as error:
            number = error.errno or 0  # below 0 where a name leads nowhere
            why = os.strerror(number) if number > 0 else error.strerror or str(error)
            raise InputError(f"can't listen on {address.shown}:{address.port}: {why}") from None
        self.port = self._socket.getsockname()[1]
        self.url = address.url or f"http://{address.shown}:{self.port}/"
        self.ended, self._tell, self._stopped = "", tell, False
        self._config = uvicorn.Config(
            Starlette(routes=routes, exception_handlers=_WHAT_GOES_WRONG, middleware=_guards(address)),
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
        self._server = uvicorn.Server(self._config)
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
        """Until it is stopped, or has ended too often."""
        for restarts in range(_MOST_RESTARTS + 1):
            why = "the server ended"
            try:
                self._server.run([self._socket.dup()])  # it closes what it is given
            except BaseException as error:
                why = our_error(error, why)
            if self._stopped:
                return
            if restarts < _MOST_RESTARTS:
                self._server = uvicorn.Server(self._config)
                self._tell(f"{why}; it is started again")
        self.ended = f"{why}; it was started again {_MOST_RESTARTS} times: watch again to continue"


class _Bounded(H11Protocol):
    """A connection of a bounded number: one too many ends the one that has asked nothing for longest, or, where all
    ask, that is being answered for longest. So who is slow, or asks nothing, keeps no one out."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._since = self.loop.time()
        if len(self.connections) > _MOST_CONNECTIONS:
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
    """What holds of any answer; and what changes something comes from this server's own pages, if from any."""

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
        if request.method not in ("GET", "HEAD") and any(urlsplit(origin).netloc != host for origin in origins):
            app = PlainTextResponse("not from another site\n", 403)
        await app(scope, receive, with_headers)


def _guards(address: Address) -> list[Middleware]:
    """Requests must name this server, so that a foreign name that leads here (DNS rebinding) gets nothing."""
    names = {"127.0.0.1", "localhost", "[::1]"} if address.is_loopback else {address.shown}
    if address.url:
        names.add(_host_of(address.url))
    elif address.host in ("0.0.0.0", "::"):  # by whichever name the classroom has for it
        names.add("*")
    return [Middleware(_Guarded), Middleware(TrustedHostMiddleware, allowed_hosts=sorted(names), www_redirect=False)]


def _host_of(url: str) -> str:
    """The host that a URL names, in brackets if it is an IPv6 address."""
    host = urlsplit(url).hostname or ""
    return f"[{host}]" if ":" in host else host


_Handler = Callable[[Request], Awaitable[Response]]


def _route(path: str, **handlers: _Handler) -> Route:
    """An address with what it does for each method; it says which these are where another is asked for."""

    async def answer(request: Request) -> Response:
        handler = handlers.get("GET" if request.method == "HEAD" else request.method)
        if handler is None:
            raise HTTPException(405, headers={"Allow": ", ".join(handlers)})
        return await handler(request)

    return Route(path, answer, methods=[*_METHODS])


class _Desk:
    """What authors may ask."""

    def __init__(
        self, submissions: Submissions, authors: AuthorsFile, mine: Mine, published: Path, *, secure: bool
    ) -> None:
        self._submissions, self._authors, self._mine, self._secure = submissions, authors, mine, secure
        self._published = published
        self._uploading: Counter[str] = Counter()
        self._looking: Counter[str] = Counter()
        self._waiting = 0
        self.routes: list[Route | Mount] = [
            _route("/submit", GET=self._form),
            _route("/submit/in", POST=self._sign_in),
            _route("/bots/{file}", PUT=self._put, DELETE=self._withdraw),
            _route("/practice/{file}", POST=self._put),
            _route("/check/{file}", POST=self._put),
            _route("/replay/{bot}", POST=self._replay),
            _route("/losses/{bot}", GET=self._losses),
            _route("/contests", GET=self._contests),
            _route("/contests/{name}", GET=self._rules),
            _route("/contests/{name}/standings", GET=self._standings),
            _route("/openapi.json", GET=self._openapi),
            _route("/llms.txt", GET=self._in_words),
            _route("/mine", GET=self._my_bots),
            _route("/jobs", GET=self._jobs),
            _route("/jobs/{id}", GET=self._job),
        ]

    async def _form(self, _request: Request) -> Response:
        current = self._submissions.current
        faces = await run_in_threadpool(faces_of, current.contests, current.over)
        return _page(submit_page(faces, tuple(KINDS)))

    async def _my_bots(self, request: Request) -> Response:
        is_page = _for_browser(request)
        try:
            author = await self._author(request)
        except Refused:
            if is_page:
                return RedirectResponse("/submit", 303)
            raise
        async with self._looks(author):
            values = await run_in_threadpool(self._mine.values, author)
        return _page(mine_page(values, words_of_job)) if is_page else _answer(request, 200, values, _told(values))

    @contextlib.asynccontextmanager
    async def _looks(self, author: Author) -> AsyncIterator[None]:
        """While something is worked out of the records for an author: this many at a time that the pages of others are
        not kept waiting. Raises Refused."""
        if self._looking[author.name] >= _LOOKS_OF_AN_AUTHOR or self._looking.total() >= _LOOKS_AT_ONCE:
            raise Refused(503, "this is being worked out for others, or for you; ask again", 2)
        self._looking[author.name] += 1
        try:
            yield
        finally:
            self._looking[author.name] -= 1

    async def _author(self, request: Request, token: str = "") -> Author:
        """Who asks. Raises Refused. Tokens are too long to be guessed, so wrong ones aren't counted."""
        if not token:
            scheme, _, given = request.headers.get("authorization", "").partition(" ")
            if scheme.lower() == "bearer":
                token = given.strip()
            # A page of another site can send the cookie nowhere, but older browsers than SameSite send it everywhere.
            elif request.method in ("GET", "HEAD") or request.headers.get("origin"):
                token = request.cookies.get(_COOKIE, "")
            elif _COOKIE in request.cookies:
                raise Refused(
                    401,
                    "a browser's cookie counts with the header Origin alone; send the token instead: "
                    "Authorization: Bearer TOKEN",
                )
        author = author_of(token, await run_in_threadpool(self._authors)) if token else None
        if author is None:
            raise Refused(401, "this needs a token: Authorization: Bearer TOKEN, as the organiser gave it")
        return author

    async def _sign_in(self, request: Request) -> Response:
        token = (await _body(request, 1_000)).decode("ascii", "replace").strip()
        author = await self._author(request, token)
        answer = JSONResponse({"author": author.name})
        answer.set_cookie(_COOKIE, token, httponly=True, samesite="strict", secure=self._secure, max_age=30 * 86_400)
        return answer

    async def _put(self, request: Request) -> Response:
        author, contest, file = await self._author(request), self._contest(request), request.path_params["file"]
        kind = BOT if request.method == "PUT" else CHECK if request.url.path.startswith("/check/") else PRACTICE
        asks = _match_of(request) if kind == PRACTICE else {}
        if kind == PRACTICE and "." not in file:
            job = await run_in_threadpool(self._submissions.practise, author, contest, file, asks)
            return await self._tell(request, job)
        await run_in_threadpool(self._submissions.admit, author, contest, file)
        if self._uploading[author.name] >= _UPLOADS_OF_AN_AUTHOR:
            raise Refused(429, f"{_UPLOADS_OF_AN_AUTHOR} files of yours are on their way", 1)
        self._uploading[author.name] += 1
        try:
            content = await _body(request, self._submissions.opening.max_file_bytes)
        finally:
            self._uploading[author.name] -= 1
        job = await run_in_threadpool(self._submissions.take, author, contest, file, content, kind, asks)
        return await self._tell(request, job)

    async def _replay(self, request: Request) -> Response:
        author, bot = await self._author(request), request.path_params["bot"]
        asks: dict[str, Any] = {"opponent": request.query_params.get("opponent", "")}
        asks |= {"session": _whole(request, "session") or 0, "game": _whole(request, "game")}
        job = await run_in_threadpool(self._submissions.show, author, self._contest(request), bot, asks)
        return await self._tell(request, job)

    async def _losses(self, request: Request) -> Response:
        author, bot = await self._author(request), request.path_params["bot"]
        opponent = request.query_params.get("opponent")
        async with self._looks(author):
            values = await run_in_threadpool(self._mine.losses, author, self._contest(request), bot, opponent)
        return _answer(request, 200, values, json.dumps(values, indent=2))

    async def _contests(self, request: Request) -> Response:
        current = self._submissions.current
        values = await run_in_threadpool(contests_of, current)
        return _answer(
            request, 200, values, "\n".join(f"{one['name']}: {one['title']}, {one['state']}" for one in values)
        )

    async def _rules(self, request: Request) -> Response:
        values = await run_in_threadpool(rules_of, self._submissions.current, request.path_params["name"])
        return _answer(request, 200, values, json.dumps(values, indent=2))

    async def _standings(self, request: Request) -> Response:
        values = await run_in_threadpool(
            standings_of, self._submissions.current, request.path_params["name"], self._published
        )
        lines = [f"{line['rank'] or '-'} {line['name']} {line['score']}" for line in values["leaderboard"]]
        return _answer(request, 200, values, "\n".join(lines))

    async def _openapi(self, _request: Request) -> Response:
        return JSONResponse(openapi())

    async def _in_words(self, _request: Request) -> Response:
        return PlainTextResponse(calls_in_words())

    async def _withdraw(self, request: Request) -> Response:
        author, bot = await self._author(request), request.path_params["file"]
        job = await run_in_threadpool(self._submissions.withdraw, author, self._contest(request), bot)
        return await self._tell(request, job)

    async def _jobs(self, request: Request) -> Response:
        found = self._submissions.jobs_of(await self._author(request))[:50]
        lines = [f"{job.at} {job.file}: {job.state}" for job in found]
        values = [job_values(self._submissions, replace(job, said="")) for job in found]
        return _answer(request, 200, values, "\n".join(lines))

    async def _job(self, request: Request) -> Response:
        try:
            author = await self._author(request)
        except Refused:
            if _for_browser(request):
                return RedirectResponse("/submit", 303)
            raise
        job = self._submissions.job(author, request.path_params["id"])
        if job is None:
            raise Refused(404, "you have no such job")
        return await self._tell(request, job)

    async def _tell(self, request: Request, job: Job) -> Response:
        """The job, once it was tried where the request has `wait` seconds."""
        try:
            seconds = min(float(request.query_params.get("wait", 0)), _WAIT_SECONDS)
        except ValueError:
            raise Refused(400, "wait=SECONDS") from None
        if seconds > 0 and job.state == QUEUED and self._waiting < _MOST_WAITING:
            self._waiting += 1
            try:
                end = time.monotonic() + seconds
                while job.state == QUEUED and time.monotonic() < end:
                    await asyncio.sleep(0.1)
                    job = self._submissions.current_job(job)
            finally:
                self._waiting -= 1
        status = 202 if job.state == QUEUED else 422 if job.state in (NOT_FIT, SET_ASIDE) else 200
        where = address_of_job(job)
        values = job_values(self._submissions, job)
        if _for_browser(request):
            return _page(job_page(values, words_of_job))
        more = f"; ask {where}" if job.state == QUEUED else f"\n{words_of_job(values)}"
        text = f"{job.file}: {job.state}{more}"
        return _answer(request, status, values, text, {"Location": where})

    def _contest(self, request: Request) -> str:
        names = self._submissions.contests
        wanted = request.query_params.get("contest") or (names[0] if len(names) == 1 else "")
        if not wanted:
            raise Refused(400, f"say for which contest: ?contest=NAME, one of {', '.join(names)}")
        return wanted


def _whole(request: Request, name: str) -> int | None:
    """A parameter that is a number, None where it is not there. Raises Refused."""
    given = request.query_params.get(name)
    if given is not None and not (given.isascii() and given.isdecimal() and len(given) < 10):
        raise Refused(400, f"{name}=N: a number from 0 on")
    return None if given is None else int(given)


def _match_of(request: Request) -> dict[str, Any]:
    """Against whom a practice match is asked for, and of how many sessions. Raises Refused."""
    against = [name for name in request.query_params.get("against", "").split(",") if name]
    if len(against) > _MOST_OPPONENTS:
        raise Refused(400, f"against=NAME,…: {_MOST_OPPONENTS} opponents at most, or none for all")
    asks = {"against": list(dict.fromkeys(against)), "sessions": _whole(request, "sessions")}
    return {name: value for name, value in asks.items() if value}


def _for_browser(request: Request) -> bool:
    return request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")


def _page(text: str) -> Response:
    return Response(text, media_type="text/html")


def _told(mine: Mapping[str, Any]) -> str:
    """An author's bots as text: a line for each, and why it is disqualified; then what was not fit."""
    lines = [f"{mine['submissions_left']} submissions left today"]
    for contest in mine["contests"]:
        for bot in contest["bots"]:
            place = f", place {bot['place']} of {bot['field_size']}" if _has_place(bot) else ""
            place += f", {bot['score']:+.6g}" if bot["place"] else ""
            why = f": {bot['disqualified']}" if bot["disqualified"] else ""
            state = "disqualified" if bot["disqualified"] else bot["state"]
            lines.append(f"{contest['name']} {bot['bot']}: {state}{why}{place}, {len(bot['faults'])} faults")
    for job in mine["jobs"]:
        if job["kind"] == BOT and job["state"] in (NOT_FIT, SET_ASIDE):
            lines.append(f"{job['at']} {job['file']}: {job['state']}; {job['url']} says why")
    return "\n".join(lines)


def _has_place(bot: Mapping[str, Any]) -> bool:
    """Whether its place is known: not after a single match of each pair."""
    return bool(bot["place"]) and str(bot["place"])[0].isdigit()


def _answer(
    request: Request, status: int, values: object, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        return Response(json.dumps(values), status, {**(headers or {})}, "application/json")
    return PlainTextResponse(text.rstrip("\n") + "\n", status, {**(headers or {})})


async def _refused(request: Request, refused: Exception, headers: Mapping[str, str] | None = None) -> Response:
    """A refusal, as text or as JSON."""
    assert isinstance(refused, Refused)
    after = refused.retry_after
    headers = {**(headers or {}), **({"Retry-After": str(after)} if after else {})}
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    values = {"error": refused.why, **({"retry_after": after} if after else {})}
    return _answer(request, refused.status, values, refused.why, headers)


async def _failed(request: Request, error: Exception) -> Response:
    return await _refused(request, Refused(507, f"this machine failed: {getattr(error, 'strerror', '')}"))


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


_WHAT_GOES_WRONG: dict[Any, Any] = {
    Refused: _refused,
    OSError: _failed,
    HTTPException: _not_there,
    Exception: _our_error,
}


async def _body(request: Request, most: int) -> bytes:
    """A request's body. Raises Refused where it is too large, or too slow."""
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
