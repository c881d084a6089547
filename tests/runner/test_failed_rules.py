"""Rules that fail in one match set that match aside: no other is lost, and mended rules play it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import tournament
from tournament.cli.commands import main

RULES = """\
from pathlib import Path

from tournament.rules import Decision, Int, Rules

BID = Decision("bid", "Bid", observation={}, answer=Int(0, 99, "your bid"))


class Sum(Rules):
    name = "sum"
    seats = 2
    decisions = (BID,)

    def play(self, session):
        bids = []
        for seat in (0, 1):
            bids.append((yield BID(seat)))
            if seat == 1 and sum(bids) > int(Path(__file__).with_name("limit").read_text()):
                raise ValueError(f"{sum(bids)} is too much")
        session.record([bids[0] - bids[1], bids[1] - bids[0]])
"""
BOTS = {
    f"{name}.c": f"int bid(const View *view) {{ return {bid}; }}\n"
    for name, bid in (("ann", 10), ("bob", 20), ("dan", 40))
}
BOTS["cat.py"] = "def bid(view): return 30\n"
PLAY = ("run", "sum", "--executor", "local", "--workers", "1")
CONFIG = '[sum]\nrules = "sum.py"\nentrants = "bots"\nsessions = 3\nreplicas = 2\nseed = "of failed rules, a test"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bots").mkdir()
    for name, source in BOTS.items():
        (tmp_path / "bots" / name).write_text(source)
    (tmp_path / "tournament.toml").write_text(CONFIG)
    return tmp_path


def write_rules(folder: Path, limit: int) -> None:
    """Write rules that fail above a limit, which is in a file that doesn't belong to their edition."""
    (folder / "sum.py").write_text(RULES)
    (folder / "limit").write_text(f"{limit}")


def command(folder: Path, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Call the command in the folder, and return its exit code."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["tournament", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


# Of six matches those with sums above the limit fail: one without processes and one with them, or four.
@pytest.mark.parametrize(("limit", "missing"), [(59, 2), (49, 4)])
def test_failing_rules_set_match_aside_until_repaired(
    folder: Path, limit: int, missing: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_rules(folder, limit)
    assert command(folder, monkeypatch, *PLAY) == 1
    assert f"places are provisional: the rules failed in {missing} matches" in " ".join(capsys.readouterr().out.split())
    found = tournament.load(folder / "results" / "sum")
    assert len(found.games) == (6 - missing) * 6 and found.ranking.is_provisional
    assert {line.status for line in found.ranking.entrants} == {"ok"}
    command(folder, monkeypatch, "faults", "sum", "--json")
    faults = json.loads(capsys.readouterr().out)
    assert len({fault["match"] for fault in faults}) == missing
    assert all("ValueError: " in one["message"] and "(sum.py, line 18)" in one["message"] for one in faults)
    write_rules(folder, 99)
    assert command(folder, monkeypatch, *PLAY) == 0
    assert "provisional" not in capsys.readouterr().out
    again = tournament.load(folder / "results" / "sum")
    assert len(again.games) == 36 and not again.ranking.failed_legs and not len(again.faults)
    assert len(again.games.merge(found.games, on=["match", "session", "game"])) == len(found.games)
    write_rules(folder, limit)
    assert command(folder, monkeypatch, "verify", "sum", "--replay", "all") == 1
    shown = " ".join("".join(capsys.readouterr()).split())
    assert "can't be replayed: the rules failed in match" in shown and "70 is too much" in shown


@pytest.mark.parametrize(
    "points",
    [
        "'a win' if sum(bids) in (30, 40) else 0",
        "10**17 * (sum(bids) in (30, 40))",
    ],
)
def test_points_that_no_record_holds_set_match_aside(
    folder: Path, points: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Processes play in one of the two matches."""
    write_rules(folder, 99)
    (folder / "sum.py").write_text(
        RULES.replace("record([bids[0] - bids[1], bids[1] - bids[0]])", f"record([{points}, 0])")
    )
    assert command(folder, monkeypatch, *PLAY) == 1
    assert "places are provisional: the rules failed in 2 matches (" in " ".join(capsys.readouterr().out.split())
    found = tournament.load(folder / "results" / "sum")
    assert len(found.games) == 24 and len({leg.match for leg in found.ranking.failed_legs}) == 2
