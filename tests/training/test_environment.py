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
RULES = '''\
"""Three positions bid together a list of numbers for prizes; then each names a prize in turn."""

from tournament.rules import Choice, Column, Decision, Int, List, Questions, Rules, Session


class Prizes(Rules):
    name = "prizes"
    seats = 3
    zero_sum = False
    decisions = (
        Decision("bid", "Bid", observation={"worth": List(Int(0, 9), 2, "prizes")},
                 answer=List(Int(0, 9), 2, "bids"), default=[0, 0]),
        Decision("name", "Name one", observation={"total": Int(0, 60, "of all bids")},
                 answer=Choice(["left", "right"], "a side")),
    )
    columns = (Column("total", "int32", "of all bids"),)

    def play(self, session: Session) -> Questions:
        worth = [session.rng.randint(0, 9), session.rng.randint(0, 9)]
        bids = yield [self.ask.bid(position, worth=worth) for position in range(3)]
        total = sum(map(sum, bids.values()))
        sides = []
        for position in range(3):
            sides.append((yield self.ask.name(position, total=total)))
        points = [sum(bids[position]) * (2 if sides[position] == "left" else 1) for position in range(3)]
        session.record(points, total=total)
'''
SIDES = "def name(view):\n    return 'left' if view.total % 2 else 'right'\n"
FIRST = f"def bid(view):\n    return [view.worth[0], 1]\n\n{SIDES}"
SECOND = f"def bid(view):\n    return [view.worth[1] // 2, view.seat]\n\n{SIDES}"


def first_of_prizes(turn: Turn) -> object:
    seen = turn.observation
    if turn.decision == "bid":
        return [seen["worth"][0], 1]
    return "left" if seen["total"] % 2 else "right"


@pytest.fixture
def prizes(tmp_path: Path) -> Path:
    (tmp_path / "prizes.py").write_text(RULES)
    config = tmp_path / "tournament.toml"
    config.write_text('[prizes]\nrules = "prizes.py"\nsessions = 40\n')
    return config


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


def test_three_seats_lists_and_questions_together(prizes: Path, tmp_path: Path) -> None:
    paths = written(tmp_path, {"first.py": FIRST, "second.py": SECOND, "third.py": SECOND})
    open_table = table_of("prizes", paths[1:], seats=(0,), config=prizes)
    of_bots = table_of("prizes", paths, seats=(), config=prizes)
    (result,) = played(of_bots, [of_bots.leg(0, 0)])
    with Environment(open_table) as environment:
        points = points_of(environment, first_of_prizes, 40)

    def second(turn: Turn) -> object:
        return (
            first_of_prizes(turn)
            if turn.decision == "name"
            else [turn.observation["worth"][1] // 2, turn.observation["seat"]]
        )

    with Environment(table_of("prizes", [second, second], config=prizes)) as environment:
        assert points_of(environment, first_of_prizes, 40) == points
    assert [sum(one[seat] for one in points) for seat in range(3)] == [one.points for one in result.sums]


def test_illegal_answer_counts_as_default(prizes: Path) -> None:
    def careless(answer: object) -> tuple[list[dict[int, float]], list[str]]:
        seen, points = [], []
        with Environment(table_of("prizes", [], seats=(), config=prizes)) as environment:
            for _ in range(5):
                for turn in environment:
                    environment.answer(answer if turn.decision == "bid" and turn.seat == 1 else first_of_prizes(turn))
                    if turn.decision == "bid" and turn.seat == 1:
                        seen.append(environment.illegal)
                    else:
                        assert environment.illegal == ""
                points.append(dict(environment.points))
        return points, seen

    by_default, legal = careless([0, 0])
    assert legal == [""] * 5
    for wrong in ([1, 2, 3], [10], "none", None, 3.5, 1 << 70, {"x": object()}):
        points, said = careless(wrong)
        assert points == by_default, wrong
        assert len(said) == 5 and all(said), wrong


def test_numbers_of_numpy_are_numbers(prizes: Path) -> None:
    with Environment(table_of("prizes", seats=(), config=prizes)) as environment:
        for turn in environment:
            environment.answer(np.array([1, 2]) if turn.decision == "bid" else np.int64(0))
            assert environment.illegal == ""


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
