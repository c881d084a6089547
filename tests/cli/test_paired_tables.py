"""`match --baseline` at tables of three and more: both versions at the same positions, with the same companions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tournament
from tests.commands import run_cli
from tournament.trial.match import MatchReport

# What a bot wins hangs on the deal, on its position, on its companions, and a little on its own answer.
RULES = """\
from tournament.rules import Decision, Int, Rules

PICK = Decision("pick", "Pick a number", observation={"card": Int(0, 999)}, answer=Int(0, 9999))


class Luck(Rules):
    name = "luck"
    seats = SEATS
    zero_sum = False
    decisions = (PICK,)

    def play(self, session):
        cards = [session.rng.randrange(1000) for _ in range(session.seats)]
        picks = yield [PICK(position, card=cards[position]) for position in range(session.seats)]
        total = sum(picks.values())
        session.record([cards[one] + 100 * one - total + 2 * picks[one] for one in range(session.seats)])
"""
# A companion that learns: it starts afresh at each table.
COUNTS = "calls = 0\n\n\ndef pick(view):\n    global calls\n    calls += 1\n    return calls % 50\n"
FIELD = {
    "counts.py": COUNTS,
    "dice.c": "int pick(const View *view) { return rand() % 100; }\n",
    "nine.c": "int pick(const View *view) { return 9; }\n",
    "tens.py": "import random\n\n\ndef pick(view):\n    return 10 * random.randrange(10)\n",
    "card.c": "int pick(const View *view) { return view->card % 7; }\n",
}
OWN = "int pick(const View *view) {{ return {more} + rand() % 5 + view->card % 3; }}\n"


def contest(folder: Path, of: str = "4", **more: Any) -> Path:
    (folder / "bots").mkdir(parents=True)
    for name, source in FIELD.items():
        (folder / "bots" / name).write_text(source)
    (folder / "luck.py").write_text(RULES.replace("SEATS", of))
    keys = {"rules": "luck.py", "entrants": "bots", "sessions": 4, **more}
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    (folder / "tournament.toml").write_text("\n".join(["[luck]", *lines, ""]))
    return folder / "tournament.toml"


def compare(config: Path, new: str, old: str, **options: Any) -> MatchReport:
    for name, source in (("aaa", new), ("zzz", old)):  # first and last by name
        (config.parent / f"{name}.c").write_text(source)
    options = {"replicas": 4, "seed": "paired", **options}
    return tournament.match("luck", config.parent / "aaa.c", baseline=config.parent / "zzz.c", config=config, **options)


@pytest.mark.parametrize(
    ("seats", "more"),
    [("4", {"duplicate": True}), ("range(3, 6)", {"seats": 5, "tables": 2}), ('"all"', {})],
)
def test_equal_versions_differ_by_nothing(seats: str, more: dict[str, Any], tmp_path: Path) -> None:
    report = compare(contest(tmp_path, seats, **more), OWN.format(more=1), OWN.format(more=1))
    assert report.difference and report.points and report.baseline_points
    assert (report.difference.value, report.difference.stderr) == (0.0, 0.0)
    assert report.points == report.baseline_points and report.points.stderr
    assert report.tables and report.tables >= 4 and report.verdict == "open"
    assert {line.opponent for line in report.opponents} == {name.split(".")[0] for name in FIELD}


def test_better_version_is_better_by_its_own_answers(tmp_path: Path) -> None:
    # Its own answer is worth one point for each that it names: luck, positions and companions drop out.
    config = contest(tmp_path)
    report = compare(config, OWN.format(more=31), OWN.format(more=1), until_settled=0.95)
    assert report.difference and report.stopping and report.points
    assert (report.difference.value, report.difference.stderr) == (30.0, 0.0)
    assert report.verdict == "better" and report.stopping.replicas == 4
    assert report.games_of_unpaired == 0.0 and report.points.stderr and report.points.stderr > 10
    worse = compare(config, OWN.format(more=1), OWN.format(more=2), until_settled=0.95)
    assert worse.verdict == "worse" and worse.difference and worse.difference.value == -1.0


def test_companions_can_be_named(tmp_path: Path) -> None:
    config = contest(tmp_path, "3")
    report = compare(config, OWN.format(more=3), OWN.format(more=1), replicas=6)
    assert {line.opponent for line in report.opponents} == {name.split(".")[0] for name in FIELD}
    names = [str(config.parent / path) for path in ("aaa.c", "bots/nine.c", "bots/dice.c", "zzz.c")]
    shown = run_cli("match", "luck", *names[:3], "--baseline", names[3], "--config", str(config), "--replicas", "5")
    assert shown.code == 0 and "tables 5, the same for both" in " ".join(shown.out.split())
    assert "better by" in shown.out and "significantly better" in shown.out
