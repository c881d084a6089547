"""What a Parquet file would take to be read, from its footer and the headers of its pages: a stranger's may lie.

A few bytes can stand for gigabytes: runs of one value, compressed zeros, a row group of all rows. So sizes are
compared with what our own writers make before anything is decoded. And pyarrow ends the process when it is asked about
a column of another type than the schema's, or of an unknown codec. The structs are those of parquet.thrift.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.parquet.thrift import read_struct

ROWS_PER_GROUP = 1 << 18  # the most that our writers put into a row group
_FOOTER_BYTES, _FOOTER_SHARE = 1 << 18, 0.5  # of the whole file: where legs are long, sessions' row groups are small
# Of a footer: twice what that of 10⁹ games has. pyarrow takes some 400 bytes for eight of these values.
_MOST_FOOTER_BYTES, _MOST_FOOTER_VALUES = 32 << 20, 8_000_000
_CHUNK_BYTES, _VALUE_BYTES = 1 << 16, 16  # of a column's pages in a row group, and of each value there
_HEADER_BYTES, _MOST_HEADER_VALUES = 1 << 12, 1000
_TAIL = 8  # bytes that end a file: the footer's length, and PAR1
_UNCOMPRESSED, _CODECS = 0, range(8)  # enum CompressionCodec
# Fields of FileMetaData, SchemaElement, RowGroup, ColumnChunk, ColumnMetaData and PageHeader.
_SCHEMA, _ROW_GROUPS = 2, 4
_TYPE, _CHILDREN = 1, 5
_COLUMNS, _ROWS = 1, 3
_METADATA = 3
_OWN_TYPE, _PATH, _CODEC, _VALUES, _SIZE, _DATA, _DICTIONARY = 1, 3, 4, 5, 7, 9, 11
_UNCOMPRESSED_SIZE, _COMPRESSED_SIZE = 2, 3


def opened(stream: pa.NativeFile, most_rows: int = ROWS_PER_GROUP, most_bytes: int | None = None) -> pq.ParquetFile:
    """A Parquet file, whose page checksums are verified when it is read. A row group has `most_rows`, and a column's
    pages there take `most_bytes`, or what so many numbers take. Raises ArrowInvalid for any other file."""
    try:
        footer, _ = read_struct(_footer(stream), _MOST_FOOTER_VALUES)
        types = [column.get(_TYPE) for column in footer[_SCHEMA][1:] if not column.get(_CHILDREN)]
        for group in footer[_ROW_GROUPS]:
            rows, columns = group[_ROWS], [column[_METADATA] for column in group[_COLUMNS]]
            if not 0 <= rows <= most_rows:
                raise ValueError(f"it has a row group of {rows:,} rows, of {most_rows:,} at most")
            if [column[_OWN_TYPE] for column in columns] != types:
                raise ValueError("it has a row group of other columns than its own")
            for column in columns:
                _check_column(stream, column, most_bytes or _CHUNK_BYTES + _VALUE_BYTES * rows)
    except (AttributeError, KeyError, LookupError, TypeError):
        raise pa.ArrowInvalid("its footer is damaged") from None
    except ValueError as problem:
        raise pa.ArrowInvalid(str(problem)) from None
    stream.seek(0)
    return pq.ParquetFile(stream, page_checksum_verification=True)


def _footer(stream: pa.NativeFile) -> bytes:
    """The footer. Raises ValueError for one that is too long for its file."""
    size = stream.size()
    stream.seek(max(0, size - _TAIL))
    length = int.from_bytes(stream.read(_TAIL)[:4], "little")
    if length > min(_MOST_FOOTER_BYTES, size - _TAIL, _FOOTER_BYTES + _FOOTER_SHARE * size):
        raise ValueError(f"its footer has {length:,} of {size:,} bytes")
    stream.seek(size - _TAIL - length)
    return stream.read(length)


def _check_column(stream: pa.NativeFile, column: dict[int, Any], most: int) -> None:
    """Raises ValueError for an unknown codec, or pages that take more memory than `most` bytes."""
    if column[_CODEC] not in _CODECS:
        raise ValueError("it has a column of an unknown codec")
    if column[_CODEC] != _UNCOMPRESSED and (size := sum(_page_sizes(stream, column))) > most:
        name = b".".join(column[_PATH]).decode(errors="replace")[:100]
        raise ValueError(f"a page of its column {name} would take {size:,} bytes")


def _page_sizes(stream: pa.NativeFile, column: dict[int, Any]) -> Iterator[int]:
    """The bytes of each page once it is decompressed. Raises ValueError for pages that can't be told."""
    place, first = column[_DATA], column.get(_DICTIONARY)
    if first is not None and 0 < first < place:
        place = first
    end = place + (column[_SIZE] if column[_VALUES] else 0)
    while place < end:
        try:
            stream.seek(place)
            header, length = read_struct(stream.read(_HEADER_BYTES), _MOST_HEADER_VALUES)
            size, compressed = header[_UNCOMPRESSED_SIZE], header[_COMPRESSED_SIZE]
        except (KeyError, OSError, ValueError):
            raise ValueError("a page has no header") from None
        if size < 0 or compressed < 0:
            raise ValueError("a page is of less than no bytes")
        yield size
        place += length + compressed
