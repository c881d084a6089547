"""Columns of a record table.

The cores in engine/ define name, type and order of the columns of their rows. A contest adds their meanings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# Meanings of the columns that most contests have.
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
        dtype: Name of its numpy type, or NAME for a player's name. A row buffer has the number of the player's seat.
            Small tables and summaries also have "str" for texts and "bytes" for digests.
        description: Meaning of the column, with the unit.
        per_seat: Whether there is such a column for each position, with the position's number after the name.
        seat: Seat or position that the column belongs to; -1 if it belongs to none.
        of_leg: Whether all rows of a leg have the same value. Row buffers lack such columns.
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
    """Return a table's columns with those of the players' names, which follow the numbers of the row.

    The order is match, replica, session and game, the players, then the other columns in their order.

    Args:
        columns: Columns of the core's rows, `match` first.
        players: Columns of the players' names.
        replica: Whether there is a column for the replica.
    """
    keys = [column for column in columns if column.name in ("session", "game")]
    remaining = [column for column in columns[1:] if column not in keys]
    return (columns[0], *([_REPLICA] if replica else []), *keys, *players, *remaining)


def seat_name_columns(seats: int) -> tuple[Column, ...]:
    """Return the columns bot_0 and so on, one for each seat."""
    return tuple(Column(f"bot_{seat}", NAME, f"name of the bot at seat {seat}", of_leg=True) for seat in range(seats))


def describe_columns(row: np.dtype[np.void], flags: tuple[str, ...] = (), /, **meanings: str) -> tuple[Column, ...]:
    """Return the columns of a core's row with their meanings, in the order of the row.

    Args:
        row: Type of the row.
        flags: Names of the columns that are 0 or 1.
        meanings: Meanings by column. Columns of STANDARD don't need one.

    Raises:
        ValueError: The described columns aren't those of the row.
    """
    names = row.names or ()
    descriptions = {name: STANDARD[name] for name in names if name in STANDARD} | meanings
    if set(names) != set(descriptions):
        raise ValueError(f"the core writes the columns {', '.join(names)}; described are {', '.join(descriptions)}")
    return tuple(Column(name, "bool" if name in flags else row[name].name, descriptions[name]) for name in names)


# Rows of a buffer, and of a row group when it is written: their columns stay in the processor's cache until then.
ROWS_PER_BUFFER = 1 << 16
# Maximum rows of a row group.
ROWS_PER_GROUP = 1 << 18


def buffer_fields(columns: tuple[Column, ...]) -> dict[str, str]:
    """Return the numpy types of the columns that cores write, by name in their order: flags and seats are bytes.

    Columns with one value for all rows of a leg are omitted.
    """
    return {
        column.name: "uint8" if column.dtype in ("bool", NAME) else column.dtype
        for column in columns
        if not column.of_leg
    }
