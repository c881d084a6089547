"""The columns of a record table.

The cores in engine/ define which columns their rows have, by name, type and
order. A contest adds what they mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

# How a column is packed in parts that are written anew. Constant: long runs of one value. Split: not negative,
# small or changing slowly, stored byte plane by byte plane. Delta: small, of either sign. Plain: random.
Packing = Literal["constant", "split", "delta", "plain"]


@dataclass(frozen=True)
class Column:
    """A column of a record table. `type` is a numpy type's name; `meaning` includes the unit."""

    name: str
    type: str
    meaning: str
    packing: Packing = "plain"


@dataclass(frozen=True)
class Meaning:
    """What a core's column means, with its unit, and its packing; a flag is 0 or 1."""

    text: str
    packing: Packing | Literal["flag"] = "plain"


def columns_of(row: np.dtype[np.void], **meanings: Meaning) -> tuple[Column, ...]:
    """The columns of a core's row with their meanings. Raises ValueError when the names differ from the row's."""
    names = row.names or ()
    if set(names) != set(meanings):
        raise ValueError(f"the core writes the columns {', '.join(names)}; described are {', '.join(meanings)}")
    return tuple(_column(name, row[name].name, meanings[name]) for name in names)


def _column(name: str, type_name: str, meaning: Meaning) -> Column:
    if meaning.packing == "flag":
        return Column(name, "bool", meaning.text)
    return Column(name, type_name, meaning.text, meaning.packing)


# The rows of a buffer, and of a row group: their columns stay in the processor's cache until they are written.
ROWS_PER_BUFFER = 1 << 16


def buffer_fields(columns: tuple[Column, ...]) -> dict[str, str]:
    """The columns as `engine.kernel.records.Table` takes them: a bool is a byte there."""
    return {column.name: "uint8" if column.type == "bool" else column.type for column in columns}
