"""Rules in Python that never come to their next question."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.commands import shared
from tests.contests.test_one_door import contest_folder
from tests.processes import wait_until

_RULES = """\
import time
from tournament.rules import Decision, Int, Rules

BID = Decision("bid", "m", observation={"hand": Int(0, 9, "h")}, answer=Int(0, 3, "a"))


class Loops(Rules):
    name = "loops"
    seats = 2
    decisions = (BID,)

    def play(self, session):
        answer = yield BID(0, hand=3)
        if session.number == 1:
            open("began", "w").close()
            while True: pass
        session.record([answer, -answer])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    more = 'sessions = 3\nrules_seconds_per_step = 0.5\n[sandbox]\nmode = "off"'
    bots = contest_folder(tmp_path, "loops", _RULES, more)
    for name in ("one", "other"):
        (bots / f"{name}.c").write_text("int bid(const View *bot) { return 0; }\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "where"),
    [
        (("run", "--executor", "local"), ""),
        (("match", "loops", "one", "other"), ""),
        pytest.param(("run", "--executor", "local"), "at the start", marks=pytest.mark.slow),
        pytest.param(("run", "--executor", "local"), "Python bots", marks=pytest.mark.slow),
    ],
)
def test_slow_step_of_rules_ends_command(folder: Path, words: tuple[str, ...], where: str) -> None:
    if where == "at the start":
        with (folder / "loops.py").open("a") as file:
            file.write("\n    def __init__(self, settings):\n        while True: pass\n")
    elif where:
        for bot in (folder / "entrants" / "loops").iterdir():
            bot.unlink()
            bot.with_suffix(".py").write_text("def bid(bot):\n    return 0\n")
    run = shared().run(words, folder=folder)
    assert run.code == 1
    assert "a step took more than the 0.5 s of rules_seconds_per_step (loops.py, line " in run.err
    if not where:
        assert any("session 1, game 0" in line for line in run.err.splitlines()[-2:])


def test_signal_ends_endless_rules(folder: Path) -> None:
    """Runs end at once, though a step is allowed ten minutes."""
    settings = folder / "tournament.toml"
    settings.write_text(settings.read_text().replace("per_step = 0.5", "per_step = 600"))
    run = shared().start(("run", "--executor", "local"), folder=folder)
    assert wait_until((folder / "began").exists)
    run.send(signal.SIGTERM)
    ended = run.wait()
    assert ended.code == 130 and "Traceback" not in ended.said
