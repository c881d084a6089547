"""An environment plays what a contest plays, and the caller is a bot like others."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from tests.processes import wait_until_exited
from tests.training.support import POKER, POKER_IN_C, played, points_of, table_of, written
from tournament.errors import InputError
from tournament.training.environment import Environment, Turn
from tournament.training.sessions import Sessions

POLICY, IN_PYTHON = POKER
BIDS = "def bid(view):\n    return view.value // 2\n"


def bid(turn: Turn) -> object:
    return turn.observation["value"] // 2


def test_open_seat_that_answers_alike_gets_same_points(tmp_path: Path) -> None:
    (opponent,) = written(tmp_path, {"other.c": POKER_IN_C})
    (mine,) = written(tmp_path, {"mine.py": IN_PYTHON})
    table = table_of("von_neumann_poker", [opponent], sessions=60)
    of_bots = table_of("von_neumann_poker", [mine, opponent], seats=(), sessions=60)
    results = played(of_bots, [of_bots.leg(0, number) for number in range(2)])
    with Environment(table) as environment:
        points = points_of(environment, POLICY, 120)
    by_leg = [sum(one[seat] for one in points[:60]) for seat in range(2)]
    by_leg += [sum(one[seat] for one in points[60:]) for seat in range(2)]
    expected = [one.points for result in results for one in result.sums]
    assert by_leg == pytest.approx(expected, rel=1e-12)
    assert len({*by_leg}) == 4, "the legs differ"


def test_three_seats_answer_together(tmp_path: Path) -> None:
    paths = written(tmp_path, {"first.py": BIDS, "second.py": BIDS.replace("2", "3"), "third.py": BIDS})
    of_bots = table_of("auction", paths, seats=(), sessions=40)
    (result,) = played(of_bots, [of_bots.leg(0, 0)])
    with Environment(table_of("auction", paths[1:], sessions=40)) as environment:
        points = points_of(environment, bid, 40)
    policies = [lambda turn: turn.observation["value"] // 3, bid]
    with Environment(table_of("auction", policies, sessions=40)) as environment:
        assert points_of(environment, bid, 40) == points
    assert [sum(one[seat] for one in points) for seat in range(3)] == [one.points for one in result.sums]


def test_illegal_answer_counts_as_default() -> None:
    def careless(answer: object) -> tuple[list[dict[int, float]], list[str]]:
        seen, points = [], []
        with Environment(table_of("blotto", [], seats=())) as environment:
            for _ in range(2):
                for turn in environment:
                    environment.answer(answer if turn.seat == 1 else np.array([4, 3, 3]))
                    if turn.seat == 1:
                        seen.append(environment.illegal)
                    else:
                        assert environment.illegal == ""
                points.append(dict(environment.points))
        return points, seen

    by_default, legal = careless([2] * 5)
    assert legal == [""] * 10
    for wrong in ([1] * 6, [11], "none", None, 3.5, 1 << 70, {"x": object()}):
        points, said = careless(wrong)
        assert points == by_default, wrong
        assert len(said) == 10 and all(said), wrong


def test_seed_repeats_games_and_reset_begins_the_next_session() -> None:
    def first_cards(environment: Environment, seed: int | None) -> list[float]:
        cards = [environment.reset(seed).observation["card"]]
        environment.answer(0)
        for number in range(1, 6):
            turn = environment.reset()
            assert turn.session == number
            cards.append(turn.observation["card"])
        return cards

    with Environment(table_of("von_neumann_poker", seats=(0, 1), seed=1)) as environment:
        once = first_cards(environment, None)
        assert first_cards(environment, 2) != once
        assert first_cards(environment, 1) == once
    assert len(set(once)) == 6


def bots_of(sessions: Sessions) -> list[int]:
    """Return the processes of the bots."""
    return [process.confined.pid for process in sessions._legs.pool.by_channel.values()]


def test_environment_that_is_left_ends_its_processes(tmp_path: Path) -> None:
    (opponent,) = written(tmp_path, {"other.py": IN_PYTHON})
    environment = Environment(table_of("von_neumann_poker", [opponent]))
    environment.reset()
    several = environment.vectorize(3)
    started = bots_of(environment._sessions) + bots_of(several._sessions)
    assert len(started) == 2
    del environment, several
    gc.collect()
    assert wait_until_exited(started, 10)


def test_broken_opponent_is_named(tmp_path: Path) -> None:
    (opponent,) = written(tmp_path, {"broken.py": IN_PYTHON.replace("bot.card > 0.6", "bot.nothing")})
    with (
        pytest.raises(InputError, match=r"broken.*nothing"),
        Environment(table_of("von_neumann_poker", [opponent], max_faults=3)) as environment,
    ):
        points_of(environment, POLICY, 50)


@pytest.mark.parametrize(
    ("contest", "opponents", "seats", "why"),
    [
        ("von_neumann_poker", [POLICY, POLICY], (0,), "opponents: 2 for 1 seats"),
        ("von_neumann_poker", [], (2,), "seat: 2; expected different numbers from 0 to 1"),
        ("auction", [], (0,), "has a seat for every bot"),
    ],
)
def test_impossible_table_is_refused(contest: str, opponents: list[object], seats: tuple[int, ...], why: str) -> None:
    with pytest.raises(InputError, match=why):
        Environment(table_of(contest, opponents, seats))  # type: ignore[arg-type]


def test_turn_left_open_and_ended_session_are_said() -> None:
    with Environment(table_of("von_neumann_poker", seats=(0, 1))) as environment:
        turns = iter(environment)
        next(turns)
        with pytest.raises(InputError, match="wasn't answered"):
            next(turns)
        while environment.turn:
            environment.answer(0)
        with pytest.raises(InputError, match=r"reset\(\) begins the next"):
            environment.answer(0)
