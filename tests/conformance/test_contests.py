"""Every built-in contest, the examples and games of OpenSpiel pass the suite that authors of contests are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.contest_runs import EXAMPLES
from tournament import conformance
from tournament.contests import CONTESTS

SHORT: dict[str, dict[str, Any]] = {
    "von_neumann_poker": {"sessions": 8},
    "two_card_draw": {"sessions": 1, "hands": 32, "servers": 1},
    "holdem_training": {"sessions": 1, "hands": 20},
    "matrix_game": {"sessions": 4, "turns_per_game": 10},
    "liars_dice": {"rules": str(EXAMPLES / "liars_dice" / "liars_dice.py"), "sessions": 8},
    "words": {"rules": str(EXAMPLES / "words" / "words.py"), "sessions": 4},
    "auction": {"rules": str(EXAMPLES / "auction" / "auction.py"), "sessions": 4},
    "snakes": {"rules": str(EXAMPLES / "snakes" / "snakes.py"), "sessions": 2, "seats": 4, "turns": 20},
    "holdem": {"rules": str(EXAMPLES / "holdem" / "holdem.py"), "sessions": 1, "seats": 6, "hands": 5},
    "leduc": {"rules": "open_spiel", "open_spiel_game": "leduc_poker", "sessions": 8},
    "goofspiel": {"rules": "open_spiel", "open_spiel_game": "goofspiel(num_cards=4)", "sessions": 8},
}
ALL = {check.__name__ for check in conformance.CHECKS}
# What `make test` looks at. Bots to start from, resuming and the order of sets have tests of their own.
SAMPLE = {
    "snakes": ALL - {"extremes", "hash_independence"},
    "liars_dice": {"documented", "conservation", "extremes"},
    "von_neumann_poker": ALL - {"extremes", "hash_independence"},
    "leduc": {"documented", "conservation", "illegal"},
}
CASES = [
    pytest.param(
        name,
        check,
        id=f"{name}-{check.__name__}",
        marks=() if check.__name__ in SAMPLE.get(name, {"documented"}) else pytest.mark.thorough,
    )
    for name in SHORT
    for check in conformance.CHECKS
]


@pytest.fixture(scope="module")
def suites() -> dict[str, conformance.ContestSuite]:
    """Return the suites that were made already, by contest."""
    return {}


@pytest.mark.parametrize(("name", "check"), CASES)
def test_conforms(
    name: str,
    check: Callable[[conformance.ContestSuite], None],
    suites: dict[str, conformance.ContestSuite],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if name not in suites:
        suites[name] = conformance.ContestSuite(name, tmp_path_factory.mktemp(name), **SHORT[name])
    check(suites[name])


def test_every_built_in_contest_is_tried() -> None:
    assert {contest.name for contest in CONTESTS} <= set(SHORT)
