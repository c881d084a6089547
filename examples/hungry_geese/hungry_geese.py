"""Hungry Geese of Kaggle (2021), played by its engine.

It needs: pip install --no-deps kaggle-environments jsonschema requests
"""

from types import FunctionType
from typing import Any

from tournament.rules import Choice, Column, Decision, Int, List, Questions, Rules, Session

ROWS, COLUMNS, SEATS = 7, 11, 4
CELL = Int(0, ROWS * COLUMNS - 1)

MOVE = Decision(
    "move",
    "Choose where your goose goes; the grid has no borders",
    observation={
        "geese": List(List(CELL, ROWS * COLUMNS), SEATS, "cells of each goose from its head on; none if it is gone"),
        "food": List(CELL, ROWS * COLUMNS, "cells with food"),
        "step": Int(0, 200, "steps so far"),
    },
    answer=Choice(["NORTH", "EAST", "SOUTH", "WEST"], "never the opposite of the last one"),
)


class HungryGeese(Rules):
    name = "hungry_geese"
    title = "Hungry Geese"
    description = "Four geese move together on a grid of 7 by 11; who lives longer, then who is longer, is ahead."
    points_unit = "a point for each goose with less of Kaggle's reward, less one for each with more"
    seats = SEATS
    decisions = (MOVE,)
    columns = (Column("reward", "int32", "Kaggle's reward: 100 · steps + length", per_seat=True),)
    requires = ("kaggle-environments",)

    def play(self, session: Session) -> Questions:
        self.env = env = engine(session.rng.sample)
        while not env.done:
            seen = env.state[0].observation
            told: dict[str, Any] = {"geese": seen.geese, "food": seen.food, "step": seen.step}
            active = [seat for seat in range(SEATS) if env.state[seat].status == "ACTIVE"]
            chosen = yield [MOVE(seat, **told) for seat in active]
            env.step([chosen.get(seat) for seat in range(SEATS)])
        reward = [one.reward for one in env.state]
        session.record([sum((a > b) - (a < b) for b in reward) for a in reward], reward=reward)

    def render(self) -> str:
        return str(self.env.render(mode="ansi"))


def engine(sample: Any) -> Any:
    """Kaggle's engine, whose only source of chance is `sample`."""
    from kaggle_environments import make

    env = make("hungry_geese")
    env.interpreter = FunctionType(env.interpreter.__code__, {**env.interpreter.__globals__, "sample": sample})
    env.reset(SEATS)
    return env
