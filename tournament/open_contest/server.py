"""An open contest on the web: one folder, read-only, and what authors hand in. Nothing else of the machine.

Requests must name this server, so that a foreign name that leads here (DNS rebinding) gets nothing; what changes
something must come from its own pages, or bring its token in a header, which no other site's page can. A request has a
time to come in, a size, and so has the number of those who ask at once.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from tournament.errors import BadInput
from tournament.open_contest.authors import Author, author_of, read_authors
from tournament.open_contest.pages import FORM, FORM_POLICY
from tournament.open_contest.submissions import NOT_FIT, QUEUED, Job, Refused, Submissions
from tournament.reporting.page import content_policy

_HEAD_SECONDS, _BODY_SECONDS = 10.0, 60.0
_PIECE_SECONDS, _ANSWER_SECONDS = 180.0, 3600.0  # to take some 64 KB of an answer, and all of it
_HEAD_BYTES = 16 << 10
_MOST_AT_ONCE, _MOST_OF_ADDRESS, _MOST_WAITING, _UPLOADS_OF_AN_AUTHOR = 400, 100, 100, 4
_WAIT_SECONDS = 60.0  # the longest that an answer waits for a check
_GUESSES, _GUESSES_SECONDS = 20, 60.0  # wrong tokens of an author or an address, and for how long they count
_COOKIE = "token"
_HEADERS = {
    "content-security-policy": f"{content_policy(live=True)}; frame-ancestors 'none'",
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
    certificate: Path | None = None
    key: Path | None = None

    @property
    def is_loopback(self) -> bool:
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def address_of(text: str, **more: Any) -> Address:
    """The address that a text such as "8080" or "0.0.0.0:8080" means. Raises BadInput."""
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise BadInput(f"--serve {text}: say a port, or an address and a port, as 0.0.0.0:8080")
    return Address(host.strip("[]") or "127.0.0.1", int(port), **more)


class Server:
    """A server of the files in a folder, and of submissions where there are any. As a context it serves."""

    def __init__(self, address: Address, folder: Path, submissions: Submissions | None, authors: Path | None) -> None:
        """Raises BadInput when the address can't be had."""
        routes: list[Route | Mount] = []
        if submissions and authors:
            routes += _Desk(
                submissions, authors, secure=bool(address.certificate) or "https:" in (address.url or "")
            ).routes
        routes.append(Mount("/", StaticFiles(directory=folder, html=True, follow_symlink=False)))
        self._hosts: set[str] = set()
        guarded = _Guarded(Starlette(routes=routes, exception_handlers=_WHAT_GOES_WRONG), self._hosts)
        options: dict[str, Any] = {}
        if address.certificate:
            options = {"ssl_certfile": address.certificate, "ssl_keyfile": address.key}
        config = uvicorn.Config(
            guarded,
            host=address.host,
            port=address.port,
            http=_Impatient,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=_MOST_AT_ONCE,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=2,
            h11_max_incomplete_event_size=_HEAD_BYTES,
            **options,
        )
        try:
            config.load()
            self._socket = config.bind_socket()
        except (OSError, SystemExit) as error:
            raise BadInput(f"{address.host}:{address.port} can't be had: {error}") from None
        self.port = port = self._socket.getsockname()[1]
        scheme = "https" if address.certificate else "http"
        self.url = address.url or f"{scheme}://{address.host}:{port}/"
        names = {"127.0.0.1", "localhost", "[::1]"} if address.is_loopback else {address.host}
        self._hosts |= {f"{name}:{port}" for name in names} | {urlsplit(self.url).netloc}
        if not address.url and address.host in ("0.0.0.0", "::"):  # by whichever name the classroom has for it
            self._hosts.add("*")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)

    def __enter__(self) -> Server:
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(5)
        self._socket.close()


class _Impatient(H11Protocol):
    """Hangs up on who doesn't send a whole head in time, since bytes that come now and then would keep it open for
    ever; on who takes nothing of an answer for long, or never all of it, however thin the line; and on one address that
    would have all connections."""

    _of_address: ClassVar[Counter[str]] = Counter()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._of_address[self._address] += 1
        self._answering: object = None
        self._began = self._moved = 0.0
        self._late = self.loop.call_later(_HEAD_SECONDS, self._hang_up)
        if self._of_address[self._address] > _MOST_OF_ADDRESS and not _is_loopback(self._address):  # no proxy's
            transport.abort()

    def _hang_up(self) -> None:
        """When nothing is being answered, or for too long; else look again."""
        now = self.loop.time()
        if self.cycle is not self._answering:
            self._answering, self._began, self._moved = self.cycle, now, now
        answered = self.cycle is None or (self.cycle.response_complete and not self.transport.get_write_buffer_size())
        if answered or now - self._moved > _PIECE_SECONDS or now - self._began > _ANSWER_SECONDS:
            self.transport.abort()
        else:
            self._late = self.loop.call_later(_HEAD_SECONDS, self._hang_up)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._moved = self.loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        self._late.cancel()
        self._of_address[self._address] -= 1
        if not self._of_address[self._address]:
            del self._of_address[self._address]
        super().connection_lost(exc)


class _Guarded:
    """What must hold of any request, whatever it is for."""

    def __init__(self, inner: ASGIApp, hosts: set[str]) -> None:
        self._inner, self._hosts = inner, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        hosts, origins = request.headers.getlist("host"), request.headers.getlist("origin")
        response: ASGIApp | None = None
        if len(hosts) != 1 or not ("*" in self._hosts or hosts[0] in self._hosts):
            response = PlainTextResponse("not here\n", 403)
        elif request.method not in ("GET", "HEAD") and any(urlsplit(origin).netloc != hosts[0] for origin in origins):
            response = PlainTextResponse("not from another site\n", 403)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                added = {**_HEADERS, "cache-control": "no-cache"}
                message["headers"] = [
                    *message["headers"],
                    *((k.encode(), v.encode()) for k, v in added.items() if k.encode() not in own),
                ]
            await send(message)

        await (response or self._inner)(scope, receive, with_headers)


class _Guesses:
    """Wrong tokens of the last minute, by who sent them and whose name they had."""

    def __init__(self) -> None:
        self._wrong: dict[str, list[float]] = {}
        self._right: set[tuple[str, str]] = set()

    def check(self, address: str, name: str) -> None:
        """Raise Refused after too many. An author who was right from this address isn't held up by others' guesses."""
        now = time.monotonic()
        if len(self._wrong) > 10_000:
            self._wrong.clear()
        by_address = [] if _is_loopback(address) else [f"from {address}"]  # a proxy's, so everybody's
        for key in [*by_address, *([f"of {name}"] if (address, name) not in self._right else [])]:
            recent = [at for at in self._wrong.get(key, []) if now - at < _GUESSES_SECONDS]
            if len(recent) >= _GUESSES:
                raise Refused(429, "too many wrong tokens", int(_GUESSES_SECONDS - (now - recent[0])) + 1)

    def note(self, address: str, name: str, author: Author | None) -> None:
        if author:
            self._right.add((address, name))
            return
        for key in (f"from {address}", f"of {name}"):
            self._wrong.setdefault(key, []).append(time.monotonic())
            del self._wrong[key][:-_GUESSES]


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class _Desk:
    """What authors may ask."""

    def __init__(self, submissions: Submissions, authors: Path, *, secure: bool) -> None:
        self._submissions, self._authors, self._secure = submissions, authors, secure
        self._guesses = _Guesses()
        self._uploading: Counter[str] = Counter()
        self._waiting = 0
        self.routes: list[Route | Mount] = [
            Route("/submit", self._form),
            Route("/submit/in", self._sign_in, methods=["POST"]),
            Route("/bots/{file}", self._put, methods=["PUT"]),
            Route("/gauntlets/{file}", self._put, methods=["POST"]),
            Route("/bots/{file}", self._withdraw, methods=["DELETE"]),
            Route("/jobs", self._jobs),
            Route("/jobs/{id}", self._job),
        ]

    async def _form(self, _request: Request) -> Response:
        return Response(FORM, media_type="text/html", headers={"Content-Security-Policy": FORM_POLICY})

    async def _author(self, request: Request, token: str = "") -> Author:
        """Who asks. Raises Refused."""
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if not token:
            token = given.strip() if scheme.lower() == "bearer" else request.cookies.get(_COOKIE, "")
            # A page of another site can send the cookie nowhere, but older browsers than SameSite send it everywhere.
            if not given and request.method != "GET" and not request.headers.get("origin"):
                token = ""
        address, name = request.client.host if request.client else "", token.partition(".")[0][:32]
        self._guesses.check(address, name)
        author = author_of(token, await run_in_threadpool(read_authors, self._authors)) if token else None
        if token:
            self._guesses.note(address, name, author)
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
        renames, is_gauntlet = request.query_params.get("renames", ""), request.method == "POST"
        await run_in_threadpool(self._submissions.admit, author, contest, file, renames)
        if self._uploading[author.name] >= _UPLOADS_OF_AN_AUTHOR:
            raise Refused(429, f"{_UPLOADS_OF_AN_AUTHOR} files of yours are on their way", 1)
        self._uploading[author.name] += 1
        try:
            content = await _body(request, self._submissions.opening.bytes_a_file)
        finally:
            self._uploading[author.name] -= 1
        take = partial(self._submissions.take, is_gauntlet=is_gauntlet)
        job = await run_in_threadpool(take, author, contest, file, content, renames)
        return await self._tell(request, job)

    async def _withdraw(self, request: Request) -> Response:
        author, bot = await self._author(request), request.path_params["file"]
        await run_in_threadpool(self._submissions.withdraw, author, self._contest(request), bot)
        return _answer(request, 200, {"withdrawn": bot}, f"{bot} is withdrawn")

    async def _jobs(self, request: Request) -> Response:
        found = self._submissions.jobs_of(await self._author(request))[:50]
        lines = [f"{job.at} {job.file}: {job.state}" for job in found]
        values = [asdict(replace(job, said="")) for job in found]
        return _answer(request, 200, values, "\n".join(lines))

    async def _job(self, request: Request) -> Response:
        author = await self._author(request)
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
        status = 202 if job.state == QUEUED else 422 if job.state == NOT_FIT else 200
        where = f"/jobs/{job.id}"
        text = f"{job.file}: {job.state}\n{job.said}" if job.said else f"{job.file}: {job.state}; ask {where}"
        return _answer(request, status, {**asdict(job), "url": where}, text, {"Location": where})

    def _contest(self, request: Request) -> str:
        names = self._submissions.contests
        wanted = request.query_params.get("contest") or (names[0] if len(names) == 1 else "")
        if not wanted:
            raise Refused(400, f"say for which contest: ?contest=NAME, one of {', '.join(names)}")
        return wanted


def _answer(
    request: Request, status: int, values: object, text: str, headers: Mapping[str, str] | None = None
) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        return Response(json.dumps(values), status, {**(headers or {})}, "application/json")
    return PlainTextResponse(text.rstrip("\n") + "\n", status, {**(headers or {})})


async def _refused(request: Request, refused: Exception) -> Response:
    """A refusal, as text or as JSON."""
    assert isinstance(refused, Refused)
    after = refused.retry_after
    headers = {"Retry-After": str(after)} if after else {}
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    values = {"error": refused.why, **({"retry_after": after} if after else {})}
    return _answer(request, refused.status, values, refused.why, headers)


async def _failed(request: Request, error: Exception) -> Response:
    return await _refused(request, Refused(507, f"this machine failed: {getattr(error, 'strerror', '')}"))


_WHAT_GOES_WRONG = {Refused: _refused, OSError: _failed}


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
