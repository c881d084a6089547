"""Every built-in contest, the example and games of OpenSpiel pass the suite that authors of contests are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.contest_runs import EXAMPLE
from tournament import conformance
from tournament.contests import CONTESTS

SHORT: dict[str, dict[str, Any]] = {
    "von_neumann_poker": {"sessions": 8},
    "two_card_draw": {"sessions": 1, "hands": 32, "servers": 1},
    "holdem_training": {"sessions": 1, "hands": 20},
    "matrix_game": {"sessions": 4, "turns_per_game": 10},
    "liars_dice": {"rules": str(EXAMPLE / "liars_dice.py"), "sessions": 8},
    "leduc": {"rules": "open_spiel", "open_spiel_game": "leduc_poker", "sessions": 8},
    "goofspiel": {"rules": "open_spiel", "open_spiel_game": "goofspiel(num_cards=4)", "sessions": 8},
}
ALL = {rule.__name__ for rule in conformance.RULES}
# What `make test` looks at. Of the others, bots to start from and resuming have tests of their own.
SAMPLE = {
    "liars_dice": ALL,
    "von_neumann_poker": ALL - {"extremes"},
    "leduc": ALL - {"extremes", "determinism", "resume"},
}
CASES = [
    pytest.param(
        name,
        rule,
        id=f"{name}-{rule.__name__}",
        marks=() if rule.__name__ in SAMPLE.get(name, {"documented"}) else pytest.mark.thorough,
    )
    for name in SHORT
    for rule in conformance.RULES
]


@pytest.fixture(scope="module")
def trials() -> dict[str, conformance.Trial]:
    """Those that were made already, by contest."""
    return {}


@pytest.mark.parametrize(("name", "rule"), CASES)
def test_conforms(
    name: str,
    rule: Callable[[conformance.Trial], None],
    trials: dict[str, conformance.Trial],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    if name not in trials:
        trials[name] = conformance.Trial(name, tmp_path_factory.mktemp(name), **SHORT[name])
    rule(trials[name])


def test_every_built_in_contest_is_tried() -> None:
    assert {contest.name for contest in CONTESTS} <= set(SHORT)
