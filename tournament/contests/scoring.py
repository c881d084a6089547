"""Sources of scores: the records' points, and play against house players."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.errors import RunError
from tournament.store.field import TableName
from tournament.store.legs import Legs


@dataclass(frozen=True)
class HousePlayer:
    """A fixed opponent of the contest.

    Attributes:
        name: Its name, as in the records.
        content: Everything that its play depends on besides settings and dice. It is in the digests of its legs.
        facts: Numbers about it for the scoring, such as what a perfect opponent wins per game.
    """

    name: str
    content: bytes
    facts: Mapping[str, float] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Digest of the content, in hex."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class HousePlaySums:
    """Sums of an entrant's play against one house player, over one session or a match.

    Attributes:
        points: The entrant's points.
        sessions: Number of sessions.
        games: Number of games.
        facts: The house player's facts.
    """

    points: float
    sessions: int
    games: int
    facts: Mapping[str, float]


@dataclass(frozen=True)
class Measure:
    """A number about an entrant's play that the leaderboard and the crosstable show next to the score.

    Attributes:
        name: Its key in JSON.
        title: The heading of its column.
        meaning: What it says, for pages.
        value: Called with the play against one or all house players; returns the number, or None if it has no meaning.
        shown: Formats it for a terminal.
    """

    name: str
    title: str
    meaning: str
    value: Callable[[Sequence[HousePlaySums]], float | None]
    shown: Callable[[float], str]


@dataclass(frozen=True)
class HouseScoring:
    """The rule that turns play against house players into an entrant's score: the mean of `score` over them.

    Attributes:
        score: Computes a score from the sums of one session. A match's score is the mean over its sessions.
        of_match: Whether `score` takes the sums of all sessions of the match instead.
        decimals: Decimals that are shown.
        measures: Further numbers to show.
    """

    score: Callable[[HousePlaySums], float]
    of_match: bool = False
    decimals: int = 1
    measures: tuple[Measure, ...] = ()


@dataclass(frozen=True)
class House:
    """The house players of a contest in which each entrant plays all of them, and no other entrant.

    Attributes:
        players: Makes those of a tournament from the settings, the folder of relative paths, and a function that shows
            messages. It can raise InputError.
        practice: Makes one from a key, to try entrants against.
        scoring: How play against them becomes a score.
        suffix: Ending of the files next to the records in which their contents are kept. None: they aren't kept.
        facts: Names of the facts that every player has.
        examples: Names of further players, kept in the same way, that entrants can know.
        example: Makes an example from the settings and its name; None if there are no examples.
        practice_players: Makes those of a match with its own seed, if a tournament's depend on the seed. They
            aren't kept.
    """

    players: Callable[[Any, Path, Callable[[str], None]], Sequence[HousePlayer]]
    practice: Callable[[bytes], HousePlayer]
    scoring: HouseScoring
    suffix: str | None = None
    facts: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    example: Callable[[Any, str], HousePlayer] | None = None
    practice_players: Callable[[Any, Path, Callable[[str], None]], Sequence[HousePlayer]] | None = None


@dataclass(frozen=True)
class PointsSource:
    """The place of points in the records.

    Attributes:
        table: The table by whose rows a leg is cut into blocks.
        columns: The columns of all seats' points, or the first seat's column if `zero_sum`.
        length: The setting with the number of games in a leg of one session; "" if the contest names none.
        zero_sum: Whether the second seat has the first one's points, negated.
        by_position: Whether the columns are ordered by position instead of seat. bot_0 and so on name the bots.
        sums_to_zero: Whether the points of all seats add up to 0 in each row.
    """

    table: TableName
    columns: tuple[str, ...]
    length: str = ""
    zero_sum: bool = False
    by_position: bool = False
    sums_to_zero: bool = False

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that `points` reads."""
        seats = len(self.columns) + self.zero_sum if self.by_position else 0
        return (*self.columns, *(f"bot_{position}" for position in range(seats)))

    def points(
        self, rows: Mapping[str, npt.NDArray[Any]], legs: Legs, leg_indices: npt.NDArray[np.intp]
    ) -> tuple[npt.NDArray[np.float64], ...]:
        """Return the points of each seat in rows of the table, an array for each seat in order.

        Args:
            rows: The columns that are `read`.
            legs: The legs of the rows' part.
            leg_indices: For each row the index of its leg.

        Raises:
            RunError: A row has a bot that didn't play its leg.
        """
        points = [rows[column].astype(np.float64) for column in self.columns]
        if self.zero_sum:
            points.append(0.0 - points[0])
        if not self.by_position:
            return tuple(points)
        index_by_name = {name: place for place, name in enumerate(legs.names)}
        names = [rows[name].tolist() for name in self.read[len(self.columns) :]]
        at = np.array([[index_by_name.get(name, -1) for name in column] for column in names], np.int64)
        players = legs.players[leg_indices].T
        seats = np.argsort(at, axis=0)[np.argsort(np.argsort(players, axis=0), axis=0), np.arange(at.shape[1])]
        if not np.array_equal(np.take_along_axis(at, seats, axis=0), players):
            raise RunError("a row has a bot that didn't play in its match")
        return tuple(np.take_along_axis(np.array(points), seats, axis=0))
