"""Entrants that are data: files whose text is the answer to a decision."""

from __future__ import annotations

from pathlib import Path

import pytest

import tournament
from tests.commands import run_cli
from tests.contests.test_one_door import contest_folder

RULES = """\
from tournament.rules import Decision, Rules, Text

SOURCE = Decision("source", "The program", observation={}, answer=Text(20), default="")


class Pluses(Rules):
    name = "pluses"
    seats = 2
    decisions = (SOURCE,)
    data = {".plus": SOURCE}

    def play(self, session):
        sources = yield [SOURCE(position) for position in range(2)]
        won = sources[0].count("+") - sources[1].count("+")
        session.record([won, -won])
"""
BOTS = {"three.plus": "+\n'+\"\\+é", "one.PLUS": "+", "two.py": "def source(view):\n    return '++'\n"}


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    """Return the folder of a contest's entrants that are data."""
    bots = contest_folder(tmp_path, "pluses", RULES, "sessions = 2\nreplicas = 3")
    for name, content in BOTS.items():
        (bots / name).write_text(content)
    return bots


def test_data_files_play_by_text_among_other_bots(bots: Path, tmp_path: Path) -> None:
    place = tmp_path / "tournament.toml"
    found = tournament.run("pluses", config=place)
    assert [(line.name, line.kind, line.score) for line in found.ranking.ranked] == [
        ("three", "python", 6.0), ("two", "python", 0.0), ("one", "python", -6.0),
    ]  # fmt: skip
    assert tournament.verify("pluses", config=place, replay="all").problems == ()
    report = tournament.match("pluses", "three", bots / "one.PLUS", config=place, sessions=2)
    assert report.points and report.points.value == 2.0
    checked = run_cli("check", str(bots / "three.plus"), "--config", str(place))
    assert checked.code == 0 and "fit to enter" in checked.out and "share a process" in checked.out


def test_unreadable_or_long_data_file_is_refused_alone(bots: Path, tmp_path: Path) -> None:
    (bots / "bytes.plus").write_bytes(b"\xff")
    (bots / "long.plus").write_text("+" * 21)
    ranking = tournament.run("pluses", config=tmp_path / "tournament.toml").ranking
    assert len(ranking.ranked) == 3
    assert {line.name: line.reason for line in ranking.below} == {
        "bytes.plus": "it is not UTF-8 text",
        "long.plus": "it has 21 bytes; this contest takes at most 20",
    }
