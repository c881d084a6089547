"""Writing a Parquet file from columns in memory: row groups one by one, then the footer with their offsets.

The structs and their field numbers are those of Apache Parquet, "Parquet Format" 2.12, src/main/thrift/parquet.thrift.
`engine.parquet.pages` encodes the row groups.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.parquet.pages import GroupEncoder
from tournament.store.columns import NAME, ROWS_PER_BUFFER, Column
from tournament.store.thrift import FALSE, STRUCT, TRUE, Value, array, byte, i32, i64, struct, text

_MAGIC = b"PAR1"
_VERSION = 2
# The enum FieldRepetitionType: without nulls.
_REQUIRED = 0
# The enum Type.
_BOOLEAN, _INT32, _INT64, _FLOAT, _DOUBLE, _BYTE_ARRAY = 0, 1, 2, 4, 5, 6
# The enum ConvertedType.
_UTF8 = 0
_CONVERTED = {
    "uint8": 11, "uint16": 12, "uint32": 13, "uint64": 14, "int8": 15, "int16": 16, "int32": 17, "int64": 18
}  # fmt: skip


@dataclass(frozen=True)
class Runs:
    """A column whose values stay the same over many rows.

    Attributes:
        values: Distinct values, texts or 32-bit integers with a sign. Some can be unused.
        indices: Index of the value of each run of rows.
        lengths: Number of rows of each run, at least 1.
    """

    values: Sequence[str] | Sequence[int]
    indices: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int64]

    @classmethod
    def from_runs(cls, values: Sequence[Any], indices: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> Runs:
        """Return a column of runs, with equal neighbours joined. Its values are in the order in which they first occur.

        Args:
            values: Values, which can repeat.
            indices: Index of the value of each run.
            lengths: Number of rows of each run, at least 1.
        """
        index_by_value = {value: index for index, value in enumerate(dict.fromkeys(values))}
        indices = np.array([index_by_value[value] for value in values], np.int32)[indices]
        starts = np.flatnonzero(np.append(True, indices[1:] != indices[:-1])) if len(indices) else np.arange(0)
        return cls(
            list(index_by_value), indices[starts], np.add.reduceat(lengths, starts) if len(starts) else np.arange(0)
        )

    @classmethod
    def from_rows(cls, rows: npt.NDArray[Any]) -> Runs:
        """Return a column of runs from the value of each row."""
        starts = _starts(rows)
        return cls.from_runs(rows[starts].tolist(), np.arange(len(starts)), np.diff(starts, append=len(rows)))

    @classmethod
    def from_indices(cls, values: Sequence[str], indices: npt.NDArray[np.int32]) -> Runs:
        """Return a column of runs from the index of each row's value among distinct values."""
        starts = _starts(indices)
        return cls(values, indices[starts], np.diff(starts, append=len(indices)))

    def __getitem__(self, rows: slice) -> Runs:
        ends = np.cumsum(self.lengths)
        starts = ends - self.lengths
        inside = np.clip(ends, rows.start, rows.stop) - np.clip(starts, rows.start, rows.stop)
        covered = np.flatnonzero(inside)
        return Runs(self.values, self.indices[covered], inside[covered])

    def encoded(self) -> tuple[bytes, bool, int, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return the column as `engine.parquet.pages` takes it, with only those values that it uses, in their order.

        The column must have a row.

        Returns:
            The values in the encoding PLAIN, whether they are texts, their number, and index and length of each run.
        """
        used, indices = np.unique(self.indices, return_inverse=True)
        values = [self.values[index] for index in used.tolist()]
        parts = [_plain(value) for value in values]
        is_text = isinstance(values[0], str)
        return b"".join(parts), is_text, len(values), indices.astype(np.int32), self.lengths.astype(np.int64)


def _starts(rows: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the first row of each run."""
    return np.flatnonzero(np.append(True, rows[1:] != rows[:-1])) if len(rows) else np.arange(0)


# The same bots' names occur in many parts.
@lru_cache(1 << 16)
def _plain(value: str | int) -> bytes:
    """Return a value in the encoding PLAIN."""
    if isinstance(value, int):
        return value.to_bytes(4, "little", signed=True)
    content = value.encode()
    return len(content).to_bytes(4, "little") + content


class ParquetFileWriter:
    """Writes a Parquet file, row group by row group. No column has nulls."""

    def __init__(
        self,
        write: Callable[[Any], object],
        columns: Sequence[Column],
        metadata: Mapping[str, str],
        created_by: str,
        statistics: frozenset[str] = frozenset(),
    ) -> None:
        """Write the first four bytes of the file.

        Args:
            write: Called with the next bytes of the file.
            columns: Columns of the file.
            metadata: Metadata for the footer.
            created_by: Name and version of the writing program, for the footer.
            statistics: Names of the columns whose minimum and maximum the footer has for each row group.

        Raises:
            OSError: The file can't be written.
            RunError: A request to the object store fails.
        """
        self._write = write
        self._columns = columns
        self._metadata = metadata
        self._created_by = created_by
        flags = [column.name for column in columns if column.dtype == "bool"]
        self._encoder = GroupEncoder([column.name for column in columns], flags, statistics)
        self._groups: list[Value] = []
        self._rows = 0
        self._offset = len(_MAGIC)
        write(_MAGIC)

    def append(self, arrays: Mapping[str, npt.NDArray[Any] | Runs], rows: int) -> None:
        """Append the first rows of arrays, in row groups of at most 65,536 rows.

        Args:
            arrays: Values by column, with at least `rows` rows each. Flags are bytes, names are runs.
            rows: Number of rows.

        Raises:
            OSError: The file can't be written.
            RunError: A request to the object store fails.
        """
        columns = [arrays[column.name] for column in self._columns]
        for first in range(0, rows, ROWS_PER_BUFFER):
            end = min(first + ROWS_PER_BUFFER, rows)
            group, described = self._encoder.encode(
                [values[first:end].encoded() if isinstance(values, Runs) else values[first:end] for values in columns],
                self._offset,
            )
            self._write(group)
            self._groups.append((STRUCT, described))
            self._offset += len(group)
        self._rows += rows

    def write_footer(
        self, metadata: Mapping[str, str] | None = None, seal: Callable[[bytes], bytes] = lambda footer: footer
    ) -> int:
        """Complete the file, and return its number of rows.

        Args:
            metadata: Further metadata, which weren't known before; None for none.
            seal: Called with the footer; returns the footer to write, of the same length. By default it is unchanged.

        Raises:
            OSError: The footer can't be written.
            RunError: A request to the object store fails.
        """
        all_metadata = {**self._metadata, **(metadata or {})}
        root = struct({4: text("schema"), 5: i32(len(self._columns))})
        type_defined_order = struct({1: struct({})})
        _, footer = struct(
            {
                1: i32(_VERSION),
                2: array([root, *map(_schema_element, self._columns)]),
                3: i64(self._rows),
                4: array(self._groups),
                5: array([struct({1: text(key), 2: text(value)}) for key, value in all_metadata.items()]),
                6: text(self._created_by),
                7: array([type_defined_order] * len(self._columns)),
            }
        )
        self._write(seal(footer) + len(footer).to_bytes(4, "little") + _MAGIC)
        return self._rows


def _schema_element(column: Column) -> Value:
    fields = {1: i32(_physical(column.dtype)), 3: i32(_REQUIRED), 4: text(column.name)}
    if column.dtype == NAME:
        fields[6] = i32(_UTF8)
        fields[10] = struct({1: struct({})})
    if column.dtype in _CONVERTED:
        fields[6] = i32(_CONVERTED[column.dtype])
        bits = byte(8 * np.dtype(column.dtype).itemsize)
        integer = struct({1: bits, 2: FALSE if column.dtype.startswith("u") else TRUE})
        fields[10] = struct({10: integer})
    return struct(fields)


def _physical(type_name: str) -> int:
    """Return Parquet's type for values of a numpy type."""
    if type_name == "bool":
        return _BOOLEAN
    if type_name == NAME:
        return _BYTE_ARRAY
    if type_name.startswith("float"):
        return _FLOAT if type_name == "float32" else _DOUBLE
    return _INT64 if type_name.endswith("64") else _INT32
