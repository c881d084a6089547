"""Files that are small where they lie and large once they are read."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from blake3 import blake3

from tests.contest_runs import Place
from tests.runner.test_poisoned_results import poison
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.store.columns import Column
from tournament.store.parquet_file import _first_fields, _schema_element
from tournament.store.thrift import Value, array, i32, i64, text
from tournament.store.thrift import struct as fields

MANY = 60_000_000
_COLUMNS = {"games": VON_NEUMANN_POKER.games, "sessions": VON_NEUMANN_POKER.sessions}
_DATA, _DICTIONARY, _PLAIN, _RLE, _RLE_DICTIONARY = 0, 2, 0, 3, 8


def run_of_one_value(columns: Sequence[Column], rows: int) -> bytes:
    """A Parquet file of a kilobyte with one row group of so many rows, all the same."""
    content = b"PAR1"
    chunks: list[Value] = []
    encodings: tuple[int, ...]
    for column in columns:
        start = len(content)
        run = _varint(rows << 1) + b"\0"
        if column.type == "bool":
            encodings = (_RLE,)
            content += _page(_DATA, struct.pack("<i", len(run)) + run, {5: _data(rows, _RLE)})
            pages = {9: i64(start)}
        else:
            encodings = (_PLAIN, _RLE_DICTIONARY)
            width = 8 if column.type.endswith("64") else 4
            content += _page(_DICTIONARY, b"\0" * width, {7: fields({1: i32(1), 2: i32(_PLAIN)})})
            pages = {9: i64(len(content)), 11: i64(start)}
            content += _page(_DATA, b"\1" + run, {5: _data(rows, _RLE_DICTIONARY)})
        size = i64(len(content) - start)
        described = _first_fields(column.name, column.type, encodings) | {5: i64(rows), 6: size, 7: size} | pages
        chunks.append(fields({2: i64(0), 3: fields(described)}))
    group = fields({1: array(chunks), 2: i64(len(content)), 3: i64(rows)})
    root = fields({4: text("schema"), 5: i32(len(columns))})
    schema = array([root, *map(_schema_element, columns)])
    _, footer = fields({1: i32(2), 2: schema, 3: i64(rows), 4: array([group])})
    return content + footer + struct.pack("<i", len(footer)) + b"PAR1"


def _page(kind: int, content: bytes, header: dict[int, Value]) -> bytes:
    size = i32(len(content))
    return fields({1: i32(kind), 2: size, 3: size, **header})[1] + content


def _data(rows: int, encoding: int) -> Value:
    return fields({1: i32(rows), 2: i32(encoding), 3: i32(_RLE), 4: i32(_RLE)})


def _varint(value: int) -> bytes:
    content = b""
    while value >= 0x80:
        content += bytes([value & 0x7F | 0x80])
        value >>= 7
    return content + bytes([value])


def file_of_row_groups(columns: Sequence[Column], footer_bytes: int) -> bytes:
    """A Parquet file with a footer of so many bytes, of row groups without rows or columns."""
    group = fields({1: array([]), 3: i64(0)})
    root = fields({4: text("schema"), 5: i32(len(columns))})
    schema = array([root, *map(_schema_element, columns)])
    groups = array([group] * (footer_bytes // len(group[1])))
    _, footer = fields({1: i32(2), 2: schema, 3: i64(MANY), 4: groups})
    return b"PAR1" + bytes(len(footer)) + footer + struct.pack("<i", len(footer)) + b"PAR1"


def swollen_part(place: Place, table: str) -> None:
    """A part of very many rows, all alike."""
    forged_part(place, table, run_of_one_value(_COLUMNS[table], MANY))


def part_with_large_footer(place: Place, table: str) -> None:
    forged_part(place, table, file_of_row_groups(_COLUMNS[table], 20 << 20))


def forged_part(place: Place, table: str, content: bytes) -> None:
    """A part that the ledger knows by its size, its hash and its number of rows, which its legs have, too."""
    (path,) = (place.results / table).iterdir()
    path.write_bytes(content)

    def change(entry: dict[str, Any]) -> None:
        batch = entry["batches"][0]
        part = batch["parts"][("games", "sessions").index(table)]
        part.update(size=len(content), blake3=blake3(content).hexdigest())
        batch["legs"][0][table] += MANY - part["rows"]
        part["rows"] = MANY

    poison(place, 2, change)


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
