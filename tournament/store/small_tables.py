"""Small tables. Each is a Parquet file that is written and read as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from tournament.arrays import Cells
from tournament.errors import RunError, truncate
from tournament.store.columns import Column
from tournament.store.parts import UNREADABLE
from tournament.store.storage import Storage

# Maximum bytes of a table in memory.
_MAX_SUMMARY = 256 << 20


def write_summary(storage: Storage, name: str, columns: Sequence[Column], values: Cells) -> None:
    """Write or replace a small table, in one step.

    Args:
        storage: Storage of the records.
        name: Name of the file.
        columns: Columns of the table.
        values: Values by column. None becomes a null, and so does NaN in an array.

    Raises:
        OSError: The file can't be written.
        RunError: A request to the object store fails.
    """
    # Not durable, because the next run rewrites it.
    storage.replace(name, summary_content(columns, values), durable=False)


def summary_content(columns: Sequence[Column], values: Cells) -> bytes:
    """Return a small table as the content of a file. None becomes a null, and so does NaN in an array."""
    sink = pa.BufferOutputStream()
    pq.write_table(summary_table(columns, values), sink, write_page_checksum=True, compression="zstd")
    return sink.getvalue().to_pybytes()


def summary_rows(content: bytes, path: str, columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Return the rows of a table that `summary_content` made, in order, as dictionaries by column. A null is None.

    Args:
        content: Content of the file.
        path: Name of the file for messages.
        columns: Columns of the table.

    Raises:
        RunError: The table is damaged, has other columns, or takes more than 256 MiB in memory.
    """
    try:
        with pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True) as file:
            groups = map(file.metadata.row_group, range(file.num_row_groups))
            if sum(one.total_byte_size for one in groups) > _MAX_SUMMARY:
                raise pa.ArrowInvalid("it is too large")
            if not file.schema_arrow.equals(_summary_schema(columns)):
                raise pa.ArrowInvalid("it has other columns than were written")
            rows: list[dict[str, Any]] = file.read().to_pylist()
            return rows
    except UNREADABLE as error:
        raise RunError(f"{path} is damaged: {truncate(str(error), 200)}") from None


def is_as_written(storage: Storage, path: str, table: pa.Table) -> bool | None:
    """Return whether a file has this table's rows, in this order. None if it can't be read or has other columns.

    A file with another number of rows, or one more than four times as large, isn't read. The result is then False.

    Raises:
        FileNotFoundError: There is no such file.
        RunError: The file can't be opened.
    """
    max_bytes = 4 * (table.nbytes + (1 << 16))
    try:
        with storage.open_data(path) as stream:
            if stream.size() > max_bytes:
                return False
            with pq.ParquetFile(stream, page_checksum_verification=True) as file:
                groups = map(file.metadata.row_group, range(file.num_row_groups))
                if file.metadata.num_rows != table.num_rows or sum(one.total_byte_size for one in groups) > max_bytes:
                    return False
                recorded = file.read()
    except FileNotFoundError:
        raise
    except UNREADABLE:
        return None
    return bool(recorded.equals(table)) if recorded.schema.equals(table.schema) else None


def summary_table(columns: Sequence[Column], values: Cells) -> pa.Table:
    """Return a small table, with columns in this order. None becomes a null, and so does NaN in an array."""
    schema = _summary_schema(columns)
    return pa.table([_array(values[one.name], one.type) for one in schema], schema=schema)


def _summary_schema(columns: Sequence[Column]) -> pa.Schema:
    kinds = [pa.string() if c.dtype == "str" else pa.from_numpy_dtype(np.dtype(c.dtype)) for c in columns]
    return pa.schema(pa.field(c.name, kind, metadata={"meaning": c.description}) for c, kind in zip(columns, kinds))


def _array(values: Sequence[Any] | npt.NDArray[Any], kind: pa.DataType) -> pa.Array[Any]:
    """Return values as an array of arrow, with nulls for None. pyarrow.array would import pandas, which takes long."""
    if pa.types.is_string(kind):
        return text_array(values)
    # Half a million matches as objects would take a second.
    if isinstance(values, np.ndarray):
        present = ~np.isnan(values)
        filled = np.where(present, values, 0).astype(kind.to_pandas_dtype())
    else:
        present = np.array([value is not None for value in values], dtype=bool)
        filled = np.array([0 if value is None else value for value in values], dtype=kind.to_pandas_dtype())
    bits = np.packbits(present, bitorder="little")
    buffers: list[pa.Buffer | None] = [pa.py_buffer(bits.tobytes()), pa.py_buffer(filled.tobytes())]
    return pa.Array.from_buffers(kind, len(values), buffers)


def text_array(values: Sequence[str | None] | npt.NDArray[Any]) -> pa.Array[Any]:
    """Return texts as an array of arrow, with nulls for None. pyarrow.array would import pandas, which takes long."""
    builder = pa.lib.StringBuilder()
    builder.append_values(values)
    return builder.finish()
