"""`tournament check` of a file with a contest's rules."""

from __future__ import annotations

from pathlib import Path

from tests.cli.in_process import run_cli

RULES = '''from tournament.rules import Column, Decision, Int, Rules

NAME = Decision("name", "Name a number", observation={"limit": Int(1, 9, "the most")}, answer=Int(1, 9, "a number"))


class HigherNumber(Rules):
    """Whoever names the higher number wins."""

    name = "higher_number"
    seats = 2
    decisions = (NAME,)
    columns = (Column("x_named", "int8", "MEANING"),)

    def play(self, session):
        x, y = (yield [NAME(seat, limit=9) for seat in range(2)]).values()
        won = (x > y) - (x < y)
        session.record([won, -won], x_named=x)
'''


def verdicts(text: str) -> dict[str, str]:
    return {line.split()[0]: line for line in text.splitlines() if line and not line.startswith(" ")}


def test_a_broken_contest_is_told_by_what_it_breaks(tmp_path: Path) -> None:
    path = tmp_path / "higher.py"
    path.write_text(RULES.replace("MEANING", "").replace("won, -won", "won, won"))
    told = run_cli("check", str(path), columns=200)
    lines = verdicts(told.out)
    assert told.code == 1 and "x_named of games has no meaning" in lines["documented"]
    assert "a game of a zero-sum contest is worth" in told.out and "not fit to be played" in lines["verdict"]
    assert "Traceback" not in told.err
