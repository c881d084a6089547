"""`python -m tests.store.damaged_footers SEED COUNT`: reads so many Parquet files with a damaged footer.

pyarrow can end the whole process over one, so this is a process of its own. It prints how many were refused.
"""

from __future__ import annotations

import io
import random
import sys

import numpy as np
import pyarrow as pa

from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.store.parquet_file import ParquetFileWriter
from tournament.store.parquet_limits import opened

_TAIL = 8


def small_file() -> bytes:
    """Games in two row groups, as a run writes them."""
    columns, sink = VON_NEUMANN_POKER.games, io.BytesIO()
    writer = ParquetFileWriter(sink.write, columns, {"contest": "c"}, "by", frozenset({"match", "session"}))
    rows = {c.name: np.zeros(65, "uint8" if c.type == "bool" else c.type) for c in columns}
    writer.append(rows, len(rows[columns[0].name]))
    writer.append(rows, len(rows[columns[0].name]))
    writer.write_footer()
    return sink.getvalue()


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The file with up to four changes of its footer: flipped bits, other bytes, bytes more or less."""
    changed = bytearray(content)
    start = len(content) - _TAIL - int.from_bytes(content[-_TAIL:-4], "little")
    for _ in range(chance.choice([1, 1, 2, 4])):
        place = chance.randrange(start, len(changed) - _TAIL)
        kind = chance.random()
        if kind < 0.5:
            changed[place] ^= 1 << chance.randrange(8)
        elif kind < 0.8:
            changed[place] = chance.randrange(256)
        elif kind < 0.9:
            del changed[place]
        else:
            changed.insert(place, chance.randrange(256))
    changed[-_TAIL:-4] = (len(changed) - _TAIL - start).to_bytes(4, "little")
    return bytes(changed)


def read(content: bytes) -> None:
    """As readers of parts do."""
    with opened(pa.BufferReader(content)) as file:
        assert file.schema_arrow is not None
        for group in range(file.num_row_groups):
            metadata = file.metadata.row_group(group)
            for column in range(metadata.num_columns):
                told = metadata.column(column).statistics
                if told is not None and told.has_min_max:
                    assert told.min is not told.max or told
        file.read()


if __name__ == "__main__":
    seed, count = map(int, sys.argv[1:])
    whole, refused = small_file(), 0
    for number in range(seed, seed + count):
        try:
            read(damaged(whole, random.Random(number)))
        except (pa.ArrowException, OSError, ValueError):
            refused += 1
    print(refused)
