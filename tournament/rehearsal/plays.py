"""Plays between bots that are the same: they answer at random, always the same, or learn."""

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
MIN_LEGS, MAX_LEGS, _TURNS = 12, 400, 4
# Of all numbers of seats together; more legs are played until there are as many.
MAX_QUESTIONS = 100_000
# One answer of this many is illegal, if that loses the game.
_ILLEGAL = 20
# Rows of games that are written before the first is overwritten. None is read.
_GAMES = 64
# Questions of a leg after which a learning bot answers as a random one does.
_LEARNED = 200


@dataclass(frozen=True)
class CoreQuestion:
    """A question of a core, as `drawn_answer` takes it.

    Attributes:
        decision: The decision.
        position: The seat.
        answer: What is legal this time, None for all that is declared.
    """

    decision: Decision
    position: int
    answer: Any


AnyQuestion = Question | CoreQuestion


class _Lowest:
    """Stands for a generator: every answer is the first one that is legal."""

    def randrange(self, *_: int) -> int:
        """Return the least."""
        return 0

    def random(self) -> float:
        """Return the least."""
        return 0.0

    def choice(self, items: Sequence[Any]) -> Any:
        """Return the first."""
        return items[0]


@dataclass(eq=False)
class Meter:
    """Questions of a leg, processor time of the rules, and their slowest step with its question."""

    questions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    slowest_question: str = ""
    _since: float = field(default_factory=time.process_time)

    def step(self, question: AnyQuestion) -> None:
        """Count the step that led to a question."""
        seconds = time.process_time() - self._since
        self.questions += 1
        self.seconds += seconds
        if seconds > self.slowest:
            self.slowest, self.slowest_question = seconds, f"{question.decision.name} at position {question.position}"

    def resume(self) -> None:
        """Start the next step."""
        self._since = time.process_time()


@dataclass(frozen=True, eq=False)
class Played:
    """A leg.

    Attributes:
        manner: How its bots answer.
        points: Points of each session and position.
        bots: The bot at each session's position, by number.
        meter: What the rules took.
        failure: What went wrong, "" for nothing.
    """

    manner: str
    points: Floats
    bots: Ints
    meter: Meter
    failure: str

    @property
    def by_bot(self) -> Floats:
        """The sum of each bot's points."""
        return np.bincount(self.bots.ravel(), self.points.ravel(), self.points.shape[1]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Plays:
    """Legs at one number of seats.

    Attributes:
        seats: The number.
        house_seats: How many of the bots are the house's, those with the highest numbers.
        legs: The legs, of all manners.
        repeated: The first leg of each manner, played again after all, several times in turn.
        kept: Blocks of memory of the interpreter after each turn.
    """

    seats: int
    house_seats: int
    legs: Sequence[Played]
    repeated: Sequence[Played]
    kept: Sequence[int]

    def of(self, manner: str) -> list[Played]:
        """Return the legs of a manner that ended."""
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
    """Play legs at a number of seats for this long, a few at least.

    Args:
        contest: The contest.
        settings: Its settings; those of seats and sessions are replaced.
        seats: Number of seats.
        seconds: Seconds to play.
        doing: Shows how far it is.
        fewest: Legs to play however long they take.
        questions: Questions to ask if there is time.
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
    number = 0
    while True:
        yield number, MANNERS[number % len(MANNERS)]
        number += 1


def _play(contest: Contest, settings: Any, seats: int, manner: str, number: int) -> Played:
    # Cores leave it to their legs who comes first.
    rotation = 0 if contest.scored.by_position else number // len(MANNERS) % seats
    plan = LegPlan(0, 0, settings.sessions, leg_key(settings, "leg", seats, number), seats, rotation)
    rng, meter = answers_rng(plan), Meter()

    def answer(question: AnyQuestion) -> Any:
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
    """Return the key of a leg's deals, which follows from the seed of the audit."""
    assert settings.seed is not None
    return sub_key(master_key(settings.seed), "audit", *label)


def answers_rng(plan: LegPlan) -> Rng:
    """Return the generator of a leg's answers."""
    return Rng(plan.deals_key, TRIAL_STREAM + 1)


def play_leg(
    contest: Contest,
    settings: ContestSettings,
    plan: LegPlan,
    answer: Callable[[Any], Any],
    watch: Callable[[Any], Any] | None = None,
) -> tuple[Table, Exception | None]:
    """Play a leg. Return its rows of sessions, and what went wrong.

    Args:
        contest: The contest.
        settings: Its settings.
        plan: The leg.
        answer: Called with each question; returns the answer.
        watch: Called with each session of rules in Python; returns what the rules get instead.
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
    """Return the last line of rules that led to an error."""
    line, trace = "", error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_name != "<module>" and "/tournament/" not in trace.tb_frame.f_code.co_filename:
            line = f", line {trace.tb_lineno}"
        trace = trace.tb_next
    return line
