"""An environment plays what a contest plays, and the caller is a bot like others."""

from __future__ import annotations

import gc
import os
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tournament
from tests.processes import wait_until_exited
from tests.training.support import POKER, POKER_IN_C, played, points_of, table_of, written
from tournament.config import Config
from tournament.errors import InputError
from tournament.training.environment import Environment, Turn
from tournament.training.sessions import Sessions

POLICY, IN_PYTHON = POKER
AS_PROGRAM = """\
import json, sys
sys.stdin.readline()
for line in sys.stdin:
    if not line.startswith("{"):
        break
    asked = json.loads(line)
    print("ACTION", 7 * (asked["card"] > 0.5) if asked["decision"] == "a" else int(asked["card"] > 0.3), flush=True)
"""
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
NEWS = """\
from tournament.rules import Decision, Int, News, Rules


class Told(Rules):
    name = "news"
    seats = 2
    decisions = (
        Decision("say", "Say one", observation={}, answer=Int(0, 9)),
        News("begin", "It begins", observation={}),
        News("over", "It is over", observation={"won": Int(-1, 1)}),
    )

    def play(self, session):
        yield [self.ask.begin(0), self.ask.begin(1)]
        said = yield [self.ask.say(0), self.ask.say(1)]
        won = 1 if said[0] < said[1] else -1
        yield self.ask.over(0, won=won)
        yield self.ask.over(1, won=-won)
        session.record([won, -won])
"""
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


@pytest.mark.parametrize("suffix", [".c", ".py", ""])
def test_open_seat_that_answers_alike_gets_same_points(suffix: str, tmp_path: Path) -> None:
    source = {".c": POKER_IN_C, ".py": IN_PYTHON.replace("0.6", "0.8"), "": AS_PROGRAM}[suffix]
    if suffix:
        (opponent,) = written(tmp_path, {f"other{suffix}": source})
    else:
        (tmp_path / "other").mkdir()
        opponent = str(tmp_path / "other")
        written(tmp_path / "other", {"bot.py": source, "bot.toml": 'command = ["python3", "bot.py"]\n'})
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


@pytest.mark.parametrize("wrong", [True, 2.5, "x", None, 1 << 70, [1], {"x": object()}])
def test_answer_that_is_no_number_is_illegal(wrong: object) -> None:
    with Environment(table_of("liars_dice", seats=(0, 1))) as environment:
        environment.reset()
        environment.answer(wrong)
        assert "number" in environment.illegal or "which is no answer" in environment.illegal
        assert environment.turn and environment.turn.observation["last_bid"] == 1, "the default counts"


def test_numbers_of_numpy_are_numbers(prizes: Path) -> None:
    with Environment(table_of("prizes", seats=(), config=prizes)) as environment:
        for turn in environment:
            environment.answer(np.array([1, 2]) if turn.decision == "bid" else np.int64(0))
            assert environment.illegal == ""


def test_news_need_no_answer(tmp_path: Path) -> None:
    config = tmp_path / "tournament.toml"
    config.write_text('[news]\nrules = "news.py"\n')
    (tmp_path / "news.py").write_text(NEWS)

    def silent(turn: Turn) -> object:
        return None if turn.is_news else 2

    with Environment(table_of("news", [silent], config=config)) as environment:
        seen = []
        for turn in environment:
            seen.append((turn.decision, turn.is_news))
            if not turn.is_news:
                environment.answer(1)
        assert seen == [("begin", True), ("say", False), ("over", True)]
        assert environment.points == {0: -1.0, 1: 1.0} or environment.points == {0: 1.0, 1: -1.0}


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


def test_games_are_not_those_of_a_match(tmp_path: Path) -> None:
    paths = written(tmp_path, {"one.py": IN_PYTHON, "other.py": IN_PYTHON})
    cards = set()

    def look(config: Config, report: object) -> None:
        games = tournament.load(f"{config.results}/von_neumann_poker").games
        cards.update(games.a_card.tolist() + games.b_card.tolist())

    tournament.match("von_neumann_poker", *paths, sessions=20, seed="5", look=look)
    with Environment(table_of("von_neumann_poker", seats=(0, 1), seed="5")) as environment:
        shown = {turn.observation["card"] for _ in range(20) for turn in answered(environment)}
    assert len(cards) > 300 and len(shown) > 300 and not cards & shown


def answered(environment: Environment) -> list[Turn]:
    turns = []
    for turn in environment:
        turns.append(turn)
        environment.answer(1)
    return turns


def bots_of(sessions: Sessions) -> list[int]:
    """Return the processes of the bots."""
    return [process.confined.pid for process in sessions._legs.pool.by_channel.values()]


def test_killed_bot_plays_on_without_repeated_turns(tmp_path: Path) -> None:
    """Legs begin again with the answers that were given."""
    (opponent,) = written(tmp_path, {"other.py": IN_PYTHON.replace("0.6", "0.8")})
    table, tries = table_of("von_neumann_poker", [opponent], sessions=60), list[int]()

    def turns(kill_after: int | None) -> list[tuple[Turn, float]]:
        found: list[tuple[Turn, float]] = []
        with Environment(table) as environment:
            for _ in range(30):
                for turn in environment:
                    if len(found) == kill_after:
                        os.kill(bots_of(environment._sessions)[0], signal.SIGKILL)
                    environment.answer(POLICY(turn))
                    found.append((turn, environment.points.get(0, 0.0)))
            (leg,) = environment._sessions.waiting
            tries.append(leg.tries)
        return found

    assert turns(kill_after=100) == turns(kill_after=None)
    assert tries == [2, 1], "the leg began again"


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


def test_house_player_is_made_once() -> None:
    """Servers of two-card draw take longer than a leg."""
    table, made = table_of("two_card_draw", hands=32), list[bytes]()
    house = table.contest.house
    assert house
    counted = replace(house, practice=lambda key: made.append(key) or house.practice(key))  # type: ignore[func-returns-value]
    with Environment(replace(table, contest=replace(table.contest, house=counted))) as environment:
        for _ in range(3):
            for _ in environment:
                environment.answer(0)
    assert len(made) == 1


@pytest.mark.parametrize(
    ("source", "why"),
    [("def a(bot):\n    return bot.nothing\n\ndef b(bot, bet):\n    return 1\n", "nothing"), ("1 / 0\n", "can't play")],
)
def test_broken_opponent_is_named(source: str, why: str, tmp_path: Path) -> None:
    (opponent,) = written(tmp_path, {"broken.py": source})
    with (
        pytest.raises(InputError, match=f"broken.*{why}"),
        Environment(table_of("von_neumann_poker", [opponent], max_faults=3)) as environment,
    ):
        points_of(environment, POLICY, 50)


@pytest.mark.parametrize(
    ("contest", "opponents", "seats", "why"),
    [
        ("von_neumann_poker", [POLICY, POLICY], (0,), "opponents: 2 for 1 seats"),
        ("von_neumann_poker", [], (2,), "seat: 2; expected different numbers from 0 to 1"),
        ("von_neumann_poker", [], (0, 0), "seat: 0, 0"),
        ("auction", [], (0,), "has a seat for every bot"),
        ("von_neumann_poker", [POLICY, POLICY], (), "at least one seat of yours"),
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
