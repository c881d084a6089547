"""Adding up rows again: what the ledger says of a leg must follow from its games and sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.game_core import BLOCK_COUNT
from tournament.contests.contest import Contest, ContestSettings
from tournament.store.legs import LegResult

Rows = Mapping[str, npt.NDArray[Any]]
_Indices = npt.NDArray[np.int64]


class NotTheLegs(Exception):
    """Rows that can't be of these legs, in words."""


class Recount:
    """The sums of a batch's legs, from its rows in the order in which they lie.

    Numbers are added one by one, as a core adds them, so that all are equal to the last bit.
    """

    def __init__(self, contest: Contest, settings: ContestSettings, legs: Sequence[LegResult]) -> None:
        self._contest = contest
        self._legs = legs
        self._sessions_per_leg = 1 if contest.house else settings.sessions
        # How many things the blocks cut: the games of the one session, or the leg's sessions.
        self._cut = getattr(settings, contest.scored.length) if contest.scored.length else settings.sessions
        self._keys = np.array([_key(leg.match, leg.number) for leg in legs], dtype=np.int64)
        self._finished = np.array([leg.sessions for leg in legs], dtype=np.int64)
        self.games = np.zeros(len(legs), dtype=np.int64)
        self.sessions = np.zeros(len(legs), dtype=np.int64)
        self.games_of_sessions = np.zeros(len(legs), dtype=np.int64)
        self.games_in_sessions = np.zeros(len(legs), dtype=np.int64)
        self.points = np.zeros(len(legs))
        self.squared_points = np.zeros(len(legs))
        self.blocks = np.zeros((len(legs), BLOCK_COUNT))
        self.counts: list[Any] = [0 for leg in legs]
        self._last = {"games": (-1, -1, -1), "sessions": (-1, -1, -1)}

    def add_games(self, rows: Rows) -> None:
        """The next games. Raises NotTheLegs."""
        legs, session = self._place("games", rows, rows["game"].astype(np.int64))
        self.games += np.bincount(legs, minlength=len(self._legs))
        finished = session < self._finished[legs]
        self.games_in_sessions += np.bincount(legs[finished], minlength=len(self._legs))
        scored = self._contest.scored
        if scored.table == "games":
            points = rows[scored.column].astype(np.float64)
            self._add_blocks(legs, rows["game"].astype(np.int64), points)
            np.add.at(self.points, legs[finished], points[finished])
            self.squared_points = self.points**2  # where games are scored, a leg has one session
        if scored.counts:
            starts = np.flatnonzero(np.diff(legs, prepend=-1))
            for start, end in zip(starts, [*starts[1:], len(legs)]):
                counted = scored.counts({name: values[start:end] for name, values in rows.items()})
                self.counts[legs[start]] = self.counts[legs[start]] + counted

    def add_sessions(self, rows: Rows) -> None:
        """The next sessions. Raises NotTheLegs."""
        legs, session = self._place("sessions", rows, np.zeros(len(rows["session"]), dtype=np.int64))
        self.sessions += np.bincount(legs, minlength=len(self._legs))
        np.add.at(self.games_of_sessions, legs, rows["games"].astype(np.int64))
        scored = self._contest.scored
        if scored.table == "sessions":
            points = rows[scored.column].astype(np.float64)
            np.add.at(self.points, legs, points)
            np.add.at(self.squared_points, legs, points * points)
            self._add_blocks(legs, session, points)

    def problems(self) -> list[str]:
        """What differs from the ledger, leg by leg, in words."""
        found = []
        for index, leg in enumerate(self._legs):
            # A leg that was broken off counts also what it had begun of the next game.
            counts = leg.counts if leg.ended_by is None else None
            names = [
                name
                for name, here, recorded in (
                    ("games", self.games[index], leg.games),
                    ("sessions", self.sessions[index], leg.sessions),
                    ("games of sessions", self.games_of_sessions[index], self.games_in_sessions[index]),
                    ("points", self.points[index], leg.points),
                    ("squared points", self.squared_points[index], leg.squared_points),
                    ("blocks", tuple(self.blocks[index]), leg.blocks),
                    ("counts", tuple(np.ravel(self.counts[index])) if leg.counts else (), counts),
                )
                if recorded is not None and here != recorded
            ]
            if names:
                found.append(f"the rows of {name_of(leg)} have other {' and '.join(names)}")
        return found

    def _place(self, table: str, rows: Rows, game: _Indices) -> tuple[_Indices, _Indices]:
        """The index of each row's leg, and the row's session in it. Raises NotTheLegs for rows out of order."""
        match, session = rows["match"].astype(np.int64), rows["session"].astype(np.int64)
        keys = _key(match, session // self._sessions_per_leg)
        legs = np.searchsorted(self._keys, keys).clip(max=len(self._keys) - 1)
        if not np.array_equal(self._keys[legs], keys):
            raise NotTheLegs(f"{table} has rows of none of its legs")
        session = session % self._sessions_per_leg
        before = np.array(self._last[table])
        steps = [np.diff(values, prepend=start) for values, start in zip((legs, session, game), before)]
        next_leg = (steps[0] >= 1) & (session == 0) & (game == 0)
        next_session = (steps[0] == 0) & (steps[1] == 1) & (game == 0)
        next_game = (steps[0] == 0) & (steps[1] == 0) & (steps[2] == 1)
        if not np.all(next_leg | next_session | next_game):
            raise NotTheLegs(f"{table} has rows that are missing, twice or out of order")
        if len(legs):
            self._last[table] = (int(legs[-1]), int(session[-1]), int(game[-1]))
        return legs, session

    def _add_blocks(self, legs: _Indices, number: _Indices, points: npt.NDArray[np.float64]) -> None:
        block = number * BLOCK_COUNT // self._cut
        if len(block) and block.max() >= BLOCK_COUNT:
            raise NotTheLegs("there are more rows than a leg can have")
        np.add.at(self.blocks, (legs, block), points)


def name_of(leg: LegResult) -> str:
    """A leg in words."""
    return f"match {leg.match}, leg {leg.number} ({leg.x} – {leg.y})"


def _key(match: Any, number: Any) -> Any:
    """What orders legs as the schedule does, one number for each."""
    return match << 31 | number
