"""Adding up rows again: the ledger's results of a leg must follow from its sessions, and these from its games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.kernel.blocks import block_of
from engine.kernel.game_core import BLOCK_COUNT, SEAT_COUNT
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.store.legs import LegResult, Legs, pair_keys

Rows = Mapping[str, npt.NDArray[Any]]
_Indices = npt.NDArray[np.int64]
_Compared = tuple[str, Any, Any]  # what, as counted here, as recorded


class NotTheLegs(Exception):
    """The rows can't be of these legs; the message says why."""


class _Sums:
    """A seat's points, their squares and blocks, leg by leg."""

    def __init__(self, legs: int) -> None:
        self.points = np.zeros(legs)
        self.squared_points = np.zeros(legs)
        self.blocks = np.zeros((legs, BLOCK_COUNT))

    def add_sessions(self, legs: _Indices, block: _Indices, points: npt.NDArray[np.float64]) -> None:
        np.add.at(self.points, legs, points)
        np.add.at(self.squared_points, legs, points * points)
        np.add.at(self.blocks, (legs, block), points)

    def add_games(
        self, legs: _Indices, block: _Indices, points: npt.NDArray[np.float64], finished: npt.NDArray[np.bool_]
    ) -> None:
        np.add.at(self.blocks, (legs, block), points)
        np.add.at(self.points, legs[finished], points[finished])
        self.squared_points = self.points**2  # where games are scored, a leg has one session


class _SessionsOfGames:
    """The rows of sessions, as the games of a batch's legs give them."""

    def __init__(self, contest: Contest, settings: ContestSettings, legs: Sequence[LegResult]) -> None:
        self._rule, self._settings = contest.scored.sessions, settings
        columns = Legs.of(legs)
        self._starts = np.concatenate([[0], np.cumsum(columns.sessions)])
        self._swapped = columns.number % 2 == 1
        self._games = np.zeros(self._starts[-1], np.int64)
        self._sums: dict[str, npt.NDArray[np.float64]] = {}

    def add_games(self, rows: Rows, legs: _Indices, session: _Indices, finished: npt.NDArray[np.bool_]) -> None:
        place = (self._starts[legs] + session)[finished]
        first, end = (int(place[0]), int(place[-1]) + 1) if len(place) else (0, 0)
        self._games[first:end] += np.bincount(place - first, minlength=end - first)
        if self._rule:
            for name, amounts in self._rule.amounts(self._settings, rows, self._swapped[legs]).items():
                sums = self._sums.setdefault(name, np.zeros(len(self._games)))
                # One by one and in order, as a core adds them.
                np.add.at(sums, place, amounts[finished].astype(np.float64))

    def differing(self, rows: Rows, legs: _Indices, session: _Indices) -> list[str]:
        """The columns in which these rows of sessions, of the legs' sessions, are not what the games give."""
        if (session >= np.diff(self._starts)[legs]).any():
            return []  # more than the ledger says, which is told anyway
        place = self._starts[legs] + session
        given: dict[str, npt.NDArray[Any]] = {"games": self._games[place]}
        if self._rule:
            sums = {name: sums[place] for name, sums in self._sums.items()}
            given |= self._rule.columns(sums, given["games"], self._swapped[legs])
        return [name for name, values in given.items() if not np.array_equal(rows[name], values)]


class Recount:
    """The sums of a batch's legs, from its rows in the order in which they lie. Numbers are added one by one, as a core
    adds them, so that all are equal to the last bit."""

    def __init__(self, contest: Contest, settings: ContestSettings, legs: Sequence[LegResult]) -> None:
        self._contest = contest
        self._legs = legs
        self._sessions_per_leg = contest.sessions_of_leg(settings)
        # How many games (where a leg is one session) or sessions the blocks divide.
        self._cut = getattr(settings, contest.scored.length) if contest.scored.length else settings.sessions
        columns = Legs.of(legs)
        self._keys = pair_keys(columns.match, columns.number)
        self._finished = np.array([leg.sessions for leg in legs], dtype=np.int64)
        self.games = np.zeros(len(legs), dtype=np.int64)
        self.sessions = np.zeros(len(legs), dtype=np.int64)
        self.games_of_sessions = np.zeros(len(legs), dtype=np.int64)
        self.games_in_sessions = np.zeros(len(legs), dtype=np.int64)
        self._sums = [_Sums(len(legs)) for seat in range(SEAT_COUNT)]
        self._rows = _SessionsOfGames(contest, settings, legs)
        self._last = {"games": (-1, -1, -1), "sessions": (-1, -1, -1)}

    def add_games(self, rows: Rows) -> None:
        """The next games. Raises NotTheLegs."""
        legs, session = self._place("games", rows, rows["game"].astype(np.int64))
        self.games += np.bincount(legs, minlength=len(self._legs))
        finished = session < self._finished[legs]
        self.games_in_sessions += np.bincount(legs[finished], minlength=len(self._legs))
        self._rows.add_games(rows, legs, session, finished)
        scored = self._contest.scored
        if scored.table == "games":
            block = self._block(rows["game"].astype(np.int64))
            for points, sums in zip(scored.points(rows), self._sums):
                sums.add_games(legs, block, points, finished)

    def add_sessions(self, rows: Rows) -> None:
        """The next sessions. Raises NotTheLegs."""
        legs, session = self._place("sessions", rows, np.zeros(len(rows["session"]), dtype=np.int64))
        self.sessions += np.bincount(legs, minlength=len(self._legs))
        np.add.at(self.games_of_sessions, legs, rows["games"].astype(np.int64))
        if wrong := self._rows.differing(rows, legs, session):
            raise NotTheLegs(f"sessions has other {' and '.join(wrong)} than its games give")
        if self._contest.scored.table == "sessions":
            block = self._block(session)
            for points, sums in zip(self._contest.scored.points(rows), self._sums):
                sums.add_sessions(legs, block, points)

    def problems(self) -> list[str]:
        """What differs from the ledger, leg by leg, in words."""
        found = []
        for index, leg in enumerate(self._legs):
            names = [
                name
                for name, here, recorded in (
                    ("games", self.games[index], leg.games),
                    ("sessions", self.sessions[index], leg.sessions),
                    ("games of sessions", self.games_of_sessions[index], self.games_in_sessions[index]),
                    *self._compared_sums(index, leg),
                )
                if recorded is not None and here != recorded
            ]
            if names:
                found.append(f"the rows of {name_of(leg)} have other {' and '.join(names)}")
        return found

    def _place(self, table: str, rows: Rows, game: _Indices) -> tuple[_Indices, _Indices]:
        """The index of each row's leg, and the row's session in it. Raises NotTheLegs for rows out of order."""
        match, session = rows["match"].astype(np.int64), rows["session"].astype(np.int64)
        keys = pair_keys(match, session // self._sessions_per_leg)
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

    def _compared_sums(self, index: int, leg: LegResult) -> Iterator[_Compared]:
        """A leg's sums of each seat, as counted and as recorded."""
        for whose, here, recorded in zip(("", " of y"), self._sums, leg.sums):
            yield f"points{whose}", here.points[index], recorded.points
            yield f"squared points{whose}", here.squared_points[index], recorded.squared_points
            yield f"blocks{whose}", tuple(here.blocks[index]), recorded.blocks

    def _block(self, number: _Indices) -> _Indices:
        """The block of each of these sessions, or games. Raises NotTheLegs."""
        block = block_of(number, self._cut)
        if len(block) and block.max() >= BLOCK_COUNT:
            raise NotTheLegs("there are more rows than a leg can have")
        return block


def name_of(leg: LegResult) -> str:
    """A leg in words."""
    return f"match {leg.match}, leg {leg.number} ({leg.x} – {leg.y})"
