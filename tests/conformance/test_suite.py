"""The suite finds contests that break its rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournament import conformance

RULES = """\
import itertools
from tournament.rules import Column, Decision, Int, Rules

class Moves(Rules):
    name = "{name}"
    seats = 2
    decisions = (Decision("move", "Move", observation={{"turn": Int(0, 9, "turn")}}, answer=Int(0, 9, "a move")),)
    columns = (Column("moved", "int32", "{meaning}"),)

    count = itertools.count()

    def play(self, session):
        x = yield self.decisions[0](0, turn=1)
        y = yield self.decisions[0](1, turn=1)
        session.record([x - y, y - x], moved={moved})
"""


def suite_of(folder: Path, name: str, meaning: str = "a sum", moved: str = "x + y") -> conformance.ContestSuite:
    file = folder / "rules.py"
    file.write_text(RULES.format(name=name, meaning=meaning, moved=moved))
    return conformance.ContestSuite(name, folder / "suite", rules=str(file), sessions=4)


def test_a_column_without_a_meaning_is_found(tmp_path: Path) -> None:
    with pytest.raises(conformance.ConformanceError, match="column moved of games has no meaning"):
        conformance.documented(suite_of(tmp_path, "undocumented", meaning=" "))


def test_chance_from_elsewhere_is_found(tmp_path: Path) -> None:
    suite = suite_of(tmp_path, "random_rules", moved="next(Moves.count) % 10**9")
    with pytest.raises(conformance.ConformanceError, match="games has other values of moved when played in pieces"):
        conformance.determinism(suite)
    conformance.resume(suite)  # what is complete stays as it is
