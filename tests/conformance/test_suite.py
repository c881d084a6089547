"""The suite finds contests that break its rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace as Namespace
from typing import Any

import pytest

from tournament import conformance

Check = Callable[[conformance.ContestSuite], None]
RULES = """\
import itertools
from tournament.rules import Column, Decision, Int, Rules
class Moves(Rules):
    name = "random_rules"
    seats = 2
    decisions = (Decision("move", "Move", observation={"turn": Int(0, 9, "turn")}, answer=Int(0, 9, "a move")),)
    columns = (Column("moved", "int32", "a number"),)
    count = itertools.count()
    def play(self, session):
        x = yield self.decisions[0](0, turn=1)
        y = yield self.decisions[0](1, turn=1)
        session.record([x - y, y - x], moved=next(Moves.count) % 10**9)
"""


@pytest.mark.parametrize(
    ("moved", "found", "message", "kept"),
    [
        (
            "next(Moves.count) % 10**9",
            conformance.determinism,
            "games has other values of moved when played in pieces",
            conformance.resume,
        ),
        (
            "hash('text') % 10**6",
            conformance.hash_independence,
            "iterate over a set of texts",
            None,
        ),
    ],
    ids=["chance from elsewhere", "order of sets"],
)
def test_values_from_elsewhere_are_found(
    moved: str, found: Check, message: str, kept: Check | None, tmp_path: Path
) -> None:
    (tmp_path / "rules.py").write_text(RULES.replace("next(Moves.count) % 10**9", moved))
    rules = str(tmp_path / "rules.py")
    suite = conformance.ContestSuite("random_rules", tmp_path / "suite", rules=rules, sessions=2, languages=("python",))
    with pytest.raises(conformance.ConformanceError, match=message):
        found(suite)
    if kept:
        kept(suite)


WORTH = """\
from tournament.rules import Decision, Int, Rules

ACT = Decision("act", "Act", observation={}, answer=Int(0, 1))


class Paying(Rules):
    name = "paying"
    seats = SEATS
    zero_sum = False
    decisions = (ACT,)

    def play(self, session):
        acts = yield [ACT(position) for position in range(session.seats)]
        session.record(POINTS)
"""


def suite_of(tmp_path: Path, points: str, of: str = "3", **options: Any) -> conformance.ContestSuite:
    (tmp_path / "paying.py").write_text(WORTH.replace("POINTS", points).replace("SEATS", of))
    return conformance.ContestSuite("paying", tmp_path / "suite", rules=str(tmp_path / "paying.py"), **options)


@pytest.mark.parametrize(
    ("points", "worth"),
    [
        ("[2, -1, -1]", "position 0 earns +3 ± 0 a session more, position 1 earns -1.5 ± 0 a session more between "),
        ("[0, 0, 0]", ""),
        ("session.rng.sample([-1, 0, 1], 3)", ""),
    ],
)
def test_position_values_are_what_rules_pay(points: str, worth: str, tmp_path: Path) -> None:
    suite = suite_of(tmp_path, points)
    conformance.positions(suite)
    manners = ["equal bots", "random bots"] if worth else []
    assert conformance.position_values(suite) == [f"{worth}{who}; rotated over 3 sessions" for who in manners]


def test_position_values_show_between_random_bots(tmp_path: Path) -> None:
    """Bots to start from all answer the same, so no position is paid for being the only one with its answer."""
    (worth,) = conformance.position_values(suite_of(tmp_path, "[int(acts[0] != acts[1]), 0, 0]"))
    assert worth.startswith("position 0 earns +0.") and "between random bots; rotated" in worth


def test_position_values_show_at_most_seats(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, "[int(session.seats > 3)] + [0] * (session.seats - 1)", "range(2, 6)")
    assert suite.seat_counts == (2, 5)
    worth = conformance.position_values(suite)
    assert [line.partition(" between ")[2] for line in worth] == [
        f"{manner} bots; rotated over 5 sessions" for manner in ("equal", "random")
    ]


def test_favoured_bot_is_found(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, "[0, 0, 0]")
    points = suite.equal_bot_points(3)
    points["points"] += (points.bot == sorted(points.bot.unique())[1]) * 0.1
    with pytest.raises(conformance.ConformanceError, match="of 3 equal bots one earns"):
        conformance.positions(suite)


def test_rules_that_fail_between_random_bots_are_found(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, "[1 / (1 - acts[0]), 0, 0]")
    with pytest.raises(conformance.ConformanceError, match="between 3 bots that answer at random: ZeroDivisionError"):
        conformance.positions(suite)


def test_points_that_do_not_add_up_are_found(tmp_path: Path) -> None:
    (tmp_path / "paying.py").write_text(
        WORTH.replace("POINTS", "[0.25, -0.25, 0]").replace("SEATS", "3").replace("zero_sum = False", "")
    )
    suite = conformance.ContestSuite("paying", tmp_path / "suite", rules=str(tmp_path / "paying.py"))
    conformance.conservation(suite)
    suite.once.tables["games"]["points_1"] += 0.125  # the core refuses such rows
    with pytest.raises(conformance.ConformanceError, match=r"in games the points of a row add up to 0\.125"):
        conformance.conservation(suite)


def test_illegal_answers_counted_as_faults_are_found() -> None:
    def suite(faults: int, loses: bool = True) -> Any:
        entrants = [Namespace(name="bold", faults=faults)]
        contest = Namespace(interface=Namespace(questions=[Namespace(loses=loses)]))
        return Namespace(contest=contest, lost=Namespace(results=Namespace(ranking=Namespace(entrants=entrants))))

    conformance.illegal(suite(0))
    conformance.illegal(suite(1, loses=False))
    with pytest.raises(conformance.ConformanceError, match=r"counted as faults: \{'bold': 1\}"):
        conformance.illegal(suite(1))
