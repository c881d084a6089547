"""A full disk makes submissions wait, and nothing else, until there is space."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.open_contest.support import CONTEST, Ground, Process
from tests.processes import descendants, wait_until
from tests.small_disk import small_disk
from tests.worker.support import write_bot
from tournament.open_contest import submissions, trials
from tournament.open_contest.authors import add_author
from tournament.open_contest.jobs import ENTERED, QUEUED, QUICK, TRIAL, WITHDRAWN
from tournament.open_contest.refusals import Refused

MEGABYTE = 1 << 20


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    return Ground(tmp_path, monkeypatch)


def test_submissions_wait_while_disk_is_full_and_go_on(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads that found the disk full during their trial wait, too, however often."""
    space = [600 * MEGABYTE]
    monkeypatch.setattr(submissions, "free_space", lambda _: (space[0], 1000))
    fills = [True] * 5

    def check(*given: object) -> tuple[bool, str]:
        if fills:
            fills.pop()
            space[0] = 400 * MEGABYTE
            raise OSError(28, "No space left on device")
        return True, "verdict    fit to enter"

    monkeypatch.setattr(submissions, "check", check)
    job = ground.take("ann", "one.c")
    assert ground.do(QUICK)
    while fills:
        space[0] = 600 * MEGABYTE
        assert ground.do(TRIAL)
        assert not ground.do(TRIAL) and ground.state(job) == QUEUED
    other = ground.take("bob", "two.c")
    ground.withdraw("bob", "two")
    assert ground.state(other) == WITHDRAWN
    space[0] = 600 * MEGABYTE
    assert ground.do(TRIAL) and ground.state(job) == ENTERED
    assert ground.told.count("submissions wait: less than 532 MB of disk are free") == 5
    space[0] = MEGABYTE
    with pytest.raises(Refused, match="disk has no space for a file"):
        ground.take("eve", "three.c")


# Fills its folder by and by, and ignores that it is asked to end.
BUILD = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
os.fork()
for n in range(10**6):
    open(f"{os.getpid()}-{n}", "wb").write(bytes(1 << 16))
    time.sleep(0.01)
"""


@pytest.mark.parametrize("ends", ["its time is over", "it is killed"])
def test_trial_leaves_nothing_however_it_ends(ends: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("scratch", "upload", "entrants"):
        (tmp_path / place).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    settings = tmp_path / "tournament.toml"
    settings.write_text(f"[{CONTEST}]\nentrants = 'entrants'\n")
    bot = tmp_path / "upload" / "bot"
    write_bot(bot, {"bot.toml": 'command = ["python3", "b.py"]\nbuild = ["python3", "-S", "b.py"]\n', "b.py": BUILD})

    seen: list[bool] = []

    def builds() -> bool:
        return any((tmp_path / "scratch").glob("*/*/bot/*-9"))

    def kill() -> None:
        seen.append(wait_until(builds, 170))
        for pid, line in descendants(trials.forks._running[0].pid).items():
            if "tournament.cli.forking" in line:
                os.kill(pid, signal.SIGKILL)

    killing = threading.Thread(target=kill if ends == "it is killed" else lambda: seen.append(wait_until(builds, 170)))
    killing.start()
    checked = trials.check(settings, CONTEST, bot, tmp_path / "built", 180, lambda: not killing.is_alive())
    killing.join()
    assert seen == [True] and not checked[0]
    assert wait_until(lambda: not [*(tmp_path / "scratch").iterdir()], 10)
    time.sleep(0.5)
    assert not [*(tmp_path / "scratch").iterdir()]


@pytest.mark.slow
def test_server_starts_on_full_disk_and_heals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that a killed one left go first. The board is served meanwhile, and what is submitted waits."""
    with small_disk(tmp_path / "disk", 120) as folder:
        monkeypatch.setenv("TMPDIR", str(folder / "tmp"))
        for place in ("tmp", "entrants"):
            (folder / place).mkdir()
        (folder / "entrants" / CONTEST).mkdir()
        (folder / "tournament.toml").write_text(f"[{CONTEST}]\nsessions = 20\n[sandbox]\nmin_free_disk_mb = 20\n")
        for number in range(2):
            write_bot(folder / "entrants" / CONTEST / f"bot{number}.py", f"a = b = lambda *_: {number}")
        token = add_author(folder / "authors.toml", "ann")
        with socket.create_server(("127.0.0.1", 0)) as free:
            server = Process(folder, free.getsockname()[1])
        server.start()
        assert server.says("the board is current")
        server.kill()
        left = folder / "tmp" / ".tournament-scratch-left"
        left.mkdir()
        with (left / "much").open("wb", 0) as much, (folder / "filler").open("wb", 0) as filler:
            fill(much.write, 30)
            fill(filler.write, 1000)
        assert shutil.disk_usage(folder).free < MEGABYTE
        server.start()
        assert server.says("served at")
        assert wait_until(lambda: not left.exists(), 30)
        status, board = server.ask("GET", f"/c/{CONTEST}/board.json", token)
        assert status == 200 and len(board["leaderboard"]) == 2
        status, job = server.ask("PUT", "/bots/mine.py", token, b"a = b = lambda *_: 7")
        assert (status, job["state"]) == (202, QUEUED)
        assert server.says("submissions wait: less than 52 MB of disk are free")
        (folder / "filler").unlink()
        assert wait_until(lambda: server.ask("GET", job["url"], token)[1]["state"] == ENTERED, 60)
        assert wait_until(lambda: len(server.ask("GET", f"/c/{CONTEST}/board.json", token)[1]["leaderboard"]) == 3, 60)
        server.kill()


def fill(write: Callable[[bytes], object], megabytes: int) -> None:
    try:
        for _ in range(megabytes):
            write(bytes(MEGABYTE))
    except OSError:
        pass
