"""Many sessions at the same time, with their questions and answers in arrays."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
import numpy.typing as npt

from tournament.errors import InputError
from tournament.training.sessions import Sessions
from tournament.training.table import Table
from tournament.training.values import answer_range, record_dtype
from tournament.worker.processes.leg_in_play import LegInPlay


@dataclass(frozen=True)
class Step:
    """The next questions of all rows. The arrays are the environment's own, and the next step overwrites them.

    Attributes:
        observations: A record for each row, with a field for each value. Values that the decision doesn't show are
            meaningless.
        decisions: Number of the pending decision of each row: its index in `VectorEnvironment.decisions`.
        rewards: Points of the caller's seat in the sessions that ended with this step, summed by row. 0 if none ended.
        ended: Number of sessions that ended with this step, by row. It can be more than 1.
    """

    observations: npt.NDArray[np.void]
    decisions: npt.NDArray[np.int64]
    rewards: npt.NDArray[np.float64]
    ended: npt.NDArray[np.int64]


class VectorEnvironment:
    """A contest with one open seat, of which many sessions are played at the same time.

    The default answer counts instead of an illegal one. Sessions begin with the environment.

    Attributes:
        decisions: Names of the decisions, in the contest's order.
        current: Pending questions of all rows. It is the last step, whose arrays the next step overwrites.

    Args:
        table: Table with one open seat.
        count: Number of sessions at the same time, which is that of rows.

    Raises:
        InputError: The number of sessions is below 1 or too large for these bots, not exactly one seat is open, a
            function answers for a seat, an answer isn't an integer, or a bot was disqualified. Or this machine can't
            confine the bots.
        RunError: This machine can't play the bots or use its cache, or the rules failed.
        OSError: Too many files are open.
        ValueError: Two values of the contest have the same name and different types.
    """

    def __init__(self, table: Table, count: int) -> None:
        interface = table.contest.interface
        if count < 1:
            raise InputError(f"{count} sessions at once; expected 1 or more")
        if len(table.open_seats) != 1 or table.policies:
            raise InputError("an environment in arrays has one open seat, and bots at all others")
        if any(answer_range(question.answer) is None for question in interface.questions):
            raise InputError(f"{table.contest.name}: only whole numbers can be answered in arrays")
        self.decisions = tuple(question.name for question in interface.questions)
        (self._seat,) = table.open_seats
        dtype, shows_memory = record_dtype(table.contest)
        memory = np.zeros((count, dtype.itemsize), np.uint8)
        view_size = 0 if shows_memory else interface.view_size
        self._views = memory[:, :view_size]
        self._kinds = np.zeros(count, np.int64)
        self._sessions = Sessions(table, count, partial(_write_views, memory, self._seat) if shows_memory else _ignore)
        self._observations = memory.view(dtype)[:, 0]
        self._end = weakref.finalize(self, self._sessions.close)
        self._sessions.play()
        self.current = self._step()

    @property
    def illegal(self) -> dict[int, str]:
        """Reasons why the last answers of rows were illegal, by row, as a copy. Rows with legal answers are missing."""
        return dict(self._sessions.refused)

    def step(self, answers: npt.NDArray[np.int64]) -> Step:
        """Answer the pending questions of all rows, and play until all rows wait again.

        Args:
            answers: Answer of each row, int64. A choice is given by its index, and news by any number.

        Raises:
            ValueError: There aren't as many answers as rows, or they aren't int64.
            InputError: A bot was disqualified.
            RunError: This machine can't play the bots, or the rules failed.
            OSError: Too many files are open.
        """
        if answers.shape != self._kinds.shape:
            raise ValueError(f"answers have the shape {answers.shape}; expected {self._kinds.shape}")
        self._sessions.gains[:], self._sessions.ended[:] = 0, 0
        self._sessions.answer_rows(answers)
        self.current = self._step()
        return self.current

    def _step(self) -> Step:
        """Return the pending questions of all rows, in the environment's own arrays, which are overwritten."""
        sessions = self._sessions
        sessions.read_rows(self._seat, self._kinds, self._views)
        return Step(self._observations, self._kinds, sessions.gains[:, self._seat], sessions.ended)

    def close(self) -> None:
        """End the opponents' processes. No further step is possible. It can be called twice.

        It is also called when the environment is no longer referenced.
        """
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _write_views(rows: npt.NDArray[np.uint8], seat: int, leg: LegInPlay) -> None:
    """Have the core of a leg that begins write what a seat sees into the leg's row.

    Args:
        rows: Bytes of the records, by row. The core writes to this memory, so it must outlive the leg.
        seat: The seat.
        leg: The leg.
    """
    leg.core.write_views_to(seat, rows[leg.leg.plan.match].ctypes.data)


def _ignore(leg: LegInPlay) -> None:
    """Do nothing with a leg whose views are copied."""
