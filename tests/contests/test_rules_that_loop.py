"""Rules in Python that never come to their next question: told by a line, and ended by a signal."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.forks import call, shared
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
            LOOP
        session.record([answer, -answer])
"""
_LOOP = "while True: pass"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A contest of these rules, and two bots."""
    (tmp_path / "loops.py").write_text(_RULES.replace("LOOP", _LOOP))
    (tmp_path / "tournament.toml").write_text(
        '[loops]\nrules = "loops.py"\nsessions = 3\nseed = "s"\nrules_seconds_per_step = 0.5\n[sandbox]\nmode = "off"\n'
    )
    (tmp_path / "entrants" / "loops").mkdir(parents=True)
    for name in ("one", "other"):
        (tmp_path / "entrants" / "loops" / f"{name}.c").write_text("int bid(const View *bot) { return 0; }\n")
    return tmp_path


def _change(folder: Path, loop: str, seconds: float = 0.5) -> None:
    (folder / "loops.py").write_text(_RULES.replace("LOOP", loop))
    settings = folder / "tournament.toml"
    settings.write_text(
        settings.read_text().replace("rules_seconds_per_step = 0.5", f"rules_seconds_per_step = {seconds}")
    )


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return call(words, os.environ, folder)


@pytest.mark.parametrize(
    "words",
    [("run", "--executor", "local"), ("match", "loops", "one", "other"), ("check", "entrants/loops/one.c")],
    ids=lambda words: words[0],
)
def test_slow_step_of_rules_ends_command(folder: Path, words: tuple[str, ...]) -> None:
    run = _run(folder, *words)
    told = run.stderr.splitlines()
    assert run.returncode == 1, told
    assert "a step took more than the 0.5 s of rules_seconds_per_step (loops.py, line 16)" in told[-1]
    assert any("session 1, game 0" in line for line in told[-2:])


@pytest.mark.slow
def test_so_does_one_that_is_played_again(folder: Path) -> None:
    """A loop may wait for what the machine has, so that it wasn't there when the session was recorded."""
    _change(folder, f'if open("loops").read() == "yes":\n                {_LOOP}')
    (folder / "loops").write_text("no")
    assert _run(folder, "run", "--executor", "local").returncode == 0
    (folder / "loops").write_text("yes")
    run = _run(folder, "replay", "loops", "--match", "0", "--session", "1")
    told = run.stderr.splitlines()
    assert run.returncode == 1, told
    assert "session 1, game 0: TimeoutError: a step took more than the 0.5 s of" in told[-1]
    assert "(loops.py, line 17)" in told[-1]


@pytest.mark.slow
def test_so_does_one_with_python_bots(folder: Path) -> None:
    for bot in (folder / "entrants" / "loops").iterdir():
        bot.rename(bot.with_suffix(".py"))
        bot.with_suffix(".py").write_text("def bid(bot):\n    return 0\n")
    run = _run(folder, "run", "--executor", "local")
    assert "a step took more than the 0.5 s of rules_seconds_per_step (loops.py, line 16)" in run.stderr
    assert run.returncode == 1


@pytest.mark.slow
def test_rules_that_loop_before_their_first_session_are_told(folder: Path) -> None:
    path = folder / "loops.py"
    path.write_text(path.read_text() + "\n    def __init__(self, settings):\n        while True: pass\n")
    run = _run(folder, "run", "--executor", "local")
    assert "a step took more than the 0.5 s of rules_seconds_per_step (loops.py, line " in run.stderr
    assert run.returncode == 1


@pytest.mark.parametrize("words", [("run", "--executor", "local"), ("match", "loops", "one", "other")])
def test_a_signal_ends_rules_that_loop(folder: Path, words: tuple[str, ...]) -> None:
    _change(folder, _LOOP, 600)
    run = shared().start(words, folder=folder)
    assert wait_until((folder / "began").exists)
    run.send(signal.SIGTERM)
    ended = run.wait()  # a second, on a quiet machine; its step might last ten minutes
    assert ended.code == (130 if words[0] == "run" else -signal.SIGTERM)
    assert "Traceback" not in ended.said
