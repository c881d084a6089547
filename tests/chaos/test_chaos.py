"""Rounds of chaos, and that it would notice records that lie."""

from __future__ import annotations

import pytest

from tests.chaos.faults import FAULTS
from tests.chaos.rounds import Ground, Round, play_rounds
from tests.contest_runs import bot_source
from tests.forks import Ended


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(tmp_path_factory.mktemp("chaos"))


@pytest.mark.slow
def test_six_rounds(ground: Ground) -> None:
    said: list[str] = []
    table = play_rounds(ground, FAULTS, rounds=6, seed=20, say=said.append)
    assert said == []
    assert sum(1 for came in table.values() if came) == 6


@pytest.mark.slow
def test_lies_crashes_and_silence_are_noticed(ground: Ground) -> None:
    def other_games(round_: Round) -> None:
        round_.place.write_bot("bold", bot_source(1, 1))

    def crash(round_: Round) -> Ended:
        return round_.server.run(round_.arguments(), "1 / 0")

    def silence(round_: Round) -> Ended:
        return round_.server.run(round_.arguments(), "import os; os._exit(3)")

    said: list[str] = []
    table = play_rounds(ground, (other_games, crash, silence), rounds=3, seed=1, say=said.append)
    assert [came["WRONG"] for came in table.values()] == [1, 1, 1]
    for text in ("other records: ", "it crashes: ", "exit 3 without a word"):
        assert any(text in line for line in said)
