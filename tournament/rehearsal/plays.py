"""Plays of identical bots, which answer at random, always with the first legal answer, or learn over a leg."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.kernel.chance import Rng
from engine.kernel.game_core import ANSWER_WANTED, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.kernel.records import Table
from engine.rules.decisions import Illegal, Question
from tournament.arrays import Floats, Ints
from tournament.contests.contest import Contest, CoreSetup
from tournament.contests.settings import ContestSettings
from tournament.decisions.decision import Decision
from tournament.keys import master_key, sub_key
from tournament.leg import LegPlan
from tournament.rules.sessions import TRIAL_STREAM, drawn_answer
from tournament.store.columns import buffer_fields

MANNERS = ("fixed", "random", "learning")
# Minimum legs at a number of seats, legs after which enough questions end play, and rounds of replays.
MIN_LEGS, MAX_LEGS, _TURNS = 12, 400, 4
# Number of questions, over all numbers of seats, that ends play after MAX_LEGS legs.
MAX_QUESTIONS = 100_000
# One of this many answers is illegal, if an illegal answer loses the game.
_ILLEGAL = 20
# Rows of games that are written before the first one is overwritten. No row is read.
_GAMES = 64
# Number of questions of a leg after which a learning bot answers like a random one.
_LEARNED = 200


@dataclass(frozen=True)
class CoreQuestion:
    """A question of a core, in the form that `drawn_answer` takes.

    Attributes:
        decision: The decision.
        position: The seat, from 0.
        answer: What is legal this time; None for everything that is declared.
    """

    decision: Decision
    position: int
    answer: Any


AnyQuestion = Question | CoreQuestion


class _Lowest:
    """A replacement for a generator that always makes the first legal answer."""

    def randrange(self, *_: int) -> int:
        """Return 0."""
        return 0

    def random(self) -> float:
        """Return 0.0."""
        return 0.0

    def choice(self, items: Sequence[Any]) -> Any:
        """Return the first item."""
        return items[0]


@dataclass(eq=False)
class Meter:
    """Measurements of a leg.

    Attributes:
        questions: Number of questions.
        seconds: Processor time of the rules, in seconds, up to the last question.
        slowest: Processor time of the slowest step, in seconds.
        slowest_question: Question that the slowest step led to, as text. "" before the first one.
    """

    questions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_question: str = ""
    _since: float = field(default_factory=time.process_time)

    def step(self, question: AnyQuestion) -> None:
        """Count the step that led to a question: from the last `resume`, or the start, until now, in processor time."""
        seconds = time.process_time() - self._since
        self.questions += 1
        self.seconds += seconds
        if seconds > self.slowest:
            self.slowest, self.slowest_question = seconds, f"{question.decision.name} at position {question.position}"

    def resume(self) -> None:
        """Start measuring the next step. Call it after the answer is drawn, so that drawing isn't counted."""
        self._since = time.process_time()


@dataclass(frozen=True, eq=False)
class Played:
    """A leg that was played.

    Attributes:
        manner: How its bots answer, one of MANNERS.
        points: Points by session and position. After a failure only the finished sessions have rows.
        bots: Number of the bot by session and position, from 0. Without positions, a bot has the number of its seat.
        meter: Measurements of the rules.
        failure: Description of the failure that ended the leg; "" if there was none.
    """

    manner: str
    points: Floats
    bots: Ints
    meter: Meter
    failure: str

    @property
    def by_bot(self) -> Floats:
        """Sum of each bot's points over the leg, by number of the bot."""
        return np.bincount(self.bots.ravel(), self.points.ravel(), self.points.shape[1]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Plays:
    """Legs at one number of seats.

    Attributes:
        seats: Number of seats.
        house_seats: Number of bots that are the house's, which have the highest numbers.
        legs: Legs in the order of play, in which the manners take turns.
        repeated: The first leg of each manner, replayed after all others, in four rounds.
        kept: Number of memory blocks that the interpreter has allocated after each round of replays.
    """

    seats: int
    house_seats: int
    legs: Sequence[Played]
    repeated: Sequence[Played]
    kept: Sequence[int]

    def of(self, manner: str) -> list[Played]:
        """Return the legs of a manner in which the rules didn't fail, in order."""
        return [leg for leg in self.legs if leg.manner == manner and not leg.failure]


def play_at(
    contest: Contest,
    settings: ContestSettings,
    seats: int,
    seconds: float,
    doing: Callable[[str], None],
    fewest: int = MIN_LEGS,
    questions: int = 0,
) -> Plays:
    """Play legs at a number of seats until the time is up, then replay the first leg of each manner four times.

    It stops at the first leg in which the rules fail, which is then the last one. No exception of the rules is raised.
    Replays take time of their own.

    Args:
        contest: The contest.
        settings: Settings of the contest. Those of seats and sessions are replaced.
        seats: Number of seats.
        seconds: Seconds to play.
        doing: Called with a short description of the current step.
        fewest: Minimum number of legs, no matter how long they take.
        questions: Number of questions that end play, after at least MAX_LEGS legs. With 0, that number of legs ends it.
    """
    play_settings = settings.model_copy(update={"sessions": max(4, 2 * seats) if seats < 8 else seats})
    end, asked = time.monotonic() + seconds, 0
    legs: list[Played] = []
    for number, manner in _numbered():
        if number >= fewest and (time.monotonic() > end or (number >= MAX_LEGS and asked >= questions)):
            break
        doing(f"{seats} seats, leg {number + 1}")
        legs.append(_play(contest, play_settings, seats, manner, number))
        asked += legs[-1].meter.questions
        if legs[-1].failure:
            break
    repeated: list[Played] = []
    memory_blocks = []
    for _ in range(_TURNS):
        repeated += [
            _play(contest, play_settings, seats, leg.manner, at) for at, leg in enumerate(legs[: len(MANNERS)])
        ]
        gc.collect()
        memory_blocks.append(sys.getallocatedblocks())
    return Plays(seats, play_settings.house_seats, legs, repeated, memory_blocks)


def _numbered() -> Iterator[tuple[int, str]]:
    """Yield the number of each leg, from 0, and its manner, without end. The manners take turns."""
    number = 0
    while True:
        yield number, MANNERS[number % len(MANNERS)]
        number += 1


def _play(contest: Contest, settings: Any, seats: int, manner: str, number: int) -> Played:
    """Play a leg of bots of this manner. A failure of the rules is part of the result.

    Args:
        contest: The contest.
        settings: Settings of the contest, with the seed of the audit.
        seats: Number of seats.
        manner: How the bots answer, one of MANNERS.
        number: Number of the leg, from 0, from which its deals follow.
    """
    # A core without positions rotates bots by the rotation of its legs.
    rotation = 0 if contest.scored.by_position else number // len(MANNERS) % seats
    plan = LegPlan(0, 0, settings.sessions, leg_key(settings, "leg", seats, number), seats, rotation)
    rng, meter = answers_rng(plan), Meter()

    def answer(question: AnyQuestion) -> Any:
        """Measure the step before a question, and return the answer of these bots.

        Where illegal answers lose a game, one in 20 answers of random bots is illegal. News have the answer None.
        """
        meter.step(question)
        lowest = manner == "fixed" or (manner == "learning" and rng.randrange(_LEARNED) > meter.questions)
        drawn = drawn_answer(question, _Lowest() if lowest else rng)  # type: ignore[arg-type]
        if question.decision.loses and manner == "random" and rng.randrange(_ILLEGAL) == 0:
            drawn = Illegal("no such answer")
        meter.resume()
        return drawn

    sessions, error = play_leg(contest, settings, plan, answer)
    failure = f"{type(error).__name__}: {error}{_error_line(error)}" if error else ""
    rows = sessions.rows
    points = np.array([sessions.arrays[f"points_{place}"][:rows] for place in range(seats)]).T.reshape(-1, seats)
    # A core without positions has a bot at each seat.
    bots = np.tile(np.arange(seats), (rows, 1))
    if contest.scored.by_position:
        bots = np.array([sessions.arrays[f"bot_{place}"][:rows] for place in range(seats)]).T.reshape(-1, seats)
    return Played(manner, points.astype(np.float64), bots.astype(np.int64), meter, failure)


def leg_key(settings: ContestSettings, *label: str | int) -> bytes:
    """Return the key of a leg's deals, 32 bytes, which follows from the seed of the audit and a label."""
    assert settings.seed is not None
    return sub_key(master_key(settings.seed), "audit", *label)


def answers_rng(plan: LegPlan) -> Rng:
    """Return a new generator of a leg's answers, which depends only on the key of its deals."""
    return Rng(plan.deals_key, TRIAL_STREAM + 1)


def play_leg(
    contest: Contest,
    settings: ContestSettings,
    plan: LegPlan,
    answer: Callable[[Any], Any],
    watch: Callable[[Any], Any] | None = None,
) -> tuple[Table, Exception | None]:
    """Play a leg, and return its rows of sessions, and the exception that ended it, or None.

    Exceptions of the rules and of callbacks are returned, not raised. The table then has the finished sessions. A
    ValueError is returned if the core refuses an answer that is declared to be legal. Rows of games are discarded.

    Args:
        contest: The contest.
        settings: Settings of the contest.
        plan: Plan of the leg.
        answer: Called with each question; returns the answer, or None for news.
        watch: Called with each session of rules in Python; returns what the rules receive instead. None for the session
            itself. Other rules ignore it.
    """
    games, sessions = (
        Table(buffer_fields(columns), rows)
        for columns, rows in ((contest.games, _GAMES), (contest.sessions, settings.sessions))
    )
    setup = CoreSetup(plan, settings, games, sessions)
    try:
        asks_no_bot = contest.new_random_core
        core = asks_no_bot(setup, answer, watch) if asks_no_bot else contest.new_core(setup)
        number = 0
        while (status := core.play(number)) != LEG_IS_OVER:
            if status == RECORDS_ARE_FULL:
                games.rows = 0
            elif status == ANSWER_WANTED:
                kind, seat, _ = core.pending()
                question = CoreQuestion(contest.interface.questions[kind], seat, core.narrowed())
                number = int(answer(question) or 0)
            else:
                raise ValueError(f"{question.decision.name} refuses {number}, which is declared to be legal")
        core.check()
    except Exception as error:
        return sessions, error
    return sessions, None


def _error_line(error: BaseException) -> str:
    """Return the line of the rules that led to an error, like ", line 12", or "" if no such line is known.

    It is the innermost line outside this package, in a function.
    """
    line, trace = "", error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_name != "<module>" and "/tournament/" not in trace.tb_frame.f_code.co_filename:
            line = f", line {trace.tb_lineno}"
        trace = trace.tb_next
    return line
