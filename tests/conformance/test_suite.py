"""The suite finds contests that break its rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournament import conformance

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


def test_chance_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(RULES)
    rules = str(tmp_path / "rules.py")
    suite = conformance.ContestSuite("random_rules", tmp_path / "suite", rules=rules, sessions=4)
    with pytest.raises(conformance.ConformanceError, match="games has other values of moved when played in pieces"):
        conformance.determinism(suite)
    conformance.resume(suite)  # what is complete stays as it is


def test_order_of_sets_is_found(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(
        RULES.replace("next(Moves.count) % 10**9", "int(list({'1', '2', '3', '4', '5', '6', '7', '8', '9'})[0])")
    )
    rules = str(tmp_path / "rules.py")
    suite = conformance.ContestSuite("random_rules", tmp_path / "suite", rules=rules, sessions=2)
    with pytest.raises(conformance.ConformanceError, match="iterate over a set of texts"):
        conformance.hash_independence(suite)
    conformance.determinism(suite)


WORTH = """\
from tournament.rules import Decision, Int, Rules

ACT = Decision("act", "Act", observation={}, answer=Int(0, 1))


class Paying(Rules):
    name = "paying"
    seats = 3
    decisions = (ACT,)

    def play(self, session):
        yield [ACT(position) for position in range(3)]
        session.record(POINTS)
"""


@pytest.mark.parametrize(
    ("points", "worth"),
    [
        ("[2, -1, -1]", "position 0 earns +3 ± 0 a session more, position 1 earns -1.5 ± 0 a session more;"),
        ("[0, 0, 0]", ""),
        ("session.rng.sample([-1, 0, 1], 3)", ""),
    ],
)
def test_worth_of_positions_is_what_rules_pay_them(points: str, worth: str, tmp_path: Path) -> None:
    (tmp_path / "paying.py").write_text(WORTH.replace("POINTS", points))
    suite = conformance.ContestSuite("paying", tmp_path / "suite", rules=str(tmp_path / "paying.py"))
    conformance.positions(suite)
    assert conformance.worth_of_positions(suite).startswith(worth) and bool(worth) == bool(
        conformance.worth_of_positions(suite)
    )


def test_equal_bots_of_which_one_earns_more_over_blocks_are_found(tmp_path: Path) -> None:
    (tmp_path / "paying.py").write_text(WORTH.replace("POINTS", "[0, 0, 0]"))
    suite = conformance.ContestSuite("paying", tmp_path / "suite", rules=str(tmp_path / "paying.py"))
    table = suite.equal.tables["sessions"]
    for position in range(3):  # as rules would that know their bots
        table[f"points_{position}"] += (table[f"bot_{position}"] == "bot_1") * 0.1
    with pytest.raises(conformance.ConformanceError, match="equal bots earn"):
        conformance.positions(suite)
