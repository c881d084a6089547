"""Files that are small where they lie and large once they are read."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.contest_runs import Place


def swollen_summary(place: Place, rows: int) -> None:
    """matches.parquet with very many rows, all alike."""
    path = place.results / "matches.parquet"
    one = pq.read_table(path).slice(0, 1)
    pq.write_table(one.take(np.zeros(rows, np.int8)), path, compression="zstd")


def summary_of_long_texts(place: Place) -> None:
    """matches.parquet with as many rows as it should have, and a text of many megabytes that are all alike."""
    path = place.results / "matches.parquet"
    table = pq.read_table(path)
    texts = pa.array(["x" * (400 << 20)] + ["x"] * (len(table) - 1))
    number = table.schema.get_field_index("x")
    swollen = table.set_column(number, table.schema.field(number), texts)
    pq.write_table(swollen, path, compression="zstd", use_dictionary=False, write_statistics=False)
