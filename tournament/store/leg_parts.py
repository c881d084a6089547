"""Parts of legs/ and faults/: what came of the legs that count, a row for each seat, and what went wrong in them.

They may be a stranger's: a part is read if it has the size and the hash of the ledger, and its pages aren't compressed,
so that they take no more memory than the ledger says. Types and numbers are checked, by column.
"""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from blake3 import blake3
from pydantic import TypeAdapter

from tournament.store.columns import Column
from tournament.store.ledger import LegsFile, ListedBatch, Part, TableName, batch_name
from tournament.store.leg_sums import LegSums
from tournament.store.legs import DIGESTS, SEATS_THAT_END_A_LEG, Fault, Legs, Rest, check_legs, merged, pair_keys
from tournament.store.part_writer import StagedPart
from tournament.store.parts import values_of
from tournament.store.storage import MOST_READ, Storage, TooLarge, staged_name

_SUMS = LegSums._fields
LEGS = (
    Column("match", "int64", "match number, as in games and sessions"),
    Column("replica", "int32", "replica of the match, from 0; against house players each leg is one"),
    Column("number", "int32", "leg of the match, from 0: its sessions follow those of the leg before"),
    Column("seat", "uint8", "seat of the bot, from 0"),
    Column("bot", "str", "who sat there, a category"),
    Column("house", "str", "the house player that it met, a category; empty without"),
    Column("digest", "bytes", "hash of 32 bytes of all that the leg's games depend on"),
    Column("sessions", "int32", "sessions played"),
    Column("games", "int64", "games played"),
    Column("points", "float64", "points of the bot over the leg"),
    Column("squared_points", "float64", "sum of the squares of its points by session"),
    Column("luck", "float64", "what luck was worth to it, in points; 0 in a contest without a correction"),
    Column(
        "variance",
        "float64",
        "variance of points over other sessions, by batch means, in a duplicate match an equal part of that of the sum"
        " of its legs; 0 if it can't be told",
    ),
    Column("adjusted_variance", "float64", "the same of points − luck"),
    Column("covariance", "float64", "covariance of points with those of the next seat, after the last one the first"),
    Column("faults", "int32", "faults of the bot in the leg"),
    Column("ended", "bool", "whether these disqualified the bot; with one and two seats that ended the leg"),
    Column("tries", "int32", "how often the leg began; answers that were given before it broke off counted again"),
    Column("seconds", "float32", "how long a worker was busy with the leg; of legs played together their mean"),
)
FAULTS = (
    Column("match", "int64", "match number"),
    Column("number", "int32", "leg of the match"),
    Column("seat", "uint8", "seat of the bot that was at fault"),
    Column("bot", "str", "who that is"),
    Column("session", "int32", "session of the match, from 0"),
    Column("game", "int32", "game of the session, from 0"),
    Column("decision", "str", "the decision that it was asked for"),
    Column("message", "str", "what happened"),
    Column(
        "question_text",
        "str",
        "the question by its name, with all that it told by name, in one line; also for a program, whose own line it"
        " is not",
    ),
    Column("last_output", "str", "the last lines that the bot printed"),
    Column("kind", "str", "fuel, silence, time, start, line or other"),
)
_OF_FAULT = tuple(column.name for column in FAULTS if column.name not in ("match", "number", "bot"))
_DICTIONARIES = ("bot", "house", "digest", "replica", "number", "seat", "sessions", "games", "faults", "tries")
_NAMES = ("bot", "house")
_GROUP = 1 << 17  # rows of a row group: digests of this many fit into its dictionary
_DICTIONARY = 4 << 20  # bytes of the largest dictionary
_MOST_ROWS = 1 << 25  # of a part


class DamagedPart(Exception):
    """A part that isn't what the ledger says, or can't be."""


def stage_legs(storage: Storage, name: str, batches: Sequence[ListedBatch], legs: Legs, per_replica: int) -> LegsFile:
    """Write the legs of these batches aside. Raises ValueError for legs that no one could read, OSError."""
    check_legs(legs)
    _require_as_listed(legs, batches)
    tables: list[tuple[TableName, pa.Table]] = [("legs", _legs_table(legs, per_replica))]
    if any(rest.faults for rest in legs.rests):
        tables.append(("faults", _faults_table(legs)))
    staged = staged_name(name)
    parts = tuple(_staged(storage, table, name, f"{staged}-{table}", rows) for table, rows in tables if rows.num_rows)
    return LegsFile(name, parts, tuple(batch.name for batch in batches))


def _staged(storage: Storage, table: TableName, name: str, staged: str, rows: pa.Table) -> Part:
    part = StagedPart(storage, table, f"{name}.parquet", staged)
    try:
        part.write(_content(rows))
        return part.finish(rows.num_rows)
    except BaseException:
        part.abandon()
        raise


def _content(rows: pa.Table) -> pa.Buffer:
    """A table as a file."""
    sink = pa.BufferOutputStream()
    few = [one for one in rows.column_names if "message" not in rows.column_names and _has_few(rows, one)]
    pq.write_table(
        rows,
        sink,
        compression="none",
        use_dictionary=cast(bool, few),  # or columns, which its types don't know
        dictionary_pagesize_limit=_DICTIONARY,
        row_group_size=_GROUP,
        write_statistics=["match"],
        write_page_checksum=True,
    )
    return sink.getvalue()


def legs_content(legs: Legs, per_replica: int, about: str) -> bytes:
    """Legs without faults as a file that says something `about` them."""
    rows = _legs_table(legs, per_replica)
    return _content(rows.replace_schema_metadata({"about": about})).to_pybytes()


def legs_of_content(content: bytes) -> tuple[Legs, str]:
    """The legs of such a file, and what it says. Raises DamagedPart."""
    try:
        rows = _table(content, LEGS)
        legs = _legs(rows, [], len(rows) // int(values_of(rows, "seat").max() + 1))
        check_legs(legs)
        return legs, ((rows.schema.metadata or {}).get(b"about", b"")).decode()
    except (pa.ArrowException, ValueError) as error:
        raise DamagedPart(str(error)) from None


def _has_few(rows: pa.Table, name: str) -> bool:
    """Whether a column has few values: sums are all different, or all 0."""
    if name not in _SUMS:
        return name in _DICTIONARIES
    values = values_of(rows, name)
    return bool((values == values[0]).all())


@cache
def _schema(columns: tuple[Column, ...]) -> pa.Schema:
    kinds = {
        "str": pa.string(),
        "bytes": pa.binary(np.dtype(DIGESTS).itemsize),
        "bool": pa.bool_(),
    }
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
    """Values as an arrow array. Unlike pyarrow.array this doesn't import pandas, which takes long."""
    return pa.Array.from_buffers(kind, len(values), [None, _buffer(np.ascontiguousarray(values).view(np.uint8))])


def _texts(values: Sequence[str]) -> pa.Array[Any]:
    builder = pa.lib.StringBuilder()
    builder.append_values(values)
    return builder.finish()


def _legs_table(legs: Legs, per_replica: int) -> pa.Table:
    seats = legs.players.shape[1]
    counts = np.zeros((len(legs), seats), np.int32)
    ended = np.zeros((len(legs), seats), bool)
    for leg in np.flatnonzero(legs.faulty).tolist():
        rest = legs.rests[legs.more[leg]]
        counts[leg] = [rest.fault_count(seat) for seat in range(seats)]
        ended[leg, list(rest.out)] = True
    of_leg: dict[str, npt.NDArray[Any]] = {
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
    of_seat = {
        "seat": np.broadcast_to(np.arange(seats), (len(legs), seats)),
        "bot": legs.players,
        "faults": counts,
        "ended": ended,
        **dict(zip(_SUMS, np.moveaxis(legs.sums, 2, 0))),
    }
    schema = _schema(LEGS)
    arrays: list[pa.Array[Any]] = []
    for column, one in zip(LEGS, schema):
        values = np.repeat(of_leg[column.name], seats) if column.name in of_leg else of_seat[column.name].ravel()
        if column.name in _NAMES:
            indices = _array(values.astype(np.int32), pa.int32())
            names = legs.names if column.name == "bot" else ("", *legs.names)
            arrays.append(pa.DictionaryArray.from_arrays(indices, _texts(names)))
        elif column.dtype == "bool":
            packed = _buffer(np.packbits(values, bitorder="little"))
            arrays.append(pa.Array.from_buffers(one.type, len(values), [None, packed]))
        else:
            arrays.append(_array(values if column.dtype == "bytes" else values.astype(column.dtype), one.type))
    return pa.table(arrays, schema=schema)


def _faults_table(legs: Legs) -> pa.Table:
    rows = [
        {"match": match, "number": number, "bot": legs.names[legs.players[leg, fault.seat]]}
        | {name: getattr(fault, name) for name in _OF_FAULT}
        for leg in np.flatnonzero(legs.faulty).tolist()
        for match, number in [legs.whole[leg, :2].tolist()]
        for fault in legs.rests[legs.more[leg]].faults
    ]
    schema = _schema(FAULTS)
    arrays: list[pa.Array[Any]] = []
    for column, one in zip(FAULTS, schema):
        values = [row[column.name] for row in rows]
        if column.name == "bot":
            names = list(dict.fromkeys(values))
            places = np.array([names.index(name) for name in values], np.int32)
            arrays.append(pa.DictionaryArray.from_arrays(_array(places, pa.int32()), _texts(names)))
        else:
            arrays.append(_texts(values) if column.dtype == "str" else _array(np.array(values, column.dtype), one.type))
    return pa.table(arrays, schema=schema)


def read_legs(storage: Storage, file: LegsFile, listed: Sequence[ListedBatch]) -> Legs:
    """The legs of these batches, which the file is of. Raises FileNotFoundError when a part is gone, DamagedPart,
    RunError."""
    try:
        table, *more = (_read(storage, part, LEGS if part.table == "legs" else FAULTS) for part in file.parts)
        legs = _legs(table, more[0].to_pylist() if more else [], sum(batch.legs for batch in listed))
        check_legs(legs)
        _require_as_listed(legs, listed)
    except ValueError as error:
        raise _damaged(file.parts[0], error) from None
    return legs


def _damaged(part: Part, error: Exception) -> DamagedPart:
    return DamagedPart(f"{part.place} is damaged: {' '.join(str(error).split())[:200]}")


def content_of(storage: Storage, part: Part) -> bytes:
    """A part's bytes, from its place, or from staging while it isn't published. Raises FileNotFoundError when it is
    gone, ValueError when it isn't what was written."""
    for place in (part.place, part.staged, part.place):  # it may be published meanwhile
        try:
            content = storage.read(place, min(part.size, MOST_READ))
        except FileNotFoundError:
            continue
        except TooLarge:
            raise ValueError("it has more bytes than were written") from None
        if len(content) != part.size or blake3(content).hexdigest() != part.blake3:
            raise ValueError("it has other bytes than were written")
        return content
    raise FileNotFoundError(part.place)


def _read(storage: Storage, part: Part, columns: tuple[Column, ...]) -> pa.Table:
    try:
        table = _table(content_of(storage, part), columns)
        if table.num_rows != part.rows:
            raise ValueError("it has other rows than were written")
    except (pa.ArrowException, ValueError) as error:
        raise _damaged(part, error) from None
    return table


def _table(content: bytes, columns: tuple[Column, ...]) -> pa.Table:
    """A file as a table. Raises ValueError for one that isn't as they are written."""
    with pq.ParquetFile(
        pa.BufferReader(content), read_dictionary=[one.name for one in columns if one.name in _NAMES]
    ) as file:
        if not file.schema_arrow.equals(_schema(columns)):
            raise ValueError("it has other columns than were written")
        about = file.metadata
        chunks = [
            about.row_group(group).column(column)
            for group, column in itertools.product(range(about.num_row_groups), range(len(columns)))
        ]
        # So that it has no more bytes in memory than in the file, but for dictionaries of numbers.
        if any(
            chunk.compression != "UNCOMPRESSED" or (columns == FAULTS and chunk.has_dictionary_page) for chunk in chunks
        ):
            raise ValueError("it is compressed")
        if not 0 < about.num_rows <= min(_MOST_ROWS, 2 * len(content)):
            raise ValueError("it has too many rows")
        table = file.read()
    if any(column.null_count for column in table.columns):
        raise ValueError("it has empty cells")
    return table


def _legs(table: pa.Table, faults: Sequence[dict[str, Any]], count: int) -> Legs:
    """The legs of rows. Raises ValueError for rows that are no legs."""
    seats, odd = divmod(table.num_rows, count)
    if odd:
        raise ValueError("it has other legs than were written")

    def by_seat(name: str) -> npt.NDArray[Any]:
        return values_of(table, name).reshape(count, seats)

    def of_leg(name: str) -> npt.NDArray[Any]:
        values = by_seat(name)
        if (values != values[:, :1]).any():
            raise ValueError("its rows are of other legs")
        return values[:, 0].copy()  # so that nothing else of the file stays in memory

    if (by_seat("seat") != np.arange(seats)).any():
        raise ValueError("its rows are of other seats")
    bots, houses = (_names(table, name) for name in _NAMES)
    house_of = houses[1].reshape(count, seats)
    if (house_of != house_of[:, :1]).any():
        raise ValueError("its rows are of other legs")
    names, both = merged([bots, (houses[0], house_of[:, 0])])
    players, house = both[: count * seats], both[count * seats :]
    if "" in names:
        nothing = names.index("")
        if (players == nothing).any():
            raise ValueError("no bot's name")
        house = np.where(house == nothing, -1, house - (house > nothing)).astype(np.int32)
        players = (players - (players > nothing)).astype(np.int32)
        names = (*names[:nothing], *names[nothing + 1 :])
    whole = np.stack([of_leg(name) for name in ("match", "number", "sessions", "games")]).astype(np.int64).T
    sums = np.stack([by_seat(name).T for name in _SUMS]).T
    rests, more = _rests(whole, by_seat("faults"), by_seat("ended"), of_leg("tries"), faults)
    digest = np.concatenate([_digests(chunk) for chunk in table["digest"].chunks])[::seats]
    return Legs(
        np.ascontiguousarray(digest),
        names,
        np.asfortranarray(players.reshape(count, seats)),
        house,
        whole,
        sums,
        rests,
        more,
        of_leg("seconds"),
    )


def _names(table: pa.Table, column: str) -> tuple[tuple[str, ...], npt.NDArray[np.int32]]:
    """The names of a column, and the place of each row's among these."""
    return merged(
        [
            (tuple(map(str, chunk.dictionary.to_pylist())), values_of(pa.table([chunk.indices], ["at"]), "at"))
            for chunk in cast("list[pa.DictionaryArray[Any, Any]]", table[column].chunks)
        ]
    )


def _digests(chunk: pa.Array[Any]) -> npt.NDArray[np.bytes_]:
    buffer: Any = chunk.buffers()[1]
    return np.frombuffer(buffer, DIGESTS, len(chunk), chunk.offset * np.dtype(DIGESTS).itemsize)


@cache
def _of_faults() -> TypeAdapter[tuple[Fault, ...]]:
    return TypeAdapter(tuple[Fault, ...])  # slow to make


def _rests(
    whole: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int32],
    ended: npt.NDArray[np.bool_],
    tries: npt.NDArray[np.int32],
    rows: Sequence[dict[str, Any]],
) -> tuple[tuple[Rest, ...], npt.NDArray[np.int32]]:
    """What few legs have, and the place of each leg's among these. Raises ValueError for what no leg has."""
    if (tries < 1).any():
        raise ValueError("a leg has begun")
    places = np.flatnonzero((counts != 0).any(axis=1) | ended.any(axis=1) | (tries > 1)).tolist()
    several = _of_faults().validate_json(json.dumps([{name: row[name] for name in _OF_FAULT} for row in rows]))
    of_leg: dict[tuple[int, int], list[Fault]] = defaultdict(list)
    for row, fault in zip(rows, several):
        of_leg[row["match"], row["number"]].append(fault)
    rests = [Rest()]
    more = np.zeros(len(whole), np.int32)
    for place in places:
        kept = tuple(of_leg.pop(tuple(whole[place, :2].tolist()), ()))
        left_out = counts[place].copy()
        for fault in kept:
            left_out[fault.seat] -= 1
        out = tuple(np.flatnonzero(ended[place]).tolist())
        if (left_out < 0).any() or (len(out) > 1 and counts.shape[1] <= SEATS_THAT_END_A_LEG):
            raise ValueError("it has other faults than were written")
        rests.append(Rest(kept, out, tuple(left_out.tolist()) if left_out.any() else (), int(tries[place])))
        more[place] = len(rests) - 1
    if of_leg:
        raise ValueError("it has faults of other legs")
    return tuple(rests), more


def _require_as_listed(legs: Legs, listed: Sequence[ListedBatch]) -> None:
    """Raises ValueError where legs aren't those that the ledger lists."""
    ends = np.cumsum([batch.legs for batch in listed])
    firsts = ends - [batch.legs for batch in listed]
    if ends[-1] != len(legs):
        raise ValueError("it has other legs than were written")
    digests = legs.digest.tobytes().hex()
    size = len(digests) // len(legs)
    for first, end, batch, match, number in zip(
        firsts.tolist(), ends.tolist(), listed, legs.match[firsts].tolist(), legs.number[firsts].tolist()
    ):
        if batch.name != batch_name(match, number, [digests[size * first : size * end]]):
            raise ValueError("its legs have another name")
    ascend = np.diff(pair_keys(legs.match, legs.number)) > 0
    ascend[firsts[1:] - 1] = True
    if not ascend.all():
        raise ValueError("its legs are out of order")
    for place, rows in enumerate((legs.games, legs.sessions)):
        if [batch.parts[place].rows for batch in listed] != np.add.reduceat(rows, firsts).tolist():
            raise ValueError("its legs have other rows")
