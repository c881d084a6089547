"""The columns of a record table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# How a column's values lie on disk. Constant: long runs of one value. Split: not negative
# and slow or small, stored byte plane by byte plane. Delta: small, of either sign.
# Plain: random, nothing to gain.
Packing = Literal["constant", "split", "delta", "plain"]


@dataclass(frozen=True)
class Column:
    """A column of a record table. `type` is a numpy type name; `meaning` carries the unit."""

    name: str
    type: str
    meaning: str
    packing: Packing = "plain"


def buffer_fields(columns: tuple[Column, ...]) -> dict[str, str]:
    """The columns as `engine.records.Table` takes them: a bool is a byte there."""
    return {column.name: "uint8" if column.type == "bool" else column.type for column in columns}
