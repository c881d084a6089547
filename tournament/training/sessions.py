"""Sessions in play, one in each row: legs in lockstep, in which the caller answers for the open seats."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tournament.cache import cache_folder
from tournament.errors import InputError, RunError
from tournament.leg import Leg
from tournament.training.table import Table
from tournament.worker.processes.lanes import LegsInLanes
from tournament.worker.processes.leg_in_play import LegInPlay, PlayedLeg
from tournament.worker.processes.spool import Spool
from tournament.worker.wasm.stack import on_deep_stack


class Sessions:
    """Legs of a table, one in each row. When a leg ends, the row's next one begins.

    Attributes:
        gains: Points by row and seat in the sessions that have ended since the caller last set them to 0.
        ended: Number of the sessions that count in `gains`, by row. The caller sets it to 0, too.
        refused: Reason why the caller's last answer was illegal, by row. Rows with a legal answer are missing.
        lanes: Lanes of the legs, which take answers.

    Args:
        table: Table of the legs.
        rows: Number of rows, at least 1.
        begin: Called with each leg that is about to begin. By default nothing happens.

    Raises:
        RunError: No home is known for the cache, or others can write to it.
    """

    def __init__(self, table: Table, rows: int, begin: Callable[[LegInPlay], None] = lambda leg: None) -> None:
        seats = len(table.names)
        self.gains, self.ended = np.zeros((rows, seats)), np.zeros(rows, np.int64)
        self.refused: dict[int, str] = {}
        self._seen, self._seen_sessions = np.zeros((rows, seats)), np.zeros(rows, np.int64)
        self._table, self._rows, self._begin = table, rows, begin
        legs = [table.leg(row, 0) for row in range(rows)]
        self._legs = LegsInLanes(
            table.contest, table.settings, table.sandbox, legs, table.artifacts, cache_folder(), Spool(discards=True),
            lambda: False, None, None, None, None, measures_bots=False, caller=self,
        )  # fmt: skip
        self.lanes = self._legs.lanes
        self._play = self._legs.play()
        self._has_modules = any(kind == "wasm" for kind, _ in table.bots.values())

    def close(self) -> None:
        """End the bots' processes. Nothing can be played afterwards."""
        self._play.close()
        self._legs.close()

    def note_begun(self, leg: LegInPlay) -> None:
        """Call the caller's function with a leg that is about to begin."""
        self._begin(leg)

    def next_leg(self, ended: Leg) -> Leg:
        """Return the leg that follows an ended one in its row. There always is one."""
        return self._table.leg(ended.plan.match, ended.plan.number + 1)

    def note_refused(self, leg: Leg, why: str) -> None:
        """Store the reason why an answer in a leg's row was illegal, in `refused`, where it replaces an older one."""
        self.refused[leg.plan.match] = why

    @property
    def waiting(self) -> list[LegInPlay]:
        """Legs that wait for an answer of the caller, at most one of each row."""
        return self._legs.waiting

    def play(self) -> None:
        """Play until every row waits for an answer.

        Raises:
            InputError: A bot was disqualified, or there are more rows than these bots can play at the same time. Or
                this machine can't confine the bots.
            RunError: This machine can't play the bots, the rules failed, or no leg is left to play.
            OSError: Too many files are open.
        """
        for played in self._play:
            if played is None:
                break
            self._record_result(played)
        else:
            raise RunError("no leg is left to play")
        if (waiting := self.lanes.waiting_count) < self._rows:
            raise InputError(f"{self._rows} sessions at once are too many for these bots; expected up to {waiting}")

    def answer_rows(self, answers: npt.NDArray[np.int64]) -> None:
        """Answer in all rows, and play until they wait again.

        Args:
            answers: Answer of each row, as the core's integer, int64.

        Raises:
            ValueError: The answers aren't int64.
            InputError: A bot was disqualified.
            RunError: This machine can't play the bots, or the rules failed.
            OSError: Too many files are open.
        """
        self.refused.clear()
        answer = self.lanes.answer_rows
        if not (on_deep_stack(answer, answers) if self._has_modules else answer(answers)):
            self.play()

    def read_rows(self, seat: int, kinds: npt.NDArray[np.int64], views: npt.NDArray[np.uint8]) -> None:
        """Write the pending questions into arrays, and add the seat's points of sessions that have ended to `gains`.

        `ended` counts these sessions.

        Args:
            seat: The caller's seat.
            kinds: Receives the number of the decision, by row.
            views: Receives the bytes that the seat sees, by row. It has no columns if cores write them elsewhere.
        """
        seen = self._seen_sessions, self.ended, self._seen[:, seat], self.gains[:, seat]
        self.lanes.read_rows(kinds, views, *seen)

    def note_progress(self, leg: LegInPlay) -> None:
        """Add the points of a waiting leg's sessions that have ended since the last call to `gains` and `ended`."""
        row = leg.leg.plan.match
        self._record_points(row, [one.points for one in leg.core.sums()], leg.core.sessions_played)

    def _record_result(self, played: PlayedLeg) -> None:
        """Add the points of a leg that has ended to `gains` and `ended`.

        Raises:
            InputError: A bot was disqualified in it.
        """
        row, result = int(played.result.match), played.result
        if result.disqualified_seats:
            name = result.seats[result.disqualified_seats[0]]
            why = next(
                (fault.message for fault in result.faults if fault.seat == result.disqualified_seats[0]),
                "too many faults",
            )
            raise InputError(f"{name}: it was disqualified: {why}")
        self._record_points(row, [one.points for one in result.sums], result.sessions)
        self._seen[row], self._seen_sessions[row] = 0, 0

    def _record_points(self, row: int, points: list[float], sessions: int) -> None:
        """Add the points of sessions of a row's leg that have ended since the last call, if there are any.

        Args:
            row: Number of the row.
            points: Points by seat since the leg's start.
            sessions: Number of sessions that have ended since then.
        """
        if sessions == self._seen_sessions[row]:
            return
        self.gains[row] += np.subtract(points, self._seen[row])
        self.ended[row] += sessions - self._seen_sessions[row]
        self._seen[row], self._seen_sessions[row] = points, sessions
