"""The web server of an open contest: what it answers to whom, and what no one gets out of it."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import io
import json
import re
import select
import socket
import sys
import threading
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.commands import run_cli
from tests.contest_runs import CONTEST, REPOSITORY
from tests.open_contest.support import GOOD, UNFIT, Ground
from tests.processes import wait_until
from tournament.open_contest import web
from tournament.open_contest.author_page import AuthorPage
from tournament.open_contest.authors import Author, add_author
from tournament.open_contest.submissions import Workers
from tournament.open_contest.web import CALLS, Address, Desk, Server

FORM = "application/x-www-form-urlencoded"


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def values(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.body)
        return found


class Served:
    """A server of a published page, and of submissions that are tried at once."""

    def __init__(self, ground: Ground, server: Server) -> None:
        self.ground = ground
        self.host = server.url.removeprefix("http://").rstrip("/")

    def ask(self, method: str, path: str, body: bytes | None = None, who: str = "", **headers: str) -> Answer:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if who:
            given["Authorization"] = f"Bearer {self.ground.tokens[who]}"
        connection = http.client.HTTPConnection(self.host, timeout=90)
        try:
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.headers.items()), answer.read())
        finally:
            connection.close()

    def form(self, path: str, fields: Mapping[str, str], **headers: str) -> Answer:
        """Post a form as a browser does, from this server's own page."""
        given = {"Origin": f"http://{self.host}", "Accept": "text/html", "Content_Type": FORM} | headers
        return self.ask("POST", path, urlencode(fields).encode(), **given)

    def raw(self) -> socket.socket:
        host, port = self.host.split(":")
        return socket.create_connection((host, int(port)), timeout=90)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    ground = Ground(tmp_path, monkeypatch, "max_submissions_per_day = 5\nmax_file_bytes = 1000")
    page = tmp_path / "published" / "c" / "poker"
    page.mkdir(parents=True)
    (page / "index.html").write_text("the board")
    (page / "leads_out").symlink_to(ground.authors)
    with (
        Workers(ground.submissions, ground.told.append, 1),
        Server(Address(), tmp_path / "published", ground.submissions, ground.authors_file) as server,
    ):
        yield Served(ground, server)


def outcomes(served: Served, who: str) -> list[tuple[str, str]]:
    """Return an author's files with the states of their jobs, the newest first."""
    mine: Any = served.ask("GET", "/mine", who=who).values
    return [(job["file"], job["state"]) for job in mine["jobs"]]


def test_bot_is_submitted_and_withdrawn_by_commands(served: Served) -> None:
    answer = served.ask("PUT", "/bots/one.c?wait=20", GOOD, "ann")
    assert (answer.status, answer.body) == (200, b"one.c: entered\nverdict    fit to enter\n")
    assert served.ground.files() == {"one.c"}
    job = served.ask("GET", answer.headers["location"], who="ann", Accept="application/json").values
    assert (job["bot"], job["state"]) == ("one", "entered")
    assert served.ask("GET", answer.headers["location"], who="bob").status == 404
    unfit = served.ask("PUT", "/bots/two.c?wait=20", UNFIT, "ann")
    assert unfit.status == 422 and unfit.body.endswith(b"verdict    not fit\n")
    assert outcomes(served, "ann") == [("two.c", "not fit"), ("one.c", "entered")] and outcomes(served, "bob") == []
    assert served.ask("DELETE", "/bots/one", who="bob").status == 404
    gone = served.ask("DELETE", "/bots/one?wait=20", who="ann")
    assert (gone.status, gone.body) == (200, b"one: withdrawn\n") and served.ground.files() == set()
    assert outcomes(served, "ann")[-1] == ("one.c", "withdrawn")


def signed_in(served: Served, who: str = "ann") -> str:
    """Sign a browser in, and return its cookie."""
    answer = served.form("/sign-in", {"token": served.ground.tokens[who]})
    assert (answer.status, answer.headers["location"]) == (303, "/submit")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    return cookie.split(";")[0]


def multipart(fields: Mapping[str, str], file: str, content: bytes) -> bytes:
    parts = [
        f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()
    ]
    parts += [f'--x\r\nContent-Disposition: form-data; name="file"; filename="{file}"\r\n\r\n']
    return "".join(parts).encode() + content + b"\r\n--x--\r\n"


def test_browser_signs_in_submits_withdraws_and_signs_out(served: Served) -> None:
    away = served.ask("GET", "/mine", Accept="text/html")
    assert (away.status, away.headers["location"]) == (303, "/submit")
    cookie = signed_in(served)
    page = served.ask("GET", "/submit", Cookie=cookie).body.decode()
    assert "Sign out ann" in page and "submissions left today" in page

    def post(file: str, content: bytes = GOOD, **fields: str) -> Answer:
        headers = {"Cookie": cookie, "Content_Type": "multipart/form-data; boundary=x", "Accept": "text/html"}
        return served.ask("POST", "/bots", multipart(fields, file, content), Origin=f"http://{served.host}", **headers)

    assert [post(file).status for file in ("", "../one.c", "one.sh")] == [400, 422, 422]
    assert post("one.c", bytes(9000)).status == 413
    for action, state in (("practise", "practice: played"), ("enter", "entered")):
        sent = post("one.c", action=action)
        assert sent.status == 303 and sent.headers["location"].startswith("/jobs/")

        def job(where: str = sent.headers["location"]) -> str:
            return served.ask("GET", where, Cookie=cookie, Accept="text/html").body.decode()

        assert wait_until(lambda job=job: "refresh" not in job()) and state in job()  # type: ignore[misc]
    asked = served.ask("GET", "/mine", Cookie=cookie, Accept="text/html").body.decode()
    assert "It leaves the contest" in asked and served.ground.files() == {"one.c"}
    gone = served.form("/bots/one/withdraw?contest=von_neumann_poker", {}, Cookie=cookie)
    assert gone.status == 303 and wait_until(lambda: served.ground.files() == set())
    away = served.form("/sign-out", {}, Cookie=cookie)
    assert away.status == 303 and 'token=""' in away.headers["set-cookie"]


def test_class_shows_organisers_states_and_sources(served: Served) -> None:
    tokens = served.ground.tokens
    tokens["org"] = add_author(served.ground.authors, "org", organiser=True)
    served.ask("PUT", "/bots/one.c?wait=20", GOOD, "ann")
    served.ask("PUT", "/bots/two.c?wait=20", UNFIT, "bob")
    assert served.ask("GET", "/class").status == 401
    lines: Any = served.ask("GET", "/class", who="org", Accept="application/json").values
    assert [(line["author"], line["bot"], line["state"]) for line in lines] == [
        ("ann", "one", "entered"), ("bob", "two", "not fit"), ("eve", None, "nothing submitted"),
    ]  # fmt: skip
    page = served.ask("GET", "/class", who="org", Accept="text/html").body.decode()
    assert "not fit" in page and "/class/sources.zip" in page
    with zipfile.ZipFile(io.BytesIO(served.ask("GET", "/class/sources.zip", who="org").body)) as archive:
        assert archive.namelist() == ["ann/one.c"] and archive.read("ann/one.c") == GOOD


def test_board_is_sent_compressed_and_once(served: Served) -> None:
    place = served.ground.folder / "published" / "c" / "poker"
    (place / "index.html.gz").write_bytes(gzip.compress(b"the board"))
    answer = served.ask("GET", "/c/poker/", Accept_Encoding="gzip")
    assert gzip.decompress(answer.body) == b"the board" and answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-type"].startswith("text/html") and answer.headers["vary"] == "accept-encoding"
    again = served.ask("GET", "/c/poker/", Accept_Encoding="gzip", If_None_Match=answer.headers["etag"])
    assert again.status == 304 and served.ask("GET", "/c/poker/").body == b"the board"
    page = served.ask("GET", "/c/poker/")
    (place / "index.html").write_text("another board")
    assert served.ask("GET", "/c/poker/", If_None_Match=page.headers["etag"]).body == b"another board"


Row = tuple[int, str, str, str, bytes | None, str, dict[str, str]]


def row(status: int, words: str, call: str, body: bytes | None = None, who: str = "", **headers: str) -> Row:
    """Return a request that is refused with a status and words."""
    method, path = call.split(" ", 1)
    return status, words, method, path, body, who, headers


ANNS = {"Cookie": "token={ann}"}
EVIL = {"Origin": "http://evil.example"}
REFUSED = [
    # Nothing else of the machine is shown.
    *[row(404, "", f"GET {path}") for path in ("/../authors.toml", "/%2e%2e/authors.toml", "//etc/passwd",
      "/c/poker/leads_out", "/..%2fauthors.toml", "/c/poker/%00", "/submissions.db", "/c/nothing/rules")],
    # Requests name this server.
    *[row(400, "Invalid host", "GET /c/poker/", Host=host) for host in ("evil.example", "[::2]")],
    # Each author has a token.
    row(401, "this needs a token", "GET /mine"), row(401, "this needs a token", "PUT /bots/one.c", GOOD),
    row(401, "this token isn't valid", "GET /mine", Authorization="Bearer bob.guess"),
    # Another site's page can do nothing with the cookie.
    row(403, "not from another site", "PUT /bots/one.c", GOOD, **EVIL, **ANNS),
    row(401, "the header Origin", "PUT /bots/one.c", GOOD, **ANNS),
    row(401, "the header Origin", "PUT /bots/one.c", GOOD, Authorization="Basic x", **ANNS),
    *[row(403, "not from another site", "POST /sign-in", b"token=ann.wrong", Origin=origin)
      for origin in ("http://[none]", "null")],
    # A file has a size, a name that leads nowhere, and a contest.
    row(413, "at most 1,000 bytes", "PUT /bots/one.c", bytes(1001), "ann"),
    row(413, "at most 1,000 bytes", "POST /practice/one.c", bytes(1001), "ann"),
    row(400, "either chunked or has a length", "POST /sign-in", b"0\r\n\r\n", Transfer_Encoding="chunked",
        Content_Length="5"),
    row(422, "a bot is a file ending in", "PUT /bots/one.sh", GOOD, "ann"),
    row(404, "unknown contest; expected one of", "PUT /bots/one.c?contest=nothing", GOOD, "ann"),
    row(404, "you have no such job", "GET /jobs/nothing", None, "ann"),
    *[row(404, "you have no bot called one", call, None, "ann") for call in ("DELETE /bots/one",
      "POST /bots/one/withdraw", "POST /practice/one", "POST /replay/one?opponent=x")],
    *[row(404, "the contest has no other bot of this name", f"POST /practice/one.c?against={name}", GOOD, "ann")
      for name in ("../../authors", "--results", "one")],
    row(400, "100 opponents at most", f"POST /practice/one.c?against={','.join(map(str, range(200)))}", GOOD, "ann"),
    row(400, "sessions=N", "POST /practice/one.c?sessions=-1", GOOD, "ann"),
    row(403, "for organisers", "GET /class", None, "ann"),
    row(403, "for organisers", "GET /class/sources.zip", None, "ann"),
    # Each address takes some methods.
    row(405, "GET isn't for this address; it takes PUT, DELETE", "GET /bots/one.c"),
]  # fmt: skip


def test_refused_requests_are_explained_and_change_nothing(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    folder, before = served.ground.folder, set(served.ground.folder.rglob("*"))
    wrong = []
    for status, words, method, path, body, who, headers in REFUSED:
        given = {name: value.format(**served.ground.tokens) for name, value in headers.items()}
        text = served.ask(method, path, body, who, **given)
        said = text.body.decode()
        if text.status != status or words not in said or served.ground.tokens["bob"] in said:
            wrong.append((method, path, text.status, said))
        if words and words not in ("Invalid host", "not from another site", "either chunked or has a length"):
            values = served.ask(method, path, body, who, Accept="application/json", **given)
            assert (values.status, values.values["error"]) == (status, said.strip()), (method, path)
        assert (text.headers.get("www-authenticate") == "Bearer") is (status == 401)
    assert not wrong and set(folder.rglob("*")) == before  # no file of an error of our own either
    assert outcomes(served, "bob") == []


def test_cookie_counts_from_own_pages(served: Served) -> None:
    own = signed_in(served)
    asked = served.ask("PUT", "/bots/one.c?wait=20", GOOD, Cookie=own, Origin=f"http://{served.host}")
    assert asked.status == 200
    for host in ("localhost", f"localhost:{served.host.split(':')[1]}", "[::1]:80"):
        assert served.ask("GET", "/c/poker/", Host=host).status == 200
    headers = served.ask("GET", "/submit").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"


def test_submission_over_quota_is_told_next_time(served: Served) -> None:
    assert served.ask("PUT", "/bots/one.c?wait=x", GOOD, "ann").status == 400  # The upload is taken all the same.
    for _ in range(4):
        assert served.ask("PUT", "/bots/one.c", GOOD, "ann").status in (200, 202)  # The bot may be tried by then.
    many = served.ask("PUT", "/bots/one.c", GOOD, "ann", Accept="application/json")
    assert many.status == 429 and str(many.values["retry_after"]) == many.headers["retry-after"]


def uploading(served: Served, client: socket.socket, then: str, body: bytes = b"") -> bytes:
    """Send the head of an upload and a body, and return the start of the answer."""
    head = f"PUT /bots/one.c HTTP/1.1\r\nHost: {served.host}\r\nAuthorization: Bearer {served.ground.tokens['ann']}\r\n"
    client.sendall(f"{head}{then}\r\n\r\n".encode() + body)
    return client.recv(100)


def test_body_that_is_too_large_or_slow_is_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with served.raw() as client:
        chunks = (b"100\r\n" + bytes(256) + b"\r\n") * 5
        assert b"413" in uploading(served, client, "Transfer-Encoding: chunked", chunks)
    monkeypatch.setattr(web, "_BODY_SECONDS", 0.3)
    with served.raw() as slow:
        assert b"408" in uploading(served, slow, "Content-Length: 9", b"abc")
    assert served.ground.files() == set()


def test_server_behind_proxy_accepts_public_name(served: Served) -> None:
    ground, url = served.ground, "https://contest.example.org"
    where = Address("0.0.0.0", url=f"{url}/")
    with Server(where, ground.folder / "published", ground.submissions, ground.authors_file) as server:
        proxied = Served(ground, server)
        proxied.host = f"127.0.0.1:{server.port}"
        answer = proxied.form("/sign-in", {"token": ground.tokens["ann"]}, Host="contest.example.org", Origin=url)
        assert answer.status == 303 and "Secure" in answer.headers["set-cookie"]
        assert proxied.ask("GET", "/c/poker/", Host="evil.example").status == 400


def is_hung_up_on(client: socket.socket) -> bool:
    """Return whether the server ends a connection from which nothing is read."""
    ends = select.poll()
    ends.register(client, select.POLLRDHUP)
    return bool(ends.poll(60_000))


@pytest.mark.parametrize("asks", ["half a head", "what it doesn't take"])
def test_connections_held_open_block_no_other_client(
    served: Served, monkeypatch: pytest.MonkeyPatch, asks: str
) -> None:
    """Close the connection that has asked nothing for longest."""
    monkeypatch.setattr(web, "_MAX_CONNECTIONS", 3)
    with (served.ground.folder / "published" / "large").open("wb") as large:
        large.truncate(1 << 30)  # more than lies on the way
    with contextlib.ExitStack() as those:
        held = [those.enter_context(served.raw()) for _ in range(3)]
        for client in held:
            if asks == "half a head":
                client.sendall(b"GET /c/poker/ HT")
            else:
                client.sendall(f"GET /large HTTP/1.1\r\nHost: {served.host}\r\n\r\n".encode())
                assert client.recv(9) == b"HTTP/1.1 "
        assert served.ask("GET", "/c/poker/").status == 200
        if "take" not in asks:  # Otherwise sent bytes come first.
            assert is_hung_up_on(held[0])
        for _ in range(3):
            assert served.ask("GET", "/c/poker/").status == 200


def test_watch_without_extra_says_how_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tournament.toml").write_text("[von_neumann_poker]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "tournament.open_contest.web")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = run_cli("watch", "--serve", "0")
    assert done.code == 2 and "pip install '.[serve]'" in done.err


def test_calls_of_server_are_documented(served: Served) -> None:
    ground = served.ground
    desk = Desk(ground.submissions, ground.authors_file, ground.folder, secure=False)
    for path in {route.path for route in desk.routes}:
        known = {call.method for call in CALLS if call.path == path}
        refused = served.ask("PATCH", path.format(file="x", id="x", bot="x", name="x"), who="ann")
        assert refused.status == 405 and set(refused.headers["allow"].split(", ")) == known
    words = served.ask("GET", "/llms.txt").body.decode()
    assert len(words.split()) < 700 and all(f"{call.method} {call.path}" in words for call in CALLS)


def test_values_of_answers_are_documented(served: Served) -> None:
    page = (REPOSITORY / "docs" / "reference" / "server.md").read_text()
    documented = set(re.findall(r"^\| `?(\w+)`? \|", page, re.MULTILINE))

    def asked(method: str, path: str, body: bytes | None = None) -> Any:
        answer = served.ask(method, path, body, "ann", Accept="application/json")
        return json.loads(answer.body)

    (line,) = asked("GET", "/contests")
    rules = asked("GET", line["url"])
    assert rules["state"] == "open" and rules["limits"]["submissions_per_day"] == 5
    assert [one["name"] for one in rules["decisions"]] == ["a", "b"] and "card" in rules["decisions"][0]["told"]
    assert asked("GET", rules["standings"])["error"] == "there is nothing at this address"
    place = served.ground.folder / "published" / "c" / CONTEST
    place.mkdir()
    board = {"contest": CONTEST, "made": "now", "open": True, "failed_matches": [], "leaderboard": [], "versions": {}}
    (place / "board.json").write_text(json.dumps(board))
    found: list[Any] = [line, rules, rules["limits"], rules["decisions"][0], asked("GET", rules["standings"])]
    found.append(asked("PUT", "/bots/one.c?wait=20", GOOD))
    served.ask("PUT", "/bots/two.c?wait=20", GOOD, "bob")
    job = asked("POST", "/practice/one?wait=20&against=two&sessions=7")
    assert job["state"] == "played" and job["asks"] == {"against": ["two"], "sessions": 7}
    job = asked("POST", "/replay/one?wait=20&opponent=two&session=1&game=2")
    assert job["report"] == {"shown": ["one", "two", 1, 2]} and asked("GET", job["url"])["id"] == job["id"]
    mine = asked("GET", "/mine")
    found += [mine, mine["contests"][0], mine["contests"][0]["bots"][0], *mine["jobs"]]
    assert {key for values in found for key in values} <= documented


def test_author_who_asks_much_delays_no_page(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    asking, go_on = threading.Semaphore(0), threading.Event()

    def slow(_author_page: AuthorPage, author: Author) -> dict[str, Any]:
        asking.release()
        assert go_on.wait(60)
        return {"submissions_left": 0, "contests": [], "jobs": []}

    monkeypatch.setattr(AuthorPage, "values", slow)
    with ThreadPoolExecutor(60) as many:
        answers_of = [many.submit(served.ask, "GET", "/mine", None, "ann") for _ in range(50)]
        assert asking.acquire(timeout=60)
        assert served.ask("GET", "/c/poker/").status == 200
        go_on.set()
        statuses = [one.result().status for one in answers_of]
    assert 503 in statuses and set(statuses) <= {200, 503} and served.ask("GET", "/mine", who="bob").status == 200
