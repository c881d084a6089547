"""Writing a Parquet file from columns in memory: row groups as they come, then the footer that says where they lie.

Apache Parquet, "Parquet Format" 2.12, src/main/thrift/parquet.thrift, gives the structs and their fields' numbers. The
pages themselves are `engine.parquet.pages`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.parquet.pages import Chunk, PageEncoder
from engine.parquet.thrift import ThriftWriter
from tournament.store.columns import Column

_MAGIC = b"PAR1"
_VERSION = 2
_REQUIRED = 0  # enum FieldRepetitionType: without nulls
_UNCOMPRESSED = 0  # enum CompressionCodec
_BOOLEAN, _INT32, _INT64, _FLOAT, _DOUBLE = 0, 1, 2, 4, 5  # enum Type
_CONVERTED = {  # enum ConvertedType
    "uint8": 11, "uint16": 12, "uint32": 13, "uint64": 14, "int8": 15, "int16": 16, "int32": 17, "int64": 18
}  # fmt: skip


class ParquetFileWriter:
    """Writes what `write` is given: a file of these columns, none of them with nulls.

    Of the columns named in `statistics` each row group tells the least and the greatest value.
    """

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
        self._thrift = ThriftWriter()
        self._groups = bytearray()  # as the footer has them
        self._group_count = 0
        self._rows = 0
        self._offset = len(_MAGIC)
        write(_MAGIC)

    def write_group(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """A row group: an array for each column, all of one length, at least 1; flags as bytes. Raises OSError."""
        start, rows = self._offset, len(arrays[self._columns[0].name])
        thrift = self._thrift
        thrift.structs(1, len(self._columns))
        for column in self._columns:
            chunk = self._encoder.encode(arrays[column.name], column.type == "bool")
            self._write(chunk.prefix)
            self._write(chunk.payload)
            self._describe(column, chunk, rows)
            self._offset += len(chunk.prefix) + len(chunk.payload)
        size = self._offset - start
        thrift.long_integer(2, size)
        thrift.long_integer(3, rows)
        thrift.long_integer(5, start)
        thrift.long_integer(6, size)
        thrift.end()
        self._groups += thrift.take()
        self._group_count += 1
        self._rows += rows

    def _describe(self, column: Column, chunk: Chunk, rows: int) -> None:
        """A ColumnChunk, with its ColumnMetaData."""
        thrift, size = self._thrift, len(chunk.prefix) + len(chunk.payload)
        thrift.begin(0)
        thrift.long_integer(2, 0)
        thrift.begin(3)
        thrift.integer(1, _physical(column.type))
        thrift.integers(2, chunk.encodings)
        thrift.texts(3, [column.name.encode()])
        thrift.integer(4, _UNCOMPRESSED)
        thrift.long_integer(5, rows)
        thrift.long_integer(6, size)
        thrift.long_integer(7, size)
        thrift.long_integer(9, self._offset + chunk.dictionary_bytes)
        if chunk.dictionary_bytes:
            thrift.long_integer(11, self._offset)
        if column.name in self._statistics and chunk.least is not None and chunk.greatest is not None:
            thrift.begin(12)
            thrift.long_integer(3, 0)
            thrift.text(5, _plain(column.type, chunk.greatest))
            thrift.text(6, _plain(column.type, chunk.least))
            thrift.end()
        thrift.end()
        thrift.end()

    def finish(self) -> None:
        """Write the footer. Raises OSError."""
        thrift = self._thrift
        thrift.integer(1, _VERSION)
        thrift.structs(2, 1 + len(self._columns))
        thrift.begin(0)
        thrift.text(4, b"schema")
        thrift.integer(5, len(self._columns))
        thrift.end()
        for column in self._columns:
            self._describe_field(column)
        thrift.long_integer(3, self._rows)
        thrift.structs(4, self._group_count)
        thrift.raw(bytes(self._groups))
        thrift.structs(5, len(self._metadata))
        for key, value in self._metadata.items():
            thrift.begin(0)
            thrift.text(1, key.encode())
            thrift.text(2, value.encode())
            thrift.end()
        thrift.text(6, self._created_by.encode())
        thrift.structs(7, len(self._columns))
        for _ in self._columns:
            thrift.begin(0)  # ColumnOrder: the order that the type defines
            thrift.begin(1)
            thrift.end()
            thrift.end()
        thrift.end()
        footer = thrift.take()
        self._write(footer + len(footer).to_bytes(4, "little") + _MAGIC)

    def _describe_field(self, column: Column) -> None:
        """A SchemaElement."""
        thrift = self._thrift
        thrift.begin(0)
        thrift.integer(1, _physical(column.type))
        thrift.integer(3, _REQUIRED)
        thrift.text(4, column.name.encode())
        if column.type in _CONVERTED:
            thrift.integer(6, _CONVERTED[column.type])
            thrift.begin(10)  # LogicalType
            thrift.begin(10)  # IntType
            thrift.short_integer(1, 8 * np.dtype(column.type).itemsize)
            thrift.flag(2, not column.type.startswith("u"))
            thrift.end()
            thrift.end()
        thrift.end()


def _physical(type_name: str) -> int:
    """The type in which Parquet has values of a numpy type."""
    if type_name == "bool":
        return _BOOLEAN
    if type_name.startswith("float"):
        return _FLOAT if type_name == "float32" else _DOUBLE
    return _INT64 if type_name.endswith("64") else _INT32


def _plain(type_name: str, value: int) -> bytes:
    """A whole number as a plain page would have it."""
    size = 8 if type_name.endswith("64") else 4
    return (value & (1 << 8 * size) - 1).to_bytes(size, "little")
