"""Making servers: by hill climbing from a random start, as the problem's statement says, and as equilibria."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.games.two_card_draw.climbing import HillClimber, random_strategy
from engine.games.two_card_draw.equilibria import EquilibriumSolver
from engine.games.two_card_draw.evaluation import StrategyEvaluator
from tournament.cache import cache_folder, remembered
from tournament.contests.two_card_draw.strategy_file import ServerStrategy, write_strategy

# Part of every cached strategy's name: raise it when the same numbers give another strategy.
_METHOD = "2"
_CHUNK = 10_000


@dataclass(frozen=True)
class Recipe:
    """What determines a generated server; the seed is below 2^256."""

    bet1: int
    bet2: int
    iterations: int
    seed: int


def generate(recipe: Recipe, watch: Callable[[int, float], None] = lambda steps, value: None) -> ServerStrategy:
    """Climb. `watch` gets the steps done and the trembling value, at most a few times a second."""
    climber = HillClimber(random_strategy(recipe.seed), recipe.bet1, recipe.bet2)
    for first in range(0, recipe.iterations, _CHUNK):
        steps = min(_CHUNK, recipe.iterations - first)
        climber.climb(recipe.seed, first, steps)
        watch(first + steps, climber.trembling_value())
    return ServerStrategy(recipe.bet1, recipe.bet2, climber.strategy())


def cached_at(recipe: Recipe) -> Path:
    """Where a generated server is kept."""
    key = json.dumps([_METHOD, recipe.bet1, recipe.bet2, recipe.iterations, recipe.seed])
    return cache_folder() / "strategies" / f"{hashlib.sha256(key.encode()).hexdigest()}.sealed"


def generated_text(recipe: Recipe) -> bytes:
    """The file of a generated server, from the cache if it was made before."""
    return remembered(cached_at(recipe), lambda: write_strategy(generate(recipe)).encode())


@dataclass(frozen=True)
class Equilibrium:
    """A server's strategy and its bounds: it wins `value` a hand for sure, and no server wins more than `most`."""

    strategy: ServerStrategy
    value: float
    most: float

    @property
    def exploitability(self) -> float:
        """How much less than the best server it wins at most, in chips a hand."""
        return self.most - self.value


def solve(
    bet1: int,
    bet2: int,
    exploitability: float,
    most_iterations: int = 200_000,
    watch: Callable[[int, Equilibrium], None] = lambda iterations, found: None,
) -> Equilibrium:
    """Iterate until the server found is within `exploitability` chips a hand of the best, or iterations run out. The
    bound is the best answer to the strategy of the bot that was found with it."""
    solver = EquilibriumSolver(bet1, bet2)
    done = 0
    chunk = 200
    while True:
        server, bot = solver.iterate(chunk)
        done += chunk
        settled = normalised(server)
        evaluator = StrategyEvaluator(settled, bet1, bet2)
        found = Equilibrium(ServerStrategy(bet1, bet2, settled), evaluator.value(), evaluator.best_answer(bot))
        watch(done, found)
        if found.exploitability <= exploitability or done >= most_iterations:
            return found
        chunk = min(done, 5_000, most_iterations - done)


def normalised(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Rows as a file gives them back: each adds up to 1."""
    clipped = np.clip(rows, 0, 1)
    return np.asarray(clipped / clipped.sum(axis=1, keepdims=True))
