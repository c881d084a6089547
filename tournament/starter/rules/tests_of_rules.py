"""My game: a test of its rules, by pytest; it plays small contests between bots as `tournament new` writes them."""

from pathlib import Path
from typing import Any

import pytest

from tournament import conformance

RULES = Path(__file__).parent / "my_game.py"


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> conformance.Trial:
    return conformance.Trial("my_game", tmp_path_factory.mktemp("my_game"), rules=str(RULES), sessions=20)


@pytest.mark.parametrize("rule", conformance.RULES, ids=lambda rule: rule.__name__)
def test_contest_holds_to_what_every_contest_must(tried: conformance.Trial, rule: Any) -> None:
    rule(tried)
