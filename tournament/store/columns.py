"""The columns of a record table.

The cores in engine/ define which columns their rows have, by name, type and order. A contest adds what they mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# What columns mean that most contests have.
STANDARD = {
    "match": "match number, as in matches.parquet",
    "replica": "replica of the match, from 0",
    "session": "session of the match, from 0",
    "game": "game of the session, from 0",
    "games": "games played",
}


@dataclass(frozen=True)
class Column:
    """A column of a record table.

    Attributes:
        name: Name of the column.
        dtype: Name of its numpy type, or NAME for a player's name. A row buffer has the number of its seat.
        description: Its meaning, with the unit.
        per_seat: Whether there is such a column for each position, with the position's number after the name.
        seat: Seat or position that the column is about, if it is one of those; -1 otherwise.
        of_leg: Whether all rows of a leg have the same value. No row buffer has the column then.
    """

    name: str
    dtype: str
    description: str
    per_seat: bool = False
    seat: int = -1
    of_leg: bool = False


NAME = "name"
HOUSE = Column("house", NAME, "name of the house player", of_leg=True)
_REPLICA = Column("replica", "int32", STANDARD["replica"], of_leg=True)


def with_names(columns: Sequence[Column], players: Sequence[Column], *, replica: bool) -> tuple[Column, ...]:
    """Return a table's columns with those that say who plays, behind the row's numbers.

    Args:
        columns: The columns of the core's rows, `match` first.
        players: The columns of the players' names.
        replica: Whether there is a column for the replica.
    """
    keys = [column for column in columns if column.name in ("session", "game")]
    rest = [column for column in columns[1:] if column not in keys]
    return (columns[0], *([_REPLICA] if replica else []), *keys, *players, *rest)


def names_of_seats(seats: int) -> tuple[Column, ...]:
    """Return the columns bot_0 and so on of a table whose columns go by seat."""
    return tuple(Column(f"bot_{seat}", NAME, f"name of the bot at seat {seat}", of_leg=True) for seat in range(seats))


def columns_of(row: np.dtype[np.void], flags: tuple[str, ...] = (), /, **meanings: str) -> tuple[Column, ...]:
    """The columns of a core's row with their meanings, those of STANDARD unless another is given; `flags` are 0 or 1.
    Raises ValueError when the names differ from the row's."""
    names = row.names or ()
    known = {name: STANDARD[name] for name in names if name in STANDARD} | meanings
    if set(names) != set(known):
        raise ValueError(f"the core writes the columns {', '.join(names)}; described are {', '.join(known)}")
    return tuple(Column(name, "bool" if name in flags else row[name].name, known[name]) for name in names)


# The rows of a buffer, and of a row group: their columns stay in the processor's cache until they are written.
ROWS_PER_BUFFER = 1 << 16
ROWS_PER_GROUP = 1 << 18  # the most that a row group has


def buffer_fields(columns: tuple[Column, ...]) -> dict[str, str]:
    """Return the columns that cores write as `engine.kernel.records.Table` takes them: bools and seats are bytes."""
    return {
        column.name: "uint8" if column.dtype in ("bool", NAME) else column.dtype
        for column in columns
        if not column.of_leg
    }
