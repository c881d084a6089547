"""Every built-in contest, the example and games of OpenSpiel pass the suite that authors of contests are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.example_contest import example_is_installed
from tournament import conformance
from tournament.contests import CONTESTS

SHORT: dict[str, dict[str, Any]] = {
    "von_neumann_poker": {"sessions": 8},
    "two_card_draw": {"sessions": 2, "hands": 60},
    "holdem_training": {"sessions": 2, "hands": 20},
    "liars_dice": {"sessions": 8},
    "leduc": {"rules": "open_spiel", "open_spiel": "leduc_poker", "sessions": 8},
    "goofspiel": {"rules": "open_spiel", "open_spiel": "goofspiel(num_cards=4)", "sessions": 8},
}


@pytest.fixture(scope="module", params=SHORT)
def tried(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> conformance.Trial:
    name = request.param
    if name == "liars_dice":
        request.getfixturevalue(example_is_installed.__name__)
    return conformance.Trial(name, tmp_path_factory.mktemp(name), **SHORT[name])


@pytest.mark.parametrize("rule", conformance.RULES, ids=lambda rule: rule.__name__)
def test_conforms(tried: conformance.Trial, rule: Callable[[conformance.Trial], None]) -> None:
    rule(tried)


def test_every_built_in_contest_is_tried() -> None:
    assert {contest.name for contest in CONTESTS} <= set(SHORT)
