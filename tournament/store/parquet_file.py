"""Writing a Parquet file from columns in memory: row groups as they come, then the footer that says where they lie.

The structs and their fields' numbers are those of Apache Parquet, "Parquet Format" 2.12,
src/main/thrift/parquet.thrift. The row groups are made by `engine.parquet.pages`.
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
_REQUIRED = 0  # enum FieldRepetitionType: without nulls
_BOOLEAN, _INT32, _INT64, _FLOAT, _DOUBLE, _BYTE_ARRAY = 0, 1, 2, 4, 5, 6  # enum Type
_UTF8 = 0  # enum ConvertedType
_CONVERTED = {  # enum ConvertedType
    "uint8": 11, "uint16": 12, "uint32": 13, "uint64": 14, "int8": 15, "int16": 16, "int32": 17, "int64": 18
}  # fmt: skip


@dataclass(frozen=True)
class Runs:
    """A column whose values stay the same over many rows.

    Attributes:
        values: The values, texts or whole numbers of 32 bits.
        indices: For each run of rows the index of its value.
        lengths: The rows of each run, at least 1.
    """

    values: Sequence[str] | Sequence[int]
    indices: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int64]

    @classmethod
    def of(cls, values: Sequence[Any], indices: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> Runs:
        """Return the runs of rows, with equal neighbours joined and each value once."""
        places = {value: place for place, value in enumerate(dict.fromkeys(values))}
        indices = np.array([places[value] for value in values], np.int32)[indices]
        starts = np.flatnonzero(np.append(True, indices[1:] != indices[:-1])) if len(indices) else np.arange(0)
        return cls(list(places), indices[starts], np.add.reduceat(lengths, starts) if len(starts) else np.arange(0))

    @classmethod
    def of_rows(cls, rows: npt.NDArray[Any]) -> Runs:
        """Return the runs of a column that has a value for each row."""
        starts = _starts(rows)
        return cls.of(rows[starts].tolist(), np.arange(len(starts)), np.diff(starts, append=len(rows)))

    @classmethod
    def of_places(cls, values: Sequence[str], places: npt.NDArray[np.int32]) -> Runs:
        """Return the runs of a column that has for each row the place of its value among different ones."""
        starts = _starts(places)
        return cls(values, places[starts], np.diff(starts, append=len(places)))

    def __getitem__(self, rows: slice) -> Runs:
        ends = np.cumsum(self.lengths)
        starts = ends - self.lengths
        inside = np.clip(ends, rows.start, rows.stop) - np.clip(starts, rows.start, rows.stop)
        some = np.flatnonzero(inside)
        return Runs(self.values, self.indices[some], inside[some])

    def encoded(self) -> tuple[bytes, bool, int, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return the column as `engine.parquet.pages` takes it, with the values that it uses."""
        used, indices = np.unique(self.indices, return_inverse=True)
        values = [self.values[place] for place in used.tolist()]
        parts = [_plain(value) for value in values]
        is_text = isinstance(values[0], str)
        return b"".join(parts), is_text, len(values), indices.astype(np.int32), self.lengths.astype(np.int64)


def _starts(rows: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return where the runs of rows begin."""
    return np.flatnonzero(np.append(True, rows[1:] != rows[:-1])) if len(rows) else np.arange(0)


@lru_cache(1 << 16)  # of a bot's name in all parts of an edit
def _plain(value: str | int) -> bytes:
    """Return a value in the encoding PLAIN."""
    if isinstance(value, int):
        return value.to_bytes(4, "little", signed=True)
    content = value.encode()
    return len(content).to_bytes(4, "little") + content


class ParquetFileWriter:
    """Writes a file of these columns, none of them with nulls, by `write`. Of the columns named in `statistics` the
    footer tells each row group's least and greatest value."""

    def __init__(
        self,
        write: Callable[[Any], object],
        columns: Sequence[Column],
        metadata: Mapping[str, str],
        created_by: str,
        statistics: frozenset[str] = frozenset(),
    ) -> None:
        self._write = write
        self._columns = columns
        self._metadata = metadata
        self._created_by = created_by
        flags = [column.name for column in columns if column.dtype == "bool"]
        self._encoder = GroupEncoder([column.name for column in columns], flags, statistics)
        self._groups: list[Value] = []
        self._rows = 0
        self._place = len(_MAGIC)
        write(_MAGIC)

    def append(self, arrays: Mapping[str, npt.NDArray[Any] | Runs], rows: int) -> None:
        """Append the first rows of arrays, by column, in row groups.

        Args:
            arrays: The columns; flags are bytes, names are runs.
            rows: Number of rows.

        Raises:
            OSError: The file can't be written.
        """
        columns = [arrays[column.name] for column in self._columns]
        for first in range(0, rows, ROWS_PER_BUFFER):
            end = min(first + ROWS_PER_BUFFER, rows)
            group, described = self._encoder.encode(
                [values[first:end].encoded() if isinstance(values, Runs) else values[first:end] for values in columns],
                self._place,
            )
            self._write(group)
            self._groups.append((STRUCT, described))
            self._place += len(group)
        self._rows += rows

    def write_footer(
        self, metadata: Mapping[str, str] | None = None, seal: Callable[[bytes], bytes] = lambda footer: footer
    ) -> int:
        """End the file, and return its rows.

        Args:
            metadata: Metadata that are known only now.
            seal: Called with the footer; returns what is written, of the same length.

        Raises:
            OSError: The footer can't be written.
        """
        known = {**self._metadata, **(metadata or {})}
        root = struct({4: text("schema"), 5: i32(len(self._columns))})
        type_defined_order = struct({1: struct({})})
        _, footer = struct(
            {
                1: i32(_VERSION),
                2: array([root, *map(_schema_element, self._columns)]),
                3: i64(self._rows),
                4: array(self._groups),
                5: array([struct({1: text(key), 2: text(value)}) for key, value in known.items()]),
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
        fields[10] = struct({1: struct({})})  # a LogicalType
    if column.dtype in _CONVERTED:
        fields[6] = i32(_CONVERTED[column.dtype])
        bits = byte(8 * np.dtype(column.dtype).itemsize)
        integer = struct({1: bits, 2: FALSE if column.dtype.startswith("u") else TRUE})
        fields[10] = struct({10: integer})  # a LogicalType
    return struct(fields)


def _physical(type_name: str) -> int:
    """Parquet's type for values of a numpy type."""
    if type_name == "bool":
        return _BOOLEAN
    if type_name == NAME:
        return _BYTE_ARRAY
    if type_name.startswith("float"):
        return _FLOAT if type_name == "float32" else _DOUBLE
    return _INT64 if type_name.endswith("64") else _INT32
