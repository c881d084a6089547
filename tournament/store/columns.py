"""The columns of a record table.

The cores in engine/ define which columns their rows have, by name, type and order. A contest adds what they mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# What columns mean that most contests have.
STANDARD = {
    "match": "match number; matches.parquet has the names",
    "session": "session of the match, from 0",
    "game": "game of the session, from 0",
    "games": "games played",
}


@dataclass(frozen=True)
class Column:
    """A column of a record table.

    Attributes:
        name: Name of the column.
        dtype: Name of its numpy type.
        description: Its meaning, with the unit.
        per_seat: Whether there is such a column for each seat, with the seat's number after the name.
        seat: Seat that the column is about, if it is one of those; -1 otherwise.
    """

    name: str
    dtype: str
    description: str
    per_seat: bool = False
    seat: int = -1


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
    """The columns as `engine.kernel.records.Table` takes them: a bool is a byte there."""
    return {column.name: "uint8" if column.dtype == "bool" else column.dtype for column in columns}
