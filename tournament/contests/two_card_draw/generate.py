"""Makes servers by hill climbing from a random start, as in the problem's statement."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.games.two_card_draw.climbing import HillClimber, random_strategy
from tournament.cache import cache_folder, get_or_make
from tournament.contests.two_card_draw.strategy_file import ServerStrategy, write_strategy

# Part of every cached strategy's name: raise it when the same numbers give another strategy.
_METHOD = "2"
_CHUNK = 10_000


@dataclass(frozen=True)
class Recipe:
    """The parameters that determine a generated server.

    Attributes:
        bet1: Chips of a bet in round 1.
        bet2: Chips of a bet in round 2.
        iterations: Steps of the hill climbing.
        seed: Seed of start and steps, below 2^256.
    """

    bet1: int
    bet2: int
    iterations: int
    seed: int


def generate(recipe: Recipe, watch: Callable[[int, float], None] = lambda steps, value: None) -> ServerStrategy:
    """Make a server by hill climbing.

    Args:
        recipe: The server's parameters.
        watch: Called after each 10,000 steps and the last one, with the steps done and the trembling value in chips per
            hand. By default nothing is called.

    Returns:
        The strategy, with an array of its own.
    """
    climber = HillClimber(random_strategy(recipe.seed), recipe.bet1, recipe.bet2)
    for first in range(0, recipe.iterations, _CHUNK):
        steps = min(_CHUNK, recipe.iterations - first)
        climber.climb(recipe.seed, first, steps)
        watch(first + steps, climber.trembling_value())
    return ServerStrategy(recipe.bet1, recipe.bet2, climber.strategy())


def cached_at(recipe: Recipe) -> Path:
    """Return the path of a generated server in the cache, where there might be no file yet.

    Raises:
        RunError: No home is known for the cache, or others than this user and root can write to it.
    """
    key = json.dumps([_METHOD, recipe.bet1, recipe.bet2, recipe.iterations, recipe.seed])
    return cache_folder() / "strategies" / f"{hashlib.sha256(key.encode()).hexdigest()}.sealed"


def generated_text(recipe: Recipe) -> bytes:
    """Return the content of a generated server's file, from the cache, or made and stored there.

    Raises:
        RunError: The cache can't be read or written, others can write to it, or no home is known for it.
    """
    return get_or_make(cached_at(recipe), lambda: write_strategy(generate(recipe)).encode())
