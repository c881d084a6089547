"""The report on loopback: who gets it, and that it follows the records."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contest_runs import command_line, environment
from tournament.errors import BadInput, RunFailed
from tournament.reporting import serving
from tournament.reporting.findings import Findings
from tournament.reporting.serving import Server
from tournament.reporting.writing import make_page


class Records:
    """Records that change when told to, or can't be read."""

    def __init__(self, findings: Findings) -> None:
        self.findings, self.state, self.broken = findings, 1, False

    def make(self) -> tuple[str, Findings]:
        if self.broken:
            raise RunFailed("the ledger is damaged")
        return f"page {self.state}", self.findings


@pytest.fixture(scope="module")
def findings(poker_results: Path) -> Findings:
    return make_page(str(poker_results), with_games=False)[1]


@pytest.fixture
def records(findings: Findings) -> Records:
    return Records(findings)


@pytest.fixture
def server(records: Records) -> Iterator[Server]:
    with Server(records.make, lambda: records.state, 0) as served:
        yield served


def port_of(server: Server) -> int:
    return int(server.url.rsplit(":", 1)[1].rstrip("/"))


def ask(server: Server, path: str = "/", method: str = "GET", host: str | None = None) -> tuple[int, bytes, str]:
    """Status, body and policy of an answer."""
    port = port_of(server)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, headers={"Host": host or f"127.0.0.1:{port}"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, answer.getheader("Content-Security-Policy") or ""


def test_pages_are_for_who_names_this_machine(server: Server) -> None:
    """A page of another site, whose name was pointed here, sends that name."""
    port = port_of(server)
    assert ask(server)[:2] == (200, b"page 1")
    assert ask(server, host=f"localhost:{port}")[0] == 200
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", ""):
        status, body, _ = ask(server, host=host or " ")
        assert status == 403 and b"page" not in body, host
    raw = socket.create_connection(("127.0.0.1", port), timeout=10)
    raw.sendall(b"GET / HTTP/1.0\r\n\r\n")  # without any
    assert b"403" in raw.recv(100)
    raw.close()


def test_there_is_nothing_else(server: Server) -> None:
    for path in ("/etc/passwd", "/../../etc/passwd", "/stamp/", "/%2e%2e/"):
        assert ask(server, path)[0] == 404
    assert ask(server, "/stamp")[0] == 200
    assert ask(server, "/?x=1")[0] == 200
    assert ask(server, method="HEAD")[:2] == (200, b"")
    assert ask(server, method="POST")[0] == 501
    policy = ask(server)[2]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy and "frame-ancestors 'none'" in policy


def test_it_listens_on_loopback_only(server: Server) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port_of(server)), timeout=10)


def test_who_sends_a_byte_now_and_then_is_hung_up_on(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, the request never."""
    monkeypatch.setattr(serving, "_TIMEOUT", 0.5)
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=0.05) as slow:
        for _ in range(400):
            try:
                slow.send(b"G")
                if slow.recv(1) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            pytest.fail("it still listens after twenty seconds")
    assert ask(server)[0] == 200


def test_it_follows_the_records(server: Server, records: Records) -> None:
    said: list[str] = []
    assert not server.look(said.append)
    records.state = 2
    assert server.look(said.append)
    assert ask(server)[1] == b"page 2"
    records.state, records.broken = 3, True
    assert not server.look(said.append)
    assert ask(server)[1] == b"page 2"
    assert said == ["the ledger is damaged; what is shown stays"]
    records.broken = False
    assert server.look(said.append)
    assert ask(server)[1] == b"page 3"


def test_a_port_that_is_taken_is_named(server: Server, records: Records) -> None:
    port = port_of(server)
    with pytest.raises(BadInput, match=f"port {port} can't be had"):
        Server(records.make, lambda: 0, port)


def test_the_command_serves_until_it_is_interrupted(poker_results: Path, tmp_path: Path) -> None:
    output = tmp_path / "live.html"
    arguments = ["report", "--results", str(poker_results), "--serve", "-o", str(output)]
    process = subprocess.Popen(
        command_line(arguments), env=environment({"COLUMNS": "300"}), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=tmp_path,
    )  # fmt: skip
    try:
        assert process.stdout
        url = process.stdout.readline().split()[0]
        host = url.removeprefix("http://").rstrip("/")
        connection = http.client.HTTPConnection(host, timeout=20)
        connection.request("GET", "/")
        page = connection.getresponse().read()
        assert page == output.read_bytes()
        assert b"data-live" in page and b"connect-src" in page
        os.kill(process.pid, signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
        assert (process.returncode, complaints) == (0, "")
    finally:
        process.kill()
        process.communicate()
