"""A contest step by step, in which the caller answers the questions to some seats."""

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
    """A pending question to a seat.

    Attributes:
        seat: The seat, from 0.
        decision: Name of the decision.
        observation: Values that a bot at the seat would see, by name.
        kind: Number of the decision in the contest, from 0.
        answers: Description of the legal answers; "" if the contest has none.
        session: Number of the session since the seed's first one, from 0.
        is_news: Whether it needs no answer. False by default.
        narrowed: Type of the legal answers if they are fewer than declared; None otherwise.
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
    """A contest in which the caller plays one or more seats. An episode is a session.

    `for turn in environment` plays a session, and `answer` answers the turn. Opponents keep their memory from one
    session to the next, as in the contest, until the sessions of a leg are over. News are answered automatically
    while iterating. A turn that wasn't answered before the next iteration is an InputError.

    Attributes:
        seats: The seats that the caller plays, ascending. The first seat of the table is 0.
        turn: The pending question; None once the session has ended, and before the first one begins.
        points: Points by seat of the last session that ended. They include the points of sessions before it without a
            question to the caller. Empty before a session has ended.
        illegal: Reason why the last answer was illegal, so that the default counted; "" if it was legal.

    Args:
        table: Table with at least one open seat.

    Raises:
        InputError: The table has no open seat.
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
        """The legs, which begin when they are first needed, and again after `close`.

        When they begin, they are played up to the first turn. The points, illegal answer and turn of earlier legs are
        cleared.

        Raises:
            InputError: A bot was disqualified, or this machine can't confine the bots.
            RunError: This machine can't play the bots or use its cache, or the rules failed.
            OSError: Too many files are open.
        """
        if self._begun is None:
            self._begun, self._number = Sessions(self._table, 1), 0
            self._end = weakref.finalize(self, self._begun.close)
            self.points, self.illegal, self.turn = {}, "", None
            self._next = self._play()
        return self._begun

    def reset(self, seed: int | str | None = None) -> Turn:
        """Begin the next session, and return its first turn.

        Defaults answer the remaining turns of a session that hasn't ended, unless there is a new seed. Exceptions of
        functions that answer for a seat pass through.

        Args:
            seed: Seed whose first session begins; None for the next session of the current seed. An integer and its
                decimal text are the same seed.

        Raises:
            InputError: A bot was disqualified, or this machine can't confine the bots.
            RunError: This machine can't play the bots or use its cache, or the rules failed.
            OSError: Too many files are open.
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
        """Answer the turn, and play on to the next one. An illegal answer isn't an error, as `illegal` explains.

        Exceptions of functions that answer for a seat pass through.

        Args:
            value: The answer of a program: an integer, a name, a list, or another value that JSON has. Values of numpy
                are converted.

        Raises:
            InputError: The session has ended or hasn't begun, or a bot was disqualified.
            RunError: This machine can't play the bots, or the rules failed.
            OSError: Too many files are open.
        """
        if self.turn is None:
            raise InputError("the session has ended; reset() begins the next")
        self._answer(plain(value))

    def _answer(self, value: object) -> None:
        """Answer the turn, play on, and update `turn`, `points` and `illegal`.

        If the session has ended, there is no turn afterwards, and the next one's first turn is kept for `reset`.

        Raises:
            InputError: A bot was disqualified.
            RunError: This machine can't play the bots, or the rules failed.
            OSError: Too many files are open.
        """
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
        """Play up to the caller's next turn, and return it. Functions answer for their seats, and can raise anything.

        Raises:
            InputError: A bot was disqualified, or this machine can't confine the bots.
            RunError: This machine can't play the bots, or the rules failed.
            OSError: Too many files are open.
        """
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
        """Return an environment that plays `count` sessions at the same time, in arrays, from the seed's first legs.

        It is independent of this environment, and the caller closes it.

        Raises:
            InputError: `count` is below 1 or too large for these bots, not exactly one seat is open, a function answers
                for a seat, an answer isn't an integer, or a bot was disqualified. Or this machine can't confine the
                bots.
            RunError: This machine can't play the bots or use its cache, or the rules failed.
            OSError: Too many files are open.
            ValueError: Two values of the contest have the same name and different types.
        """
        return VectorEnvironment(self._table, count)

    @property
    def table(self) -> Table:
        """The players of all seats, with the current seed's key. `reset` with a seed replaces it."""
        return self._table

    def aec(self) -> Any:
        """Return the environment with PettingZoo's AEC interface. Both share the sessions.

        Raises:
            InputError: PettingZoo or Gymnasium isn't installed: `tournament[pettingzoo]`.
        """
        from tournament.training.aec import TournamentAEC

        return TournamentAEC(self)

    def close(self) -> None:
        """End the opponents' processes. The next session is then the seed's first one again.

        `turn` becomes None. It can be called twice, and is called when the environment is no longer referenced.
        """
        if self._begun:
            self._end()  # Otherwise it would keep the legs of every former seed.
            self._begun = self.turn = self._next = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def plain(value: object) -> object:
    """Return an answer as JSON represents it: numbers and arrays of numpy become numbers and lists of Python.

    Other values are returned as they are, also lists with values of numpy inside.
    """
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def pending_turn(table: Table, leg: LegInPlay, session: int) -> Turn:
    """Return a leg's pending question. The leg must wait for an answer.

    Args:
        table: Table of the leg.
        leg: The leg.
        session: Number of the session since the seed's first one, from 0.
    """
    interface = table.contest.interface
    kind, seat, view = leg.core.pending()
    question = interface.questions[kind]
    observation: Mapping[str, Any] = leg.core.observed_values()
    if not interface.by_name:
        observation = view_values(interface, kind, view)
    narrowed = leg.core.narrowed()
    answers = narrowed.limits if narrowed else question.answers
    return Turn(seat, question.name, observation, kind, answers, session, question.is_news, narrowed)
