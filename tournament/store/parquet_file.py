"""Writing a Parquet file from columns in memory: row groups as they come, then the footer that says where they lie.

The structs and their fields' numbers are those of Apache Parquet, "Parquet Format" 2.12,
src/main/thrift/parquet.thrift. The row groups are made by `engine.parquet.pages`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.parquet.pages import GroupEncoder
from tournament.store.columns import ROWS_PER_BUFFER, Column
from tournament.store.thrift import FALSE, STRUCT, TRUE, Value, array, byte, i32, i64, struct, text

_MAGIC = b"PAR1"
_VERSION = 2
_REQUIRED = 0  # enum FieldRepetitionType: without nulls
_BOOLEAN, _INT32, _INT64, _FLOAT, _DOUBLE = 0, 1, 2, 4, 5  # enum Type
_CONVERTED = {  # enum ConvertedType
    "uint8": 11, "uint16": 12, "uint32": 13, "uint64": 14, "int8": 15, "int16": 16, "int32": 17, "int64": 18
}  # fmt: skip


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

    def append(self, arrays: Mapping[str, npt.NDArray[Any]], rows: int) -> None:
        """Append the first rows of arrays, by column, in row groups; flags are bytes. Raises OSError."""
        columns = [arrays[column.name] for column in self._columns]
        for first in range(0, rows, ROWS_PER_BUFFER):
            end = min(first + ROWS_PER_BUFFER, rows)
            group, described = self._encoder.encode([values[first:end] for values in columns], self._place)
            self._write(group)
            self._groups.append((STRUCT, described))
            self._place += len(group)
        self._rows += rows

    def write_footer(self) -> int:
        """End the file, and return its rows. Raises OSError."""
        root = struct({4: text("schema"), 5: i32(len(self._columns))})
        type_defined_order = struct({1: struct({})})
        _, footer = struct(
            {
                1: i32(_VERSION),
                2: array([root, *map(_schema_element, self._columns)]),
                3: i64(self._rows),
                4: array(self._groups),
                5: array([struct({1: text(key), 2: text(value)}) for key, value in self._metadata.items()]),
                6: text(self._created_by),
                7: array([type_defined_order] * len(self._columns)),
            }
        )
        self._write(footer + len(footer).to_bytes(4, "little") + _MAGIC)
        return self._rows


def _schema_element(column: Column) -> Value:
    fields = {1: i32(_physical(column.dtype)), 3: i32(_REQUIRED), 4: text(column.name)}
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
    if type_name.startswith("float"):
        return _FLOAT if type_name == "float32" else _DOUBLE
    return _INT64 if type_name.endswith("64") else _INT32
