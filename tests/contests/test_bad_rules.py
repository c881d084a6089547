"""Rules and settings that are wrong, through the command: one line each, which names file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.in_process import run_cli

RULES = """\
from tournament.rules import Decision, Int, Rules, Text

BID = Decision("bid", "Bid", observation={"prize": Int(1, 9, "the prize")}, answer=Int(0, 9, "your bid"))


class Auction(Rules):
    name = "auction"
    seats = range(3, 7)
    decisions = (BID,)

    def play(self, session):
        bids = yield [BID(seat, prize=1) for seat in range(session.seats)]
        session.record([0] * session.seats)
"""
SETTINGS = '[auction]\nrules = "auction.py"\nentrants = "bots"\nsessions = 2\nseats = 4\n'
SEATS = "seats = range(3, 7)"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (SEATS, "", "line 6: Auction: ValueError: it has no seats: expected seats = 2"),
        (SEATS, "seats = 65", "line 6: Auction: ValueError: seats is 65; expected 1 to 64"),
        (SEATS, "seats = range(3, 99)", "line 6: Auction: ValueError: seats is range(3, 99); expected 1 to"),
        (SEATS, 'seats = "many"', "line 6: Auction: ValueError: seats is 'many'; expected 1 to 64"),
        ('answer=Int(0, 9, "your bid")', "answer=int", "line 3: ValueError: bid: the answer is <class 'int'>"),
        ('answer=Int(0, 9, "your bid")', "answer=Text()", "line 3: ValueError: bid: an answer that is a text has a"),
        ('Int(1, 9, "the prize")', "9", "line 3: ValueError: bid: prize is 9; expected a type"),
        ("[0] * session.seats", "[1, -1]", "points of 2 positions; expected 4 (auction.py, line 13)"),
        ("[0] * session.seats", "[1, 0, 0, 0]", "is worth 1.0, 0.0, 0.0, 0.0 (auction.py, line 13)"),
        ("BID(seat, prize=1)", "BID(seat + 1, prize=1)", "bid asks position 4; expected 0 to 3 (auction.py, line 12)"),
        ("BID(seat, prize=1)", "BID(0, prize=1)", "the rules ask a position twice together (auction.py, line 12)"),
        ("BID(seat, prize=1)", 'BID(seat, prize="x")', "(auction.py, line 12)"),
        ("seats = 4\n", "seats = 7\n", "tournament.toml, line 5: seats = 7: "),
        ("seats = 4\n", "seats = 2\n", "tournament.toml, line 5: seats = 2: "),
        ("seats = 4\n", 'seats = "all"\n', "tournament.toml, line 5: seats = 'all': "),
        ("seats = 4\n", "seats = 5\n", "needs 5 bots, one for each seat, that can play; there are 4"),
        ("seats = 4\n", "seats = 5\ntables = 3\n", "needs 5 bots, one for each seat, that can play; there are 4"),
        ("seats = 4\n", "tables = 0\n", "tournament.toml, line 5: tables = 0: "),
        ("seats = 4\n", "seats = 4\nduplicate = 3\n", "tournament.toml, line 6: duplicate = 3: "),
    ],
)  # fmt: skip
def test_wrong_rules_and_settings_are_one_line_with_file_and_line(
    old: str, new: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (old in RULES) != (old in SETTINGS)
    monkeypatch.chdir(tmp_path)
    Path("auction.py").write_text(RULES.replace(old, new))
    Path("tournament.toml").write_text(SETTINGS.replace(old, new))
    Path("bots").mkdir()
    for number in range(4):
        Path("bots", f"bot_{number}.c").write_text(f"int bid(const View *view) {{ return {number}; }}\n")
    told = run_cli("run", "auction", "--executor", "local", "--workers", "1", columns=300)
    (line,) = (line for line in told.err.splitlines() if message in line)
    assert "one for each seat" in line or "auction.py, line " in line or "tournament.toml, line " in line
    assert told.code in (1, 2) and told.err.splitlines()[-1] == line and "Traceback" not in told.err, told.err
