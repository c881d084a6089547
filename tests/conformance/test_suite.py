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
