"""Environments pass PettingZoo's own test."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from tests.training.support import table_of
from tests.training.test_vector import written_poker
from tournament.rules import Int
from tournament.training.aec import AnswerSpace, TournamentAEC
from tournament.training.environment import Environment


def aec_of(contest: str, opponents: Sequence[str] = (), *, seats: Sequence[int] = (), **settings: Any) -> TournamentAEC:
    return TournamentAEC(Environment(table_of(contest, list(opponents), seats, **settings)))


# Two to six seats; a house; lists as answers; texts.
@pytest.mark.parametrize(
    ("contest", "seats", "settings"),
    [
        ("von_neumann_poker", (), {}),
        ("auction", (0, 1, 2, 3, 4, 5), {}),
        ("blotto", (), {}),
        ("words", (), {}),
        ("two_card_draw", (0,), {"hands": 32}),
    ],
)
def test_api(contest: str, seats: Sequence[int], settings: dict[str, Any]) -> None:
    environment = aec_of(contest, seats=seats, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(environment, num_cycles=50)
    environment.close()


def test_seed_repeats_games() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seed_test(lambda: aec_of("von_neumann_poker"), num_cycles=50)


def test_reward_at_end_is_points_of_session() -> None:
    environment = aec_of("von_neumann_poker")
    environment.reset(seed=3)
    totals = dict.fromkeys(environment.agents, 0.0)
    for agent in environment.agent_iter():
        _, reward, over, _, _ = environment.last()
        assert over or reward == 0
        totals[agent] += reward
        environment.step(None if over else 0)
    assert totals["seat_0"] == -totals["seat_1"] != 0
    environment.close()


def test_mask_has_the_legal_actions_and_others_are_illegal() -> None:
    environment = aec_of("liars_dice")
    environment.reset(seed=3)
    for _ in range(5):
        seen, _, _, _, info = environment.last()
        legal = np.flatnonzero(seen["action_mask"]) + environment._first
        assert legal.tolist() == sorted(info["turn"].observation["legal_actions"])
        environment.step(int(legal[-1]) if len(legal) < 30 else int(legal[1]))
        assert "illegal" not in environment.infos["seat_0"]
    narrowed = replace(info["turn"], observation={}, narrowed=Int(2, 3))
    assert np.flatnonzero(environment._mask(narrowed)).tolist() == [2, 3]
    environment.reset(seed=3)
    agent = environment.agent_selection
    environment.step(0)
    assert "which is no answer to this" in environment.infos[agent]["illegal"]
    environment.close()


def test_answers_that_are_no_numbers_have_a_space() -> None:
    environment = aec_of("blotto")
    environment.reset(seed=3)
    space = environment.action_space("seat_0")
    assert isinstance(space, AnswerSpace)
    assert space.contains(space.sample()) and not space.contains("three")
    environment.close()


def test_bots_take_the_other_seats() -> None:
    environment = aec_of("von_neumann_poker", [written_poker()], seats=(0,))
    assert environment.possible_agents == ["seat_0"]
    environment.close()
