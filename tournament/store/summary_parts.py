"""Parts of legs/ and faults/: the results of legs that count, with a row for each seat, and their faults.

They summarise what the sessions parts carry, for people who analyse results. No command reads them. A part has the legs
of one or more batches, and its name depends on these batches. So names alone show which parts are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from blake3 import blake3

from tournament.store.columns import Column
from tournament.store.field import SUMMARY_FILE, Batch
from tournament.store.leg_result import Used
from tournament.store.leg_sums import LegSums
from tournament.store.legs import DIGESTS, Legs
from tournament.store.parts import column_values
from tournament.store.small_tables import text_array
from tournament.store.storage import Storage

if TYPE_CHECKING:
    import pandas as pd

_SUMS = LegSums._fields
LEGS = (
    Column("match", "int64", "match number, as in games and sessions"),
    Column("replica", "int32", "replica of the match, from 0; against house players each leg is one"),
    Column("number", "int32", "leg of the match, from 0; sessions are numbered on from the previous leg"),
    Column("seat", "uint8", "seat of the bot, from 0"),
    Column("bot", "str", "name of the bot, as a category"),
    Column("house", "str", "name of the house player, as a category; empty if there is none"),
    Column("digest", "bytes", "hash of everything that the leg's games depend on, 32 bytes"),
    Column("sessions", "int32", "sessions played"),
    Column("games", "int64", "games played"),
    Column("points", "float64", "points of the bot over the leg"),
    Column("squared_points", "float64", "sum over sessions of the squares of the bot's points"),
    Column("luck", "float64", "points of the bot that are due to luck; 0 in a contest without a correction"),
    Column(
        "variance",
        "float64",
        "variance of points over other sessions, by batch means; in a duplicate match an equal part of the variance of"
        " the sum of its legs; 0 if unknown",
    ),
    Column("adjusted_variance", "float64", "variance of points − luck, like variance"),
    Column(
        "covariance", "float64", "covariance of points with those of the next seat; of the last seat, with the first"
    ),
    Column("faults", "int32", "faults of the bot in the leg"),
    Column("ended", "bool", "whether faults disqualified the bot; with one or two seats this ended the leg"),
    Column("tries", "int32", "how often the leg was started; answers of aborted attempts were used again"),
    Column("seconds", "float32", "time that a worker took for the leg; the mean if legs were played together"),
    Column("fuel", "int64", "fuel that the bot used, to seven digits; 0 for processes"),
    Column("cpu_seconds", "float32", "processor time of the bot's process, seconds; 0 for WebAssembly"),
    Column("memory_bytes", "int64", "peak memory of the bot; for WebAssembly, without the stack"),
    Column(
        "slowest_seconds",
        "float32",
        "longest time from a question to its answer; questions sent together share it evenly; 0 for WebAssembly",
    ),
)
FAULTS = (
    Column("match", "int64", "match number"),
    Column("number", "int32", "leg of the match"),
    Column("seat", "uint8", "seat of the bot at fault, from 0"),
    Column("bot", "str", "name of the bot at fault"),
    Column("session", "int32", "session of the match, from 0"),
    Column("game", "int32", "game of the session, from 0"),
    Column("decision", "str", "name of the decision that the bot had to take"),
    Column("message", "str", "description of the fault"),
    Column(
        "question_text",
        "str",
        "question with its name and values, as one line; for programs, too, although they receive another line",
    ),
    Column("last_output", "str", "last lines that the bot printed"),
    Column("kind", "str", "kind of the fault: fuel, silence, time, start, line or other"),
)
SUMMARIES = ("legs", "faults")
_FAULT_FIELDS = tuple(column.name for column in FAULTS if column.name not in ("match", "number", "bot"))
_LEG_FIELDS = ("digest", "replica", "number", "sessions", "games", "tries")
_DICTIONARIES = ("bot", "house", "seat", "faults", *_LEG_FIELDS, *Used._fields)
_NAMES = ("bot", "house")
# Average number of legs of a part. Every part takes milliseconds, no matter how few legs it has.
_LEGS_PER_PART = 1 << 14
# Rows of a row group, whose digests fit into its dictionary.
_GROUP = 1 << 17
# Maximum bytes of a dictionary.
_DICTIONARY = 4 << 20


def write_leg_summaries(storage: Storage, batches: Sequence[Batch], per_replica: int) -> None:
    """Write the missing parts of legs/ and faults/, and remove those of other batches. Existing parts aren't read.

    Args:
        storage: Storage of the records.
        batches: Batches that count.
        per_replica: Number of legs of a replica.

    Raises:
        OSError: A part can't be written or removed.
        RunError: A folder of summaries can't be read, or a request to the object store fails.
    """
    parts = summary_parts(batches)
    for table in SUMMARIES:
        written = {name for name in storage.list(table) if SUMMARY_FILE.fullmatch(name)}
        for name in sorted(written - parts[table].keys()):
            storage.remove(f"{table}/{name}")
        for name in sorted(parts[table].keys() - written):
            storage.replace(f"{table}/{name}", make_summary(table, parts[table][name], per_replica), durable=False)


def summary_parts(batches: Sequence[Batch]) -> dict[str, dict[str, Legs]]:
    """Return the legs of each part of legs/ and faults/, by table and name. The order of the batches doesn't matter.

    A part of faults/ has the name and all legs of that in legs/, but exists only if one of them has faults.

    A part has consecutive batches, up to one whose random name marks it as the last. The more legs a batch has, the
    more likely that is. So a change of one batch changes few parts, no matter how many batches there are.
    """
    parts: dict[str, dict[str, Legs]] = {table: {} for table in SUMMARIES}
    part_batches: list[Batch] = []
    batches = sorted(batches, key=lambda batch: batch.name)
    for batch in batches:
        part_batches.append(batch)
        if int(batch.name[-8:], 16) * _LEGS_PER_PART < len(batch.legs) << 32 or batch is batches[-1]:
            seals = blake3("".join(one.seal for one in part_batches).encode())
            name = f"{part_batches[0].name}-{seals.hexdigest()[:12]}.parquet"
            legs = parts["legs"][name] = Legs.joined(one.legs for one in part_batches)
            if legs.faulty.any():
                parts["faults"][name] = legs
            part_batches = []
    return parts


def make_summary(table: str, legs: Legs, per_replica: int) -> bytes:
    """Return a part as a file, whose bytes depend only on its legs and pyarrow's version.

    Rows are in the order of legs, in each by seat, or faults in order of play.

    Args:
        table: "legs" or "faults".
        legs: Legs of the part.
        per_replica: Number of legs of a replica.
    """
    indices = {*legs.players.ravel().tolist(), *legs.house.tolist()} - {-1}
    legs = legs.with_names(tuple(sorted({legs.names[place] for place in indices})))
    return _content(_legs_table(legs, per_replica) if table == "legs" else _faults_table(legs)).to_pybytes()


def is_as_summarised(content: bytes, table: str, legs: Legs, per_replica: int) -> bool:
    """Return whether a part has the bytes that its legs give, as far as this version of pyarrow shows.

    Args:
        content: Content of the part. If another version of pyarrow wrote it, the result is True.
        table: "legs" or "faults".
        legs: Legs of the part.
        per_replica: Number of legs of a replica.
    """
    return f"version {pa.cpp_version}".encode() not in content or content == make_summary(table, legs, per_replica)


def legs_frame(legs_by_batch: Sequence[Legs], per_replica: int) -> pd.DataFrame:
    """Return the rows of legs as a data frame with the columns of LEGS.

    Rows are in the order of batches and legs, in each by seat. Names of players are categories.

    Args:
        legs_by_batch: Legs of each batch.
        per_replica: Number of legs of a replica.
    """
    tables = [_legs_table(legs, per_replica) for legs in legs_by_batch]
    rows = pa.concat_tables(tables).unify_dictionaries() if tables else _schema(LEGS).empty_table()
    frame: pd.DataFrame = rows.to_pandas()
    return frame


def _content(rows: pa.Table) -> pa.Buffer:
    """Return a table as a file."""
    sink = pa.BufferOutputStream()
    few = [one for one in rows.column_names if "message" not in rows.column_names and _has_few(rows, one)]
    pq.write_table(
        rows,
        sink,
        compression="zstd",
        # The stub has no type for a list of columns.
        use_dictionary=cast(bool, few),
        dictionary_pagesize_limit=_DICTIONARY,
        row_group_size=_GROUP,
        write_statistics=["match"],
        write_page_checksum=True,
    )
    return sink.getvalue()


def _has_few(rows: pa.Table, name: str) -> bool:
    """Return whether a column has few distinct values. Sums are mostly all different, or all the same, such as 0."""
    if name not in _SUMS:
        return name in _DICTIONARIES
    values = column_values(rows, name)
    return bool((values == values[0]).all())


@cache
def _schema(columns: tuple[Column, ...]) -> pa.Schema:
    kinds = {"str": pa.string(), "bytes": pa.binary(np.dtype(DIGESTS).itemsize), "bool": pa.bool_()}
    return pa.schema(
        pa.field(
            one.name,
            pa.dictionary(pa.int32(), pa.string())
            if one.name in _NAMES
            else kinds.get(one.dtype) or pa.from_numpy_dtype(np.dtype(one.dtype)),
            nullable=False,
            metadata={"meaning": one.description},
        )
        for one in columns
    )


def _buffer(values: Any) -> pa.Buffer:
    return pa.py_buffer(values)


def _array(values: npt.NDArray[Any], kind: pa.DataType) -> pa.Array[Any]:
    """Return values as an array of arrow. pyarrow.array would import pandas, which takes long."""
    return pa.Array.from_buffers(kind, len(values), [None, _buffer(np.ascontiguousarray(values).view(np.uint8))])


def _legs_table(legs: Legs, per_replica: int) -> pa.Table:
    """Return the rows of legs with the columns of LEGS, in the order of legs, in each by seat."""
    seats = legs.players.shape[1]
    counts = np.zeros((len(legs), seats), np.int32)
    ended = np.zeros((len(legs), seats), bool)
    for leg in np.flatnonzero(legs.faulty).tolist():
        rare = legs.rare_fields[legs.rare_index[leg]]
        counts[leg] = [rare.fault_count(seat) for seat in range(seats)]
        ended[leg, list(rare.disqualified_seats)] = True
    by_leg: dict[str, npt.NDArray[Any]] = {
        "match": legs.match,
        "replica": legs.number // per_replica,
        "number": legs.number,
        "house": legs.house + 1,
        "digest": legs.digest,
        "sessions": legs.sessions,
        "games": legs.games,
        "tries": legs.tries,
        "seconds": legs.seconds,
    }
    by_seat = {
        "seat": np.broadcast_to(np.arange(seats), (len(legs), seats)),
        "bot": legs.players,
        "faults": counts,
        "ended": ended,
        **dict(zip(_SUMS, np.moveaxis(legs.sums, 2, 0))),
        **dict(zip(Used._fields, np.moveaxis(legs.used, 2, 0))),
    }
    schema = _schema(LEGS)
    arrays: list[pa.Array[Any]] = []
    for column, one in zip(LEGS, schema):
        values = np.repeat(by_leg[column.name], seats) if column.name in by_leg else by_seat[column.name].ravel()
        if column.name in _NAMES:
            indices = _array(values.astype(np.int32), pa.int32())
            names = legs.names if column.name == "bot" else ("", *legs.names)
            arrays.append(pa.DictionaryArray.from_arrays(indices, text_array(names)))
        elif column.dtype == "bool":
            packed = _buffer(np.packbits(values, bitorder="little"))
            arrays.append(pa.Array.from_buffers(one.type, len(values), [None, packed]))
        else:
            arrays.append(_array(values if column.dtype == "bytes" else values.astype(column.dtype), one.type))
    return pa.table(arrays, schema=schema)


def _faults_table(legs: Legs) -> pa.Table:
    """Return the recorded faults with the columns of FAULTS, in the order of legs, in each as recorded."""
    rows = [
        {"match": match, "number": number, "bot": legs.names[legs.players[leg, fault.seat]]}
        | {name: getattr(fault, name) for name in _FAULT_FIELDS}
        for leg in np.flatnonzero(legs.faulty).tolist()
        for match, number in [legs.counts[leg, :2].tolist()]
        for fault in legs.rare_fields[legs.rare_index[leg]].faults
    ]
    schema = _schema(FAULTS)
    arrays: list[pa.Array[Any]] = []
    for column, one in zip(FAULTS, schema):
        values = [row[column.name] for row in rows]
        if column.name == "bot":
            names = list(dict.fromkeys(values))
            indices = np.array([names.index(name) for name in values], np.int32)
            arrays.append(pa.DictionaryArray.from_arrays(_array(indices, pa.int32()), text_array(names)))
        else:
            arrays.append(
                text_array(values) if column.dtype == "str" else _array(np.array(values, column.dtype), one.type)
            )
    return pa.table(arrays, schema=schema)
