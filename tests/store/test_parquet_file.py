"""Our Parquet files: every reader finds in them what pyarrow's own writer would have written."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.store.columns import ROWS_PER_BUFFER, Column
from tournament.store.parquet_file import ParquetFileWriter
from tournament.store.part_writer import STATISTICS

Values = npt.NDArray[Any]

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
TYPES = (*INTEGERS, "float32", "float64", "bool")


def pick(chance: np.random.Generator, *values: Any) -> int:
    return int(values[int(chance.integers(len(values)))])


def constant(chance: np.random.Generator, rows: int, limits: np.iinfo[Any]) -> Values:
    return np.full(rows, pick(chance, limits.min, limits.max, 0), limits.dtype)


def narrow(chance: np.random.Generator, rows: int, limits: np.iinfo[Any]) -> Values:
    """Within 2 to 257 of one another, anywhere."""
    distance = min(pick(chance, 1, 2, 3, 4, 15, 16, 127, 255, 256), int(limits.max) - int(limits.min))
    least = pick(chance, limits.min, int(limits.max) - distance, max(int(limits.min), -100))
    least = min(least, int(limits.max) - distance)
    return np.asarray(chance.integers(least, least + distance, rows, limits.dtype, endpoint=True))


def slow(chance: np.random.Generator, rows: int, limits: np.iinfo[Any]) -> Values:
    """Counts up, now and then or in each row, and starts again a few times."""
    steps = chance.integers(0, pick(chance, 1, 30), rows) == 0
    count = np.cumsum(steps) % pick(chance, 50, 400, 100_000) * pick(chance, 1, 1, 7)
    return np.asarray(np.minimum(count, min(int(limits.max), 10**9)), limits.dtype)


def leaping(chance: np.random.Generator, rows: int, limits: np.iinfo[Any]) -> Values:
    """Stands still, but for leaps as far as they go."""
    values = np.full(rows, limits.max, limits.dtype)
    values[chance.integers(0, 40, rows) == 0] = pick(chance, limits.min, limits.max // 2)
    return values


def wide(chance: np.random.Generator, rows: int, limits: np.iinfo[Any]) -> Values:
    return np.asarray(chance.integers(limits.min, limits.max, rows, limits.dtype, endpoint=True))


SHAPES: tuple[Callable[[np.random.Generator, int, np.iinfo[Any]], Values], ...] = (
    constant,
    narrow,
    slow,
    leaping,
    wide,
)


def some_values(type_name: str, shape: int, rows: int, seed: int) -> Values:
    """Return a column as a row buffer has it."""
    chance = np.random.default_rng(seed)
    if type_name == "bool":
        return chance.integers(0, (1, 2, 2, 3, 256)[shape], rows).astype("uint8")
    if type_name.startswith("float"):
        values = chance.normal(size=rows).astype(type_name)
        values[:: 1 + 3 * shape] = (np.nan, np.inf, -0.0, np.finfo(type_name).smallest_subnormal)[chance.integers(4)]
        return values
    return SHAPES[shape](chance, rows, np.iinfo(type_name))


def written(columns: Sequence[Column], groups: Sequence[dict[str, Values]]) -> bytes:
    out = io.BytesIO()
    file = ParquetFileWriter(out.write, columns, {"contest": "chess – no"}, "tournament version 1.2.3", STATISTICS)
    for group in groups:
        file.append(group, len(next(iter(group.values()))))
    file.write_footer()
    return out.getvalue()


def by_pyarrow(columns: Sequence[Column], groups: Sequence[dict[str, Values]]) -> pa.Table:
    """Return the same table as pyarrow writes and reads it."""
    schema = pa.schema([pa.field(c.name, pa.from_numpy_dtype(np.dtype(c.dtype)), nullable=False) for c in columns])
    arrays = {c.name: [group[c.name].astype(c.dtype) for group in groups] for c in columns}
    table = pa.table([pa.array(np.concatenate(pieces)) for pieces in arrays.values()], schema=schema)
    out = pa.BufferOutputStream()
    pq.write_table(table, out, store_schema=False)
    return pq.read_table(pa.BufferReader(out.getvalue()))


def assert_alike(content: bytes, columns: Sequence[Column], groups: Sequence[dict[str, Values]]) -> None:
    """Check that a file reads as pyarrow's would, to the last bit of a NaN, with checksums."""
    read = pq.ParquetFile(io.BytesIO(content), page_checksum_verification=True).read()
    expected = by_pyarrow(columns, groups)
    assert read.schema.equals(expected.schema) and read.schema.metadata == {b"contest": "chess – no".encode()}
    for column in columns:
        one, other = read[column.name].to_numpy(), expected[column.name].to_numpy()
        assert one.tobytes() == other.tobytes(), column


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(TYPES), st.integers(0, 4)), min_size=1, max_size=6),
    st.lists(
        st.one_of(st.integers(1, 400), st.sampled_from([1, 7, 8, 9, 127, 128, 129, 1023, 1024, 1025, 2049, 5000])),
        min_size=1,
        max_size=3,
    ),
    st.integers(0, 2**32 - 1),
)
def test_any_table_reads_as_pyarrow_would_have_written(
    kinds: list[tuple[str, int]], lengths: list[int], seed: int
) -> None:
    columns = [Column(f"{type_name}_{n}", type_name, "") for n, (type_name, _) in enumerate(kinds)]
    groups = [
        {
            column.name: some_values(column.dtype, shape, rows, seed + 100 * group + n)
            for n, (column, (_, shape)) in enumerate(zip(columns, kinds))
        }
        for group, rows in enumerate(lengths)
    ]
    assert_alike(written(columns, groups), columns, groups)


EVERYTHING = [Column(f"{type_name}_{shape.__name__}", type_name, "") for type_name in INTEGERS for shape in SHAPES] + [
    Column(name, name, "") for name in ("bool", "float32", "float64")
]


def everything(rows: int, seed: int) -> dict[str, Values]:
    """Return a column of each type and shape."""
    names = [shape.__name__ for shape in SHAPES]
    return {
        column.name: some_values(
            column.dtype, names.index(column.name.partition("_")[2]) if "_" in column.name else 1, rows, seed + n
        )
        for n, column in enumerate(EVERYTHING)
    }


def frames_of_all_readers(path: Path) -> dict[str, pd.DataFrame]:
    duckdb = import_module("duckdb")
    fastparquet = import_module("fastparquet")
    polars = import_module("polars")
    table = polars.read_parquet(path)
    return {
        "pandas": pd.read_parquet(path),
        "polars": pd.DataFrame({name: table[name].to_numpy() for name in table.columns}),
        "duckdb": duckdb.sql(f"SELECT * FROM '{path}'").df(),
        "fastparquet": fastparquet.ParquetFile(str(path)).to_pandas(),
    }


def test_every_reader_reads_every_type(tmp_path: Path) -> None:
    lengths = [3000, 1, 129]
    groups = [everything(rows, 10 * rows) for rows in lengths]
    path = tmp_path / "everything.parquet"
    path.write_bytes(written(EVERYTHING, groups))
    for reader, frame in frames_of_all_readers(path).items():
        assert list(frame.columns) == [column.name for column in EVERYTHING], reader
        assert len(frame) == sum(lengths), reader
        for column in EVERYTHING:
            expected = np.concatenate([group[column.name].astype(column.dtype) for group in groups])
            values = frame[column.name].to_numpy()
            assert values.dtype == expected.dtype, (reader, column)
            assert values.tobytes() == expected.tobytes(), (reader, column)


def test_row_groups_have_statistics_of_matches_and_sessions() -> None:
    columns = [Column(name, "int32", "") for name in ("match", "session", "game")]
    numbers = [np.array(values, dtype="int32") for values in ([3, 5, 4], [-1, -1, -1], [2**31 - 1, -(2**31), 0])]
    groups = [{column.name: values for column in columns} for values in numbers]
    metadata = pq.ParquetFile(io.BytesIO(written(columns, groups))).metadata
    for group, values in enumerate(numbers):
        for n in (0, 1):
            told = metadata.row_group(group).column(n).statistics
            assert told is not None and (told.min, told.max, told.null_count) == (values.min(), values.max(), 0)
        assert metadata.row_group(group).column(2).statistics is None


def test_game_takes_few_bytes_and_footer_stays_small() -> None:
    """Write games of one match of von Neumann poker, as random as possible.

    Ten to the nine of them must not make the footer 40 MB large.
    """
    chance, rows = np.random.default_rng(5), ROWS_PER_BUFFER
    group: dict[str, Values] = {"match": np.full(rows, 7, "int32"), "session": np.arange(rows, dtype="int32") // 3}
    group |= {name: chance.random(rows, "float32") for name in ("a_card", "b_card")}
    limits = {"game": 50, "bet": 101, "seat_0_is_a": 2, "folded": 2, "a_money": 201, "b_money": 201, "a_gain": 221}
    for name, limit in limits.items():
        kind = {"a_gain": "int8", "a_money": "int16", "b_money": "int16"}.get(name, "uint8")
        group[name] = (chance.integers(0, limit, rows) - 110 * (name == "a_gain")).astype(kind)
    columns = [Column(name, "bool" if limits.get(name) == 2 else str(one.dtype), "") for name, one in group.items()]
    one, three = written(columns, [group]), written(columns, [group] * 3)
    assert (len(three) - len(one)) / (2 * ROWS_PER_BUFFER) <= 13.5
    footers = [int.from_bytes(content[-8:-4], "little") for content in (one, three)]
    assert (footers[1] - footers[0]) / 2 * (10**9 / ROWS_PER_BUFFER) < 20e6
