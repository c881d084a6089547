"""Writing a Parquet file from columns in memory: row groups as they come, then the footer that says where they lie.

The structs and their fields' numbers are those of Apache Parquet, "Parquet Format" 2.12,
src/main/thrift/parquet.thrift. The pages are made by `engine.parquet.pages`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.parquet.pages import PageEncoder
from tournament.store.columns import ROWS_PER_BUFFER, Column
from tournament.store.thrift import FALSE, TRUE, Value, array, byte, i32, i64, struct, text

_MAGIC = b"PAR1"
_VERSION = 2
_REQUIRED = 0  # enum FieldRepetitionType: without nulls
_UNCOMPRESSED = 0  # enum CompressionCodec
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
        self._statistics = statistics
        self._encoder = PageEncoder()
        self._groups: list[Value] = []
        self._rows = 0
        self._offset = len(_MAGIC)
        write(_MAGIC)

    def append(self, arrays: Mapping[str, npt.NDArray[Any]], rows: int) -> None:
        """Append the first rows of arrays, by column, in row groups; flags are bytes. Raises OSError."""
        for first in range(0, rows, ROWS_PER_BUFFER):
            count = min(rows - first, ROWS_PER_BUFFER)
            start, chunks = self._offset, []
            for column in self._columns:
                chunk = self._encoder.encode(arrays[column.name][first : first + count], column.type == "bool")
                self._write(chunk.prefix)
                self._write(chunk.payload)
                length = len(chunk.prefix) + len(chunk.payload)
                size = i64(length)
                described = _first_fields(column.name, column.type, chunk.encodings) | {
                    5: i64(count),
                    6: size,
                    7: size,
                    9: i64(self._offset + chunk.dictionary_bytes),
                }
                if chunk.dictionary_bytes:
                    described[11] = i64(self._offset)
                if column.name in self._statistics and chunk.least is not None and chunk.greatest is not None:
                    least, greatest = (text(_plain(column.type, value)) for value in (chunk.least, chunk.greatest))
                    described[12] = struct({3: i64(0), 5: greatest, 6: least})
                chunks.append(struct({2: i64(0), 3: struct(described)}))
                self._offset += length
            size = i64(self._offset - start)
            self._groups.append(struct({1: array(chunks), 2: size, 3: i64(count), 5: i64(start), 6: size}))
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


@cache
def _first_fields(name: str, type_name: str, encodings: tuple[int, ...]) -> dict[int, Value]:
    """The first fields of a ColumnMetaData; the same for most row groups, of which a large file has thousands."""
    return {
        1: i32(_physical(type_name)),
        2: array([i32(encoding) for encoding in encodings]),
        3: array([text(name)]),
        4: i32(_UNCOMPRESSED),
    }


def _schema_element(column: Column) -> Value:
    fields = {1: i32(_physical(column.type)), 3: i32(_REQUIRED), 4: text(column.name)}
    if column.type in _CONVERTED:
        fields[6] = i32(_CONVERTED[column.type])
        bits = byte(8 * np.dtype(column.type).itemsize)
        integer = struct({1: bits, 2: FALSE if column.type.startswith("u") else TRUE})
        fields[10] = struct({10: integer})  # a LogicalType
    return struct(fields)


def _physical(type_name: str) -> int:
    """Parquet's type for values of a numpy type."""
    if type_name == "bool":
        return _BOOLEAN
    if type_name.startswith("float"):
        return _FLOAT if type_name == "float32" else _DOUBLE
    return _INT64 if type_name.endswith("64") else _INT32


def _plain(type_name: str, value: int) -> bytes:
    """A whole number as a plain page would have it."""
    size = 8 if type_name.endswith("64") else 4
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")
