"""Rules that redirect standard output and error, as published engines do, while two workers play."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.commands import run_cli

RULES = """\
import contextlib
import io
import time

from tournament.rules import Decision, Int, Rules

PICK = Decision("pick", "Pick", observation={"turn": Int(0, 99)}, answer=Int(0, 9))


class Noisy(Rules):
    name = "noisy"
    seats = 2
    decisions = (PICK,)

    def play(self, session):
        for turn in range(20):
            a, b = (yield [PICK(seat, turn=turn) for seat in range(2)]).values()
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                print(a)
                time.sleep(0.001)  # so that another leg's step begins meanwhile
                print(b)
            a, b = map(int, printed.getvalue().split())
        session.record([a - b, b - a])
"""


def test_run_with_rules_that_redirect_output_shows_leaderboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("noisy.py").write_text(RULES)
    Path("tournament.toml").write_text('[noisy]\nrules = "noisy.py"\nsessions = 1\nreplicas = 2\nseed = "s"\n')
    bots = Path("entrants/noisy")
    bots.mkdir(parents=True)
    for number in range(4):
        (bots / f"bot_{number}.c").write_text(f"int pick(const View *view) {{ return {number}; }}\n")
    streams = sys.stdout, sys.stderr
    shown = run_cli("run", "noisy", "--executor", "local", "--workers", "2")
    assert shown.code == 0, shown.err
    assert "bot_3" in shown.out
    assert (sys.stdout, sys.stderr) == streams
