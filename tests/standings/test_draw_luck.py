"""Two-card draw corrected for luck: values against a walk through all hands, mean zero, and hardly any variance."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from engine.games.two_card_draw.climbing import random_strategy
from engine.games.two_card_draw.core import (
    SITUATION_COUNT,
    CompiledStrategy,
    TwoCardDraw,
)
from engine.games.two_card_draw.luck import add_hands, share_actions
from engine.kernel.game_core import ANSWER_WANTED, BLOCK_COUNT
from engine.kernel.records import Table
from tests.oracles.deals import key_of
from tournament.contests.two_card_draw import LUCK_COLUMNS, TWO_CARD_DRAW
from tournament.contests.two_card_draw.luck import LegLuck
from tournament.contests.two_card_draw.strategy_file import ServerStrategy, write_strategy
from tournament.store.columns import buffer_fields

HANDS = [(low, high) for low in range(5) for high in range(low, 5)]
NEW_HAND, ROUND1, DRAW, ROUND2 = 1, 2, 3, 4
Bot = Callable[[int, Sequence[int]], int]


@cache
def server(seed: int) -> ServerStrategy:
    """One that does anything that is allowed, as often as chance has it."""
    rows = np.random.default_rng(seed).exponential(size=(SITUATION_COUNT, 3)) * (random_strategy(0) > 0)
    return ServerStrategy(2, 5, rows / rows.sum(axis=1, keepdims=True))


def steady(kind: int, told: Sequence[int]) -> int:
    """Forgets all: pairs and fours bet and raise, low cards fold; draws by what it holds."""
    low, high, *rest = told
    good = low == high or high == 4
    if kind == NEW_HAND:
        return int(good)
    if kind == DRAW:
        return 0 if low == high else 1 if high > 2 else 2
    bets = rest[0] if kind == ROUND1 else rest[1]
    if bets == 0:
        return 2 if good else 1
    return 2 if good and high > 2 else 1 if good or high > 1 else 0


def hands_played(bot: Bot, seed: int, hands: int, of: ServerStrategy) -> dict[str, npt.NDArray[Any]]:
    """The records of a session."""
    games = Table(buffer_fields(TWO_CARD_DRAW.games), hands)
    sessions = Table(buffer_fields(TWO_CARD_DRAW.sessions), 1)
    core = TwoCardDraw(
        games, sessions, deals_key=key_of(seed), hands=hands, bet1=of.bet1, bet2=of.bet2,
        server=CompiledStrategy(of.rows),
    )  # fmt: skip
    status = core.play()
    while status == ANSWER_WANTED:
        kind, _, told, _ = core.pending()
        status = core.play(bot(kind, told) if NEW_HAND <= kind <= ROUND2 else 0)
    assert games.rows == hands
    return {name: games.arrays[name].copy() for name in LUCK_COLUMNS}


@cache
def content_of(seed: int) -> bytes:
    return write_strategy(server(seed)).encode()


class Moody:
    """Plays by what the last showdowns brought, and at random."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._winnings = 0

    def __call__(self, kind: int, told: Sequence[int]) -> int:
        if kind == NEW_HAND:
            self._winnings = told[2]
        if self._chance.random() < 0.2:
            return self._chance.randrange(2 if kind == NEW_HAND else 3)
        if self._winnings > 0:
            return steady(kind, told)
        return 0 if kind == NEW_HAND else 1


def luck_of(games: dict[str, npt.NDArray[Any]], hands: int, of: int, edges: Sequence[int] = ()) -> LegLuck:
    luck = LegLuck(hands, content_of(of))
    for first, end in itertools.pairwise([0, *edges, hands]):
        luck.add({name: values[first:end] for name, values in games.items()})
    return luck


@pytest.mark.statistical
def test_luck_has_mean_zero_also_with_a_bot_that_remembers() -> None:
    """Over sessions of one that plays otherwise when it is ahead; much of what is left is its moods."""
    sessions, hands = 100, 128
    luck, points = np.zeros(sessions), np.zeros(sessions)
    for number in range(sessions):
        games = hands_played(Moody(number), number, hands, server(1))
        luck[number] = luck_of(games, hands, 1).blocks().sum()
        points[number] = games["x_gain"].sum()
    assert abs(luck.mean()) < 3.5 * luck.std() / math.sqrt(sessions)
    assert (points - luck).var() < 0.6 * points.var()


def test_of_a_bot_that_forgets_next_to_nothing_is_left() -> None:
    hands = 2000
    games = hands_played(steady, 1, hands, server(2))
    gain = games["x_gain"].astype(float)
    edges = -(-np.arange(BLOCK_COUNT + 1) * hands // BLOCK_COUNT)
    of_block = np.array([gain[first:end].sum() for first, end in itertools.pairwise(edges)])
    left = of_block - luck_of(games, hands, 2).blocks()
    assert left[16:].var() < 0.1 * of_block[16:].var()


def test_hands_may_come_in_any_pieces() -> None:
    games = hands_played(Moody(3), 3, 333, server(1))
    whole = luck_of(games, 333, 1).blocks()
    assert np.array_equal(luck_of(games, 333, 1, [1, 10, 11, 42, 300]).blocks(), whole)
    assert np.abs(whole).max() > 0


def test_what_is_no_hand_is_refused() -> None:
    games = hands_played(steady, 1, 40, server(1))
    for name, value in (("x_dealt", 21), ("x_held", 45), ("bets1", 4), ("x_drew", 3), ("rounds", 3), ("folded", 9)):
        with pytest.raises(ValueError, match="no hand"):
            luck_of(games | {name: np.full(40, value, np.uint8)}, 40, 1)
    with pytest.raises(ValueError, match="more hands"):
        luck_of({name: np.tile(values, 2) for name, values in games.items()}, 80, 1).add(games)
    with pytest.raises(ValueError, match="lengths"):
        luck_of(games | {"bets2": games["bets2"][1:]}, 40, 1)
    with pytest.raises(ValueError, match="shape"):
        share_actions(np.zeros((5, 3), np.int32), 1, 1, np.zeros((5, 3)))
    columns = [games[name] for name in LUCK_COLUMNS]
    with pytest.raises(ValueError, match="shape"):
        add_hands(*columns, 0, 40, 0.0, np.zeros((5, 3)), np.zeros((5, 3), np.int32), np.zeros(32))  # type: ignore[call-arg, arg-type]
