"""A full disk makes submissions wait, and nothing else, until there is space."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from tests.open_contest.support import CONTEST, Ground
from tests.processes import descendants, wait_until
from tests.worker.support import write_bot
from tournament.open_contest import submissions, trials
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


@pytest.mark.parametrize("is_killed", [False, True], ids=["its time is over", "it is killed"])
def test_trial_that_ends_early_leaves_no_file(is_killed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    for place in ("scratch", "upload", "entrants"):
        (tmp_path / place).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    settings = tmp_path / "tournament.toml"
    settings.write_text(f"[{CONTEST}]\nentrants = 'entrants'\n")
    bot = tmp_path / "upload" / "bot"
    write_bot(bot, {"bot.toml": 'command = ["python3", "b.py"]\nbuild = ["python3", "-S", "b.py"]\n', "b.py": BUILD})
    seen: list[bool] = []

    def wait_and_kill() -> None:
        seen.append(wait_until(lambda: any(scratch.glob("*/*/bot/*-9")), 170))
        for pid, line in descendants(trials.forks._running[0].pid).items() if is_killed else ():
            if "tournament.cli.forking" in line:
                os.kill(pid, signal.SIGKILL)

    killing = threading.Thread(target=wait_and_kill)
    killing.start()
    checked = trials.check(settings, CONTEST, bot, tmp_path / "built", 180, lambda: not killing.is_alive())
    killing.join()
    assert seen == [True] and not checked[0]
    assert wait_until(lambda: not [*scratch.iterdir()], 10)
    time.sleep(0.5)
    assert not [*scratch.iterdir()]
