"""What a Parquet file would take to be read, from its footer and the headers of its pages: a stranger's may lie.

A few bytes can stand for gigabytes: runs of one value, compressed zeros, a row group of all rows. So sizes are
compared with what our own writers make before anything is decoded. The structs are those of parquet.thrift.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from tournament.store.thrift import fields_of_numbers

ROWS_PER_GROUP = 1 << 18  # the most that our writers put into a row group
_FOOTER_BYTES, _FOOTER_SHARE = 1 << 18, 0.5  # of the whole file: where legs are long, sessions' row groups are small
_CHUNK_BYTES, _VALUE_BYTES = 1 << 16, 16  # of a column's pages in a row group, and of each value there
_HEADER_BYTES = 1 << 12
_TAIL = 8  # bytes that end a file: the footer's length, and PAR1
_UNCOMPRESSED_SIZE, _COMPRESSED_SIZE = 2, 3  # fields of a PageHeader


def opened(stream: pa.NativeFile, most_rows: int = ROWS_PER_GROUP, most_bytes: int | None = None) -> pq.ParquetFile:
    """A Parquet file, whose page checksums are verified when it is read.

    A row group has `most_rows`, and a column's pages there take `most_bytes`, or what so many numbers take. Raises
    ArrowInvalid for any other file.
    """
    _check_footer(stream)
    file = pq.ParquetFile(stream, page_checksum_verification=True)
    try:
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if not 0 <= rows <= most_rows:
                raise pa.ArrowInvalid(f"it has a row group of {rows:,} rows, of {most_rows:,} at most")
            _check_pages(stream, file.metadata.row_group(group), most_bytes or _CHUNK_BYTES + _VALUE_BYTES * rows)
    except BaseException:
        file.close(force=True)
        raise
    return file


def _check_footer(stream: pa.NativeFile) -> None:
    """Raises ArrowInvalid for a footer that is too long for its file."""
    size = stream.size()
    stream.seek(max(0, size - _TAIL))
    length = int.from_bytes(stream.read(_TAIL)[:4], "little")
    stream.seek(0)
    if length > _FOOTER_BYTES + _FOOTER_SHARE * size:
        raise pa.ArrowInvalid(f"its footer has {length:,} of {size:,} bytes")


def _check_pages(stream: pa.NativeFile, group: pq.RowGroupMetaData, most: int) -> None:
    """Raises ArrowInvalid when a compressed column's pages take more memory than `most` bytes."""
    for number in range(group.num_columns):
        chunk = group.column(number)
        if chunk.compression == "UNCOMPRESSED":
            continue
        if (size := sum(_page_sizes(stream, chunk))) > most:
            name = chunk.path_in_schema[:100]
            raise pa.ArrowInvalid(f"a page of its column {name} would take {size:,} bytes")


def _page_sizes(stream: pa.NativeFile, chunk: pq.ColumnChunkMetaData) -> Iterator[int]:
    """The bytes of each page once it is decompressed. Raises ArrowInvalid for pages that can't be told."""
    place, first = chunk.data_page_offset, chunk.dictionary_page_offset
    if first is not None and 0 < first < place:
        place = first
    end = place + (chunk.total_compressed_size if chunk.num_values else 0)
    while place < end:
        stream.seek(place)
        try:
            sizes, length = fields_of_numbers(stream.read(_HEADER_BYTES))
            size, compressed = sizes[_UNCOMPRESSED_SIZE], sizes[_COMPRESSED_SIZE]
        except (IndexError, KeyError, ValueError):
            raise pa.ArrowInvalid("a page has no header") from None
        if size < 0 or compressed < 0:
            raise pa.ArrowInvalid("a page is of less than no bytes")
        yield size
        place += length + compressed
