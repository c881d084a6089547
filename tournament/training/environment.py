"""A contest step by step: the caller answers what the bot at a seat would be asked."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tournament.contests.questions import view_values
from tournament.decisions.value_types import ValueType
from tournament.errors import InputError
from tournament.training.sessions import Sessions
from tournament.training.table import Table
from tournament.training.vector import VectorEnvironment
from tournament.worker.processes.leg_in_play import LegInPlay


@dataclass(frozen=True)
class Turn:
    """A question to a seat that waits for its answer.

    Attributes:
        seat: The seat.
        decision: Name of the decision.
        observation: What a bot at the seat would see, by name.
        kind: Number of the decision in the contest.
        answers: The legal answers in words, "" where the contest has none.
        session: Number of the session, from 0.
        is_news: Whether it needs no answer.
        narrowed: Type of the answers that are legal this time, if those are fewer than declared.
    """

    seat: int
    decision: str
    observation: Mapping[str, Any]
    kind: int
    answers: str
    session: int
    is_news: bool = False
    narrowed: ValueType | None = None


class Environment:
    """A contest in which the caller plays one or several seats. An episode is a session.

    `for turn in environment` plays a session, and `answer` answers the turn. Opponents keep what they know from one
    session to the next, as in the contest, until the sessions of a leg are over.

    Attributes:
        seats: The seats that the caller plays.
        turn: The question that waits; None once the session has ended.
        points: Points by seat of the last session that ended, with those of sessions before it in which the caller
            wasn't asked.
        illegal: Why the last answer was illegal, so that the default counted; "" if it was legal.
    """

    def __init__(self, table: Table) -> None:
        if not table.open_seats:
            raise InputError("seat: expected at least one seat of yours")
        self._table = table
        self.seats = table.open_seats
        self.points: Mapping[int, float] = {}
        self.illegal = ""
        self.turn: Turn | None = None
        self._next: Turn | None = None
        self._begun: Sessions | None = None

    @property
    def _sessions(self) -> Sessions:
        """The legs, which begin when they are first needed."""
        if self._begun is None:
            self._begun, self._number = Sessions(self._table, 1), 0
            self._end = weakref.finalize(self, self._begun.close)
            self.points, self.illegal, self.turn = {}, "", None
            self._next = self._play()
        return self._begun

    def reset(self, seed: int | str | None = None) -> Turn:
        """Begin the next session, and return its first turn.

        Defaults answer what is left of a session that hasn't ended.

        Args:
            seed: Begins the games of this seed from the first session on.
        """
        if seed is not None:
            self.close()
            self._table = self._table.with_seed(seed)
        sessions = self._sessions
        while self.turn is not None:
            self._answer(sessions.waiting[0].core.default())
        assert self._next
        self.turn, self._next = self._next, None
        return self.turn

    def answer(self, value: object) -> None:
        """Answer the turn, and play on to the next.

        Args:
            value: What a program would answer: a whole number, a name, a list, or another value that JSON has.

        Raises:
            InputError: The session has ended, or a bot was disqualified.
        """
        if self.turn is None:
            raise InputError("the session has ended; reset() begins the next")
        self._answer(plain(value))

    def _answer(self, value: object) -> None:
        sessions = self._sessions
        sessions.refused.clear()
        sessions.lanes.answer(self._leg.lane, value)
        self.turn = self._play()
        self.illegal = sessions.refused.get(0, "")
        if sessions.ended[0]:
            self._number += int(sessions.ended[0])
            self.points = {seat: float(points) for seat, points in enumerate(sessions.gains[0])}
            sessions.gains[0], sessions.ended[0] = 0, 0
            self.turn, self._next = None, self.turn

    def _play(self) -> Turn:
        """Play up to the caller's next turn."""
        while True:
            self._sessions.play()
            (self._leg,) = self._sessions.waiting
            self._sessions.note_progress(self._leg)
            turn = pending_turn(self._table, self._leg, self._number + int(self._sessions.ended[0]))
            policy = self._table.policies.get(turn.seat)
            if policy is None:
                return turn
            self._sessions.lanes.answer(self._leg.lane, plain(policy(turn)))

    def __iter__(self) -> Iterator[Turn]:
        self.reset()
        while (turn := self.turn) is not None:
            yield turn
            if self.turn is turn and turn.is_news:
                self.answer(0)
            if self.turn is turn:
                raise InputError(f"{turn.decision} wasn't answered; call answer() once for each turn")

    def vectorize(self, count: int) -> VectorEnvironment:
        """Return an environment that plays so many sessions at once, in arrays.

        Raises:
            InputError: Not exactly one seat is open, or the contest has answers that aren't whole numbers.
        """
        return VectorEnvironment(self._table, count)

    @property
    def table(self) -> Table:
        """The players of each seat."""
        return self._table

    def aec(self) -> Any:
        """Return the environment as PettingZoo's AEC interface has it. It needs `tournament[pettingzoo]`."""
        from tournament.training.aec import TournamentAEC

        return TournamentAEC(self)

    def close(self) -> None:
        """End the opponents' processes. The next session would be the first once more."""
        if self._begun:
            self._end()  # Otherwise it would keep the legs of every former seed.
            self._begun = self.turn = self._next = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def plain(value: object) -> object:
    """Return an answer as JSON has it: numbers and arrays of numpy as Python's."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def pending_turn(table: Table, leg: LegInPlay, session: int) -> Turn:
    """Return what a leg asks the caller."""
    interface = table.contest.interface
    kind, seat, view = leg.core.pending()
    question = interface.questions[kind]
    observation: Mapping[str, Any] = leg.core.told_values()
    if not interface.by_name:
        observation = view_values(interface, kind, view)
    narrowed = leg.core.narrowed()
    answers = narrowed.limits if narrowed else question.answers
    return Turn(seat, question.name, observation, kind, answers, session, question.is_news, narrowed)
