"""The server of an open contest: what it answers to whom, and what no one gets out of it."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import select
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from tests.cli.in_process import run_cli
from tests.contest_runs import make_contest
from tests.open_contest.support import GOOD, UNFIT, Ground
from tests.processes import wait_until
from tournament.open_contest import server as server_module
from tournament.open_contest.jobs import PRACTICE, WITHDRAWAL
from tournament.open_contest.mine import words_of_job
from tournament.open_contest.server import Address, Server
from tournament.reporting.face import job_page
from tournament.reporting.page import source_hash


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

    def raw(self) -> socket.socket:
        host, port = self.host.split(":")
        return socket.create_connection((host, int(port)), timeout=90)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    ground = Ground(tmp_path, monkeypatch, "max_submissions_per_day = 5\nmax_file_bytes = 1000")
    page = tmp_path / "published" / "poker"
    page.mkdir(parents=True)
    (page / "index.html").write_text("the board")
    (page / "leads_out").symlink_to(ground.authors)
    stopped = threading.Event()

    def try_all() -> None:
        while not stopped.is_set():
            ground.submissions.try_next(0.1)
            for kind in (PRACTICE, WITHDRAWAL):
                ground.submissions.try_next(0, kind=kind)

    thread = threading.Thread(target=try_all)
    thread.start()
    try:
        with Server(Address(), tmp_path / "published", ground.submissions, ground.authors_file) as server:
            yield Served(ground, server)
    finally:
        stopped.set()
        thread.join()


def test_the_page_is_read_again_only_when_it_changed(served: Served) -> None:
    page = served.ask("GET", "/poker/")
    assert (page.status, page.body) == (200, b"the board")
    assert served.ask("GET", "/poker/", If_None_Match=page.headers["etag"]).status == 304
    (served.ground.folder / "published" / "poker" / "index.html").write_text("another board")
    assert served.ask("GET", "/poker/", If_None_Match=page.headers["etag"]).body == b"another board"


@pytest.mark.parametrize(
    "path",
    ["/../authors.toml", "/%2e%2e/authors.toml", "/poker/../../authors.toml", "//etc/passwd", "/poker/leads_out",
     "/..%2fauthors.toml", "/poker/%00", "/submissions/state.json", "/authors.toml"],
)  # fmt: skip
def test_nothing_else_of_the_machine_is_shown(served: Served, path: str) -> None:
    answer = served.ask("GET", path)
    assert answer.status in (400, 404) and b"token" not in answer.body


def test_pages_are_for_who_names_this_server(served: Served) -> None:
    for other in ("evil.example", "evil.example:80", "[::2]", "evil.example:80:80"):
        assert served.ask("GET", "/poker/", Host=other).status == 400
    for own in ("localhost", f"localhost:{served.host.split(':')[1]}", "[::1]:80"):
        assert served.ask("GET", "/poker/", Host=own).status == 200
    headers = served.ask("GET", "/submit").headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff" and headers["x-frame-options"] == "DENY"


def test_a_bot_is_handed_in_by_one_command(served: Served) -> None:
    answer = served.ask("PUT", "/bots/one.c?wait=20", GOOD, "ann")
    assert (answer.status, answer.body) == (200, b"one.c: entered\nverdict    fit to enter\n")
    assert served.ground.files() == {"one.c"}
    job = served.ask("GET", answer.headers["location"], who="ann", Accept="application/json").values
    assert (job["bot"], job["state"]) == ("one", "entered")
    unfit = served.ask("PUT", "/bots/two.c?wait=20", UNFIT, "ann")
    assert unfit.status == 422 and unfit.body.endswith(b"verdict    not fit\n")
    assert served.ask("GET", answer.headers["location"], who="bob").status == 404
    assert b"one.c: entered" in served.ask("GET", "/jobs", who="ann").body
    assert served.ask("GET", "/jobs", who="bob").body == b"\n"
    assert served.ask("DELETE", "/bots/one", who="bob").status == 404
    gone = served.ask("DELETE", "/bots/one?wait=20", who="ann")
    assert (gone.status, gone.body) == (200, b"one: withdrawn\n") and served.ground.files() == set()
    assert served.ask("DELETE", "/bots/one", who="ann").status == 404
    assert b"one.c: withdrawn" in served.ask("GET", "/jobs", who="ann").body


def test_a_practice_match_is_asked_for(served: Served) -> None:
    assert served.ask("POST", "/practice/one.c", GOOD).status == 401
    answer = served.ask("POST", "/practice/one.c?wait=20", GOOD, "ann", Accept="application/json")
    assert (answer.status, answer.values["state"]) == (200, "played") and served.ground.files() == set()
    assert served.ask("GET", answer.headers["location"], who="bob").status == 404
    assert served.ask("GET", "/jobs", who="ann").body.endswith(b"one.c: played\n")
    assert served.ask("POST", "/practice/one.c", bytes(1001), "ann").status == 413
    assert served.ask("POST", "/practice/one", who="ann").status == 404
    assert served.ask("PUT", "/bots/one.c?wait=20", GOOD, "ann").status == 200
    assert served.ask("POST", "/practice/one?wait=20", who="ann").status == 200


def test_an_authors_page_has_each_bot_and_what_became_of_it(served: Served) -> None:
    """As a page for a browser, as text, and as JSON; to this author alone."""
    served.ask("PUT", "/bots/one.c?wait=20", GOOD, "ann")
    served.ask("PUT", "/bots/two.c?wait=20", UNFIT, "ann")
    assert served.ask("GET", "/mine").status == 401
    away = served.ask("GET", "/mine", Accept="text/html")
    assert (away.status, away.headers["location"]) == (303, "/submit")
    values: Any = served.ask("GET", "/mine", who="ann", Accept="application/json").values
    assert (values["author"], values["submissions_left"]) == ("ann", 3)
    assert [(bot["bot"], bot["state"]) for bot in values["contests"][0]["bots"]] == [("one", "entered")]
    assert [(job["file"], job["state"]) for job in values["jobs"]] == [("two.c", "not fit"), ("one.c", "entered")]
    told = served.ask("GET", "/mine", who="ann").body.decode()
    assert "von_neumann_poker one: entered" in told and "two.c: not fit; /jobs/" in told
    page = served.ask("GET", "/mine", who="ann", Accept="text/html").body.decode()
    assert "Bots of ann" in page and "verdict    not fit" in page
    assert b"two.c: not fit; /jobs/" in served.ask("GET", "/mine", who="ann").body
    others: Any = served.ask("GET", "/mine", who="bob", Accept="application/json").values
    assert others["jobs"] == [] == others["contests"][0]["bots"]


def test_a_job_is_a_page_for_browsers_alone(served: Served) -> None:
    where = served.ask("PUT", "/bots/two.c?wait=20", UNFIT, "ann").headers["location"]
    page = served.ask("GET", where, who="ann", Accept="text/html")
    assert page.status == 200 and b"<pre>verdict    not fit</pre>" in page.body and b"refresh" not in page.body
    away = served.ask("GET", where, Accept="text/html")
    assert (away.status, away.headers["location"]) == (303, "/submit")
    assert served.ask("GET", where).status == 401
    assert served.ask("GET", where, who="bob", Accept="text/html").status == 404
    text = served.ask("GET", where, who="ann")
    assert text.status == 422 and text.body.startswith(b"two.c: not fit")
    values: Any = served.ask("GET", where, who="ann", Accept="application/json").values
    waits = job_page(values | {"state": "queued", "said": "", "place_in_queue": 3}, words_of_job)
    assert 'http-equiv="refresh"' in waits and "queued, number 3 in the queue" in waits


def test_the_pages_use_one_style_and_what_the_policy_allows(served: Served) -> None:
    page = served.ask("GET", "/submit")
    policy = page.headers["content-security-policy"]
    for kind in ("style", "script"):
        (text,) = re.findall(f"<{kind}>(.*?)</{kind}>", page.body.decode(), re.DOTALL)
        assert source_hash(text) in policy
    assert "submissions left today" in page.body.decode() and "One-card von Neumann poker" in page.body.decode()


def test_what_is_not_taken_is_told_as_text_and_as_json(served: Served) -> None:
    asked: list[tuple[int, tuple[str, bytes, str]]] = [
        (401, ("/bots/one.c", GOOD, "")),
        (413, ("/bots/one.c", bytes(1001), "ann")),
        (422, ("/bots/one.sh", GOOD, "ann")),
        (404, ("/bots/one.c?contest=nothing", GOOD, "ann")),
    ]
    for status, (path, body, who) in asked:
        text = served.ask("PUT", path, body, who)
        values = served.ask("PUT", path, body, who, Accept="application/json")
        assert (text.status, values.status) == (status, status), path
        assert text.body.decode().strip() == values.values["error"]
    assert served.ask("PUT", "/bots/one.c", GOOD).headers["www-authenticate"] == "Bearer"
    for _ in range(5):
        assert served.ask("PUT", "/bots/one.c", GOOD, "ann").status == 202
    many = served.ask("PUT", "/bots/one.c", GOOD, "ann", Accept="application/json")
    assert many.status == 429 and str(many.values["retry_after"]) == many.headers["retry-after"]


def test_a_body_without_a_length_may_not_be_larger_either(served: Served) -> None:
    with served.raw() as client:
        token = served.ground.tokens["ann"]
        head = f"PUT /bots/one.c HTTP/1.1\r\nHost: {served.host}\r\nAuthorization: Bearer {token}\r\n"
        client.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(5):
            client.sendall(b"100\r\n" + bytes(256) + b"\r\n")
        assert b"413" in client.recv(100)
    assert served.ground.files() == set()


def test_another_sites_page_can_do_nothing_with_the_cookie(served: Served) -> None:
    token = served.ground.tokens["ann"]
    answer = served.ask("POST", "/submit/in", token.encode(), Origin=f"http://{served.host}")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    own = cookie.split(";")[0]
    assert served.ask("PUT", "/bots/one.c", GOOD, Cookie=own, Origin="http://evil.example").status == 403
    assert served.ask("PUT", "/bots/one.c", GOOD, Cookie=own).status == 401
    assert served.ask("PUT", "/bots/one.c", GOOD, Cookie=own, Authorization="Basic x").status == 401
    alone = served.ask("PUT", "/bots/one.c", GOOD, Cookie=own)
    assert alone.status == 401 and b"the header Origin" in alone.body
    assert served.ask("PUT", "/bots/one.c?wait=20", GOOD, Cookie=own, Origin=f"http://{served.host}").status == 200
    assert served.ask("POST", "/submit/in", b"ann.wrong", Origin=f"http://{served.host}").status == 401


def test_behind_a_proxy_it_goes_by_the_public_name(served: Served) -> None:
    ground, url = served.ground, "https://contest.example.org"
    where = Address("0.0.0.0", url=f"{url}/")
    with Server(where, ground.folder / "published", ground.submissions, ground.authors_file) as server:
        proxied = Served(ground, server)
        proxied.host = f"127.0.0.1:{server.port}"
        token, host = ground.tokens["ann"].encode(), "contest.example.org"
        answer = proxied.ask("POST", "/submit/in", token, Host=host, Origin=url)
        assert answer.status == 200 and "Secure" in answer.headers["set-cookie"]
        assert proxied.ask("GET", "/poker/", Host="evil.example").status == 400


def test_wrong_tokens_of_others_keep_no_author_out(served: Served) -> None:
    """A token has 24 random bytes: who guesses for ever finds none."""
    for _ in range(50):
        assert served.ask("GET", "/jobs", Authorization="Bearer bob.guess").status == 401
    assert served.ask("GET", "/jobs", who="bob").status == 200


def test_a_body_that_is_slow_is_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_BODY_SECONDS", 0.3)
    with served.raw() as slow:
        token = served.ground.tokens["ann"]
        head = f"PUT /bots/one.c HTTP/1.1\r\nHost: {served.host}\r\nAuthorization: Bearer {token}\r\n"
        slow.sendall(f"{head}Content-Length: 9\r\n\r\nabc".encode())
        assert b"408" in slow.recv(100)


def is_hung_up_on(client: socket.socket) -> bool:
    """Whether the server ends a connection from which nothing is read meanwhile."""
    ends = select.poll()
    ends.register(client, select.POLLRDHUP)
    return bool(ends.poll(60_000))


@pytest.mark.parametrize("asks", ["nothing", "half a head", "what it doesn't take"])
def test_connections_that_are_held_open_keep_nobody_out(
    served: Served, monkeypatch: pytest.MonkeyPatch, asks: str
) -> None:
    """The one that has asked nothing for longest makes room."""
    monkeypatch.setattr(server_module, "_MOST_CONNECTIONS", 3)
    with (served.ground.folder / "published" / "large").open("wb") as large:
        large.truncate(1 << 30)  # more than lies on the way
    with contextlib.ExitStack() as those:
        held = [those.enter_context(served.raw()) for _ in range(3)]
        for client in held:
            if asks == "half a head":
                client.sendall(b"GET /poker/ HT")
            elif asks != "nothing":
                client.sendall(f"GET /large HTTP/1.1\r\nHost: {served.host}\r\n\r\n".encode())
                assert client.recv(9) == b"HTTP/1.1 "
        assert served.ask("GET", "/poker/").status == 200
        if "take" not in asks:  # else what is on its way comes first
            assert is_hung_up_on(held[0])
        for _ in range(3):
            assert served.ask("GET", "/poker/").status == 200


@pytest.mark.parametrize(
    "head",
    [
        b"PUT /bots/..%2f..%2fone.c HTTP/1.1", b"PUT /bots/%2e%2e%2fone.c HTTP/1.1",
        b"PUT /bots//etc/passwd.c HTTP/1.1",
        b"PUT /bots/one%00.c HTTP/1.1", b"PUT /bots/one%0d%0aX:y.c HTTP/1.1",
        b"PUT http://evil.example/bots/one.c HTTP/1.1",
        b"PUT /bots/one.c?contest=../../x HTTP/1.1",
        b"PUT /bots/" + b"x" * 5_000 + b".c HTTP/1.1", b"PUT /bots/one.c HTTP/1.1\r\nContent-Length: -1",
        b"PUT /bots/one.c HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 400",
        b"PUT /bots/one.c HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked",
        b"PUT /bots/one.c HTTP/1.1\r\nContent-Length: 99999999999999999999",
        b"PUT /bots/one.c HTTP/1.1\r\nHost: evil.example",
        b"\x00\xff\xfe", b"GET", b"TRACE /poker/ HTTP/1.1", b"DELETE /bots/..%2f.. HTTP/1.1",
    ],
)  # fmt: skip
def test_odd_requests_change_nothing_and_stop_nobody(served: Served, head: bytes) -> None:
    """Refused, or hung up on; whoever asks next is served."""
    folder = served.ground.folder
    before = set(folder.rglob("*"))
    token = served.ground.tokens["ann"]
    with served.raw() as client:
        client.sendall(head + f"\r\nHost: {served.host}\r\nAuthorization: Bearer {token}\r\n\r\nabc".encode())
        client.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionError):
            assert re.match(rb"HTTP/1.1 (4\d\d|501)|$", client.recv(100))
    assert set(folder.rglob("*")) == before
    assert served.ask("GET", "/poker/").status == 200


@pytest.mark.parametrize(
    ("method", "path", "takes"),
    [("POST", "/jobs", "GET"), ("GET", "/bots/one.c", "PUT, DELETE"), ("POST", "/poker/", "GET, HEAD")],
)
def test_a_method_that_an_address_does_not_take_is_told(served: Served, method: str, path: str, takes: str) -> None:
    text = served.ask(method, path)
    assert text.status == 405 and f"{method} isn't for this address; it takes {takes}" in text.body.decode()
    values = served.ask(method, path, Accept="application/json").values
    assert values["error"] == text.body.decode().strip()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--serve", "0.0.0.0:0"], "Put a reverse proxy"),
        (["--serve", "0", "--public-url", "contest.example.org"], "as https://contest.example.org"),
        (["--submissions", "authors.toml"], "add --serve"),
        (["--serve", "0", "--submissions", "nothing.toml"], "tournament author add"),
    ],
)
def test_what_cannot_be_served_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    (tmp_path / "tournament.toml").write_text("[von_neumann_poker]\n")
    monkeypatch.chdir(tmp_path)
    done = run_cli("watch", *words)
    assert done.code == 2 and re.search(said, done.err)


def test_without_the_extra_it_says_how_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tournament.toml").write_text("[von_neumann_poker]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "tournament.open_contest.server")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = run_cli("watch", "--serve", "0")
    assert done.code == 2 and "pip install 'tournament[serve]'" in done.err


def test_a_server_that_ends_is_told_and_started_again_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "index.html").write_text("the board")
    told: list[str] = []
    with Server(Address(), tmp_path, None, None, told.append) as server:
        for ends in range(4):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=90)
            connection.request("GET", "/")
            assert connection.getresponse().read() == b"the board"
            connection.close()
            assert not server.ended
            server._server.should_exit = True
            assert wait_until(lambda ends=ends: len(told) == ends + 1 or bool(server.ended))  # type: ignore[misc]
        assert told == ["the server ended; it is started again"] * 3
        assert server.ended == "the server ended; it was started again 3 times: watch again to continue"

    def fails(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(uvicorn.Server, "run", fails)
    told.clear()
    with Server(Address(), tmp_path, None, None, told.append) as server:
        assert wait_until(lambda: bool(server.ended))
    assert len(told) == 3 and "ZeroDivisionError; please report it, with " in told[0]


def test_watch_ends_with_a_line_where_its_server_has_ended_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = make_contest(tmp_path, ["bold"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    done = run_cli("watch", "--serve", "0", "--config", str(place.config), "--executor", "local")
    assert done.code == 1
    assert done.err.splitlines()[-1].startswith("tournament: the server ended; it was started again 3 times")
