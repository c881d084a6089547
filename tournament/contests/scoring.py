"""Where scores come from: the records' points, and play against house players."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.store.ledger import TableName


@dataclass(frozen=True)
class HousePlayer:
    """A fixed opponent that the contest brings.

    `content` is all that its play depends on besides settings and dice: it goes into the digests of its legs and to the
    core that plays it. `facts` are numbers about it for the scoring, such as what a perfect opponent wins a game.
    """

    name: str
    content: bytes
    facts: Mapping[str, float] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """Of its content, for digests, in hex."""
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class HousePlaySums:
    """Sums of an entrant's play against one house player, over one leg or a match."""

    points: float
    sessions: int
    games: int
    facts: Mapping[str, float]


@dataclass(frozen=True)
class Measure:
    """A number about an entrant's play that leaderboard and crosstable show beside the score.

    `value` takes the play against some house players, one or all; None where it has no meaning. `shown` writes it for
    a terminal.
    """

    name: str
    title: str
    meaning: str
    value: Callable[[Sequence[HousePlaySums]], float | None]
    shown: Callable[[float], str]


@dataclass(frozen=True)
class HouseScoring:
    """How play against house players becomes an entrant's score: the mean over them of `score`.

    `score` takes the sums of one session, and a match's is the mean over its sessions; or, where `of_match`, the sums
    of all sessions of the match at once. It is shown to this many `decimals`.
    """

    score: Callable[[HousePlaySums], float]
    of_match: bool = False
    decimals: int = 1
    measures: tuple[Measure, ...] = ()


@dataclass(frozen=True)
class House:
    """The house players of a contest in which entrants play these and not each other.

    `players` gives those of a tournament; it takes the settings, the folder from which relative paths start, and a
    function for messages while it takes long, and raises InputError. `practice_players`, if a contest's depend on its
    seed, gives those of a match with a seed of its own, under other names; they aren't kept. `practice` gives one
    to try entrants against, chosen by a key. Every player has the `facts`. With a `suffix`, their contents are kept
    beside the records, as files of that ending, and so are those of the `examples`, which entrants may know: their
    names, and what makes them.
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
    """Where the records have points: columns of a table, by whose rows a leg is cut into blocks.

    `columns` are those of all seats; with `zero_sum` that of the first of two, of which the other has the negated
    points. `length`: the setting with the number of games in a leg of one session."""

    table: TableName
    columns: tuple[str, ...]
    length: str = ""
    zero_sum: bool = False

    def points(self, rows: Mapping[str, npt.NDArray[Any]]) -> tuple[npt.NDArray[np.float64], ...]:
        """What each seat has won in these rows of the table."""
        points = tuple(rows[column].astype(np.float64) for column in self.columns)
        return (*points, 0.0 - points[0]) if self.zero_sum else points
