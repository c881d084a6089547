"""A pytest test of my game, which plays small contests between bots from `tournament new`."""

from pathlib import Path
from typing import Any

import pytest

from tournament import conformance

RULES = Path(__file__).parent / "my_game.py"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> conformance.ContestSuite:
    """Return the suite, whose contests are played once for all tests."""
    return conformance.ContestSuite("my_game", tmp_path_factory.mktemp("my_game"), rules=str(RULES), sessions=20)


@pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.__name__)
def test_contest_passes_conformance_suite(suite: conformance.ContestSuite, check: Any) -> None:
    """Check that the contest passes one of the suite's checks."""
    check(suite)
