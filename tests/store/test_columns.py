"""Columns as a core declares them and a contest describes them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.kernel.records import Table
from tests.built_in import VON_NEUMANN_POKER
from tournament.decisions.decision import Decision
from tournament.decisions.value_types import Int, Text
from tournament.store.columns import buffer_fields, describe_columns

ROW = np.dtype([("match", np.int32), ("won", np.uint8), ("points", np.float64)], align=True)


def test_every_column_is_described_and_no_other() -> None:
    known = {"won": "x won"}  # Most contests have the match, too.
    assert describe_columns(ROW, **known, points="points")[0].description.startswith("match number")
    for meanings in (known, known | {"points": "points", "cards": "cards"}):
        with pytest.raises(ValueError, match="the core writes the columns match, won, points"):
            describe_columns(ROW, **meanings)


@pytest.mark.parametrize("capacity", [1, 7, 16, 1023, 1024, 1 << 18])
def test_a_tables_columns_lie_apart_and_where_its_rows_members_say(capacity: int) -> None:
    table = Table(buffer_fields(VON_NEUMANN_POKER.games), capacity)
    for number, values in enumerate(table.arrays.values()):
        assert len(values) == capacity and values.flags.aligned
        values[:] = number
    for number, values in enumerate(table.arrays.values()):
        assert (values == number).all()
    first = table.arrays["match"].ctypes.data
    pitches = {
        (values.ctypes.data - first) / table.row.fields[name][1]  # type: ignore[index]
        for name, values in table.arrays.items()
        if name != "match"
    }
    assert len(pitches) == 1 and min(pitches) >= capacity


def test_an_interface_that_exceeds_the_engine_is_refused() -> None:
    interface = VON_NEUMANN_POKER.interface
    for shown, words in (
        ({f"value_{n}": Int(0, 9) for n in range(33)}, "values take 132 bytes, at most 128 are possible"),
        ({"card": Text(9)}, "expected a number"),
    ):
        with pytest.raises(ValueError, match=words):
            replace(interface, questions=(Decision("a", "A", observation=shown, answer=Int(0, 1)),))
