"""Reading some columns of some row groups of published parts, as numpy arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tournament.store.columns import Column
from tournament.store.ledger import Part
from tournament.store.parts import open_part, reading
from tournament.store.storage import Storage


def row_group_edges(storage: Storage, part: Part, columns: Sequence[Column]) -> list[int]:
    """Where the row groups of a part begin, by row, and where the last ends. Raises as `open_part` does."""
    with open_part(storage, part, columns) as file:
        sizes = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
    return list(itertools.accumulate(sizes, initial=0))


def read_row_groups(
    storage: Storage, part: Part, columns: Sequence[Column], groups: Sequence[int], names: Sequence[str]
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """The columns of these names of some row groups, one group at a time. Raises as `open_part` does."""
    with open_part(storage, part, columns) as file:
        for group in groups:
            with reading(storage, part):
                table = file.read_row_group(group, columns=list(names), use_threads=False)
                rows = {name: _values(table[name]) for name in names}
            yield rows


def part_origin(storage: Storage, part: Part, columns: Sequence[Column]) -> dict[str, str]:
    """What a part's metadata say of where its games come from. Raises as `open_part` does."""
    with open_part(storage, part, columns) as file:
        known = file.schema_arrow.metadata or {}
    return {key.decode(errors="replace"): value.decode(errors="replace")[:200] for key, value in known.items()}


def _values(column: pa.ChunkedArray[Any]) -> npt.NDArray[Any]:
    """A column without nulls. Unlike `to_numpy` this doesn't import pandas: it takes long."""
    arrays: list[npt.NDArray[Any]] = []
    for chunk in column.chunks:
        buffer = cast(Any, chunk.buffers()[1])
        if pa.types.is_boolean(chunk.type):
            bits = np.frombuffer(buffer, np.uint8)
            arrays.append(
                np.unpackbits(bits, count=chunk.offset + len(chunk), bitorder="little")[chunk.offset :].view(bool)
            )
        else:
            kind = np.dtype(chunk.type.to_pandas_dtype())
            arrays.append(np.frombuffer(buffer, kind, len(chunk), chunk.offset * kind.itemsize))
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays) if arrays else np.empty(0)
