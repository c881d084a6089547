"""Tables of training environments for tests, with bots that a test writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.contest_runs import EXAMPLES
from tests.python_rules import play_legs
from tournament.config import load_config
from tournament.leg import Leg
from tournament.store.leg_result import LegResult
from tournament.training.environment import Environment, Turn
from tournament.training.table import Table, new_table

Policy = Callable[[Turn], object]

# Answers by what is seen, so that the games of two bots differ; each also as a bot in Python.
POKER: tuple[Policy, str] = (
    lambda turn: 9 * (turn.observation["card"] > 0.6) if turn.decision == "a" else int(turn.observation["card"] > 0.4),
    "def a(bot):\n    return 9 * (bot.card > 0.6)\n\ndef b(bot, bet):\n    return int(bot.card > 0.4)\n",
)
POKER_IN_C = (
    "int a(const Bot *bot) { return bot->card > 0.7 ? 5 : 0; }\n"
    "int b(const Bot *bot, const int bet) { return bot->card > 0.5; }\n"
)


def config_of(example: str) -> Path | None:
    """Return the settings of an example, or None for a built-in contest."""
    path = EXAMPLES / example / "tournament.toml"
    return path if path.exists() else None


def table_of(
    contest: str,
    opponents: Sequence[str | Path | Policy] = (),
    seats: Sequence[int] = (0,),
    *,
    seed: int | str = 5,
    config: Path | None = None,
    **settings: Any,
) -> Table:
    """Return a table of a built-in contest, an example, or rules of a test."""
    chosen = load_config(contest, config or config_of(contest), seed="1", **settings)
    return new_table(chosen, opponents, Path, lambda text: None, seats, seed)


def written(folder: Path, bots: Mapping[str, str]) -> list[str]:
    """Write bots by file name, and return their paths."""
    for name, source in bots.items():
        (folder / name).write_text(source)
    return [str(folder / name) for name in bots]


def played(table: Table, legs: Sequence[Leg]) -> list[LegResult]:
    """Play legs of a table at which all seats have bots, as a run does."""
    ended = play_legs(table.contest, table.settings, legs, table.artifacts, sandbox=table.sandbox)
    return sorted((result for result, _ in ended.values()), key=lambda result: result.number)


def points_of(environment: Environment, policy: Policy, sessions: int) -> list[dict[int, float]]:
    """Play sessions, and return the points of each by seat."""
    found = []
    for _ in range(sessions):
        for turn in environment:
            environment.answer(policy(turn))
        found.append(dict(environment.points))
    return found
