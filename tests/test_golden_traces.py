"""Games of shipped bots, readable line by line, stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.golden_traces import GOLDEN, TRACES, trace
from tournament.contests import CONTESTS


@pytest.mark.parametrize("contest", [contest.name for contest in CONTESTS])
def test_games_are_the_golden_ones(contest: str, tmp_path: Path) -> None:
    """A difference means other games for everybody: results of the past no longer count."""
    assert trace(contest, tmp_path) == (GOLDEN / f"{contest}.txt").read_text()


def test_every_contest_has_golden_games() -> None:
    assert set(TRACES) == {contest.name for contest in CONTESTS}
