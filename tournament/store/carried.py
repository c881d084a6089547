"""Bytes that a sessions part carries besides its rows: the legs of its batch, and their origin.

They are JSON, compressed by zlib, then the columns of legs, hashes, and the entrants' numbers and artifacts. A row of
columns whose values are all the same is written as one value. See `tournament.store.sealed_footer` for their place in
the file.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import zlib
from functools import cache
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field as Limits
from pydantic import TypeAdapter

from tournament.leg import MAX_SEATS
from tournament.store.field import Batch, Hash, Origin, Part
from tournament.store.leg_checks import check_indices, check_legs, check_rare_fields
from tournament.store.leg_result import CHECKED, Fault, RareFields, Used
from tournament.store.leg_sums import LegSums
from tournament.store.legs import DIGESTS, HASH_BYTES, Legs
from tournament.store.sealed_footer import check_pages, read_carried
from tournament.store.storage import STAGING, Storage

# Bytes that a sessions part carries if its batch is being removed.
REMOVED = b""
_NO_HASH = "0" * 64
# Maximum bytes of legs, or of the JSON, in memory. A task has at most 4,096 legs.
_MAX_BYTES = 1 << 28
# Compression level of zlib: higher levels take twice as long and save 5%.
_LEVEL = 1


class DamagedPart(Exception):
    """Raised when a part isn't as it was written. The message is its name, "is damaged:" and the reason."""


@dataclasses.dataclass(frozen=True)
class _RareFieldsInHead:
    """The rare fields of a leg, as they are in the JSON.

    Attributes:
        faults: The recorded faults.
        out: Seats whose bots are disqualified.
        faults_left_out: Number of further faults of each seat; () if there are none.
        tries: How often the leg was started, at least once.
    """

    __pydantic_config__ = CHECKED

    faults: tuple[Fault, ...]
    out: tuple[int, ...]
    faults_left_out: tuple[int, ...]
    tries: Annotated[int, Limits(ge=1, le=1 << 31)] = 1


@dataclasses.dataclass(frozen=True)
class _Head:
    """The JSON before the columns of legs.

    Attributes:
        count: Number of legs.
        seats: Number of seats of a leg.
        names: Names of the entrants, then of the house players, one per line. The columns of legs have indices into
            them.
        entrants: Number of entrants among these names.
        rests: Rare fields, into which legs have an index.
        sandbox: Sandbox mode, as in Batch.
        games: Size, rows, hash and name in staging/ of the games part.
        origin: Origin of the legs without names, numbers and artifacts of entrants.
    """

    __pydantic_config__ = CHECKED

    count: Annotated[int, Limits(ge=1, le=1 << 25)]
    seats: Annotated[int, Limits(ge=1, le=MAX_SEATS)]
    names: str
    entrants: Annotated[int, Limits(ge=1)]
    rests: tuple[_RareFieldsInHead, ...]
    sandbox: Annotated[str, Limits(max_length=1000)]
    games: tuple[int, int, Hash, str]
    origin: Origin


@cache
def _heads() -> TypeAdapter[_Head]:
    """Return the validator of a head. It takes long to make."""
    return TypeAdapter(_Head)


def carried_by(games: Part, legs: Legs, sandbox: str, origin: Origin) -> bytes:
    """Return the bytes that the sessions part of a batch carries.

    Args:
        games: The games part of the batch.
        legs: Legs of the batch, in order of match and number.
        sandbox: Sandbox mode, as in Batch.
        origin: Origin of the legs, with exactly their players.

    Raises:
        ValueError: The legs couldn't be read again: there are none, they are out of order, or their faults take too
            many bytes. Or a name is invalid, an amount is out of bounds, or a player isn't in the origin.
    """
    legs = legs.with_names((*origin.names, *sorted({player.name for player in origin.house} - {*origin.names})))
    check_legs(legs)
    if not len(legs):
        raise ValueError("no legs")
    if not legs.are_in_order():
        raise ValueError("its legs are out of order")
    head = _Head(
        len(legs),
        legs.seats,
        "\n".join(legs.names),
        len(origin.names),
        tuple(
            _RareFieldsInHead(one.faults, one.disqualified_seats, one.further_faults, one.tries)
            for one in legs.rare_fields
        ),
        sandbox,
        (games.size, games.rows, games.blake3 or _NO_HASH, games.staged),
        dataclasses.replace(origin, names=(), numbers=(), artifacts=b""),
    )
    numbers = np.array(origin.numbers, _NUMBERS).tobytes()
    return _packed(_heads().dump_json(head, exclude_defaults=True), legs) + numbers + origin.artifacts


# Columns of legs in the order in which they are written: first the type as which bits are written, then for each column
# its own type.
_COLUMNS = (
    ("<i4", {"players": "<i4", "house": "<i4", "rare_index": "<i4", "seconds": "<f4", "used": "<f4"}),
    ("<i8", {"counts": "<i8", "sums": "<f8"}),
)
_NUMBERS = np.dtype("<i4")
_OTHER_COLUMNS = "it has other columns than were written"


def _packed(head: bytes, legs: Legs) -> bytes:
    """Return a head and legs as bytes.

    Raises:
        ValueError: The head is too long.
    """
    compressed = zlib.compress(head, _LEVEL)
    if len(head) > _MAX_BYTES:
        raise ValueError("too many faults")
    pieces = [len(compressed).to_bytes(4, "little"), compressed]
    for kind, names in _COLUMNS:
        columns = {name: np.ascontiguousarray(getattr(legs, name).T).view(kind) for name in names}
        if "sums" in columns:
            columns["sums"] = _differences(columns["sums"])
        rows = np.concatenate([columns[name].reshape(-1, len(legs)) for name in names])
        varies = (rows != rows[:, :1]).any(axis=1)
        pieces += [varies.tobytes(), rows[:, 0].tobytes(), rows[varies].tobytes()]
    return b"".join([*pieces, legs.digest.tobytes()])


def _unpacked(content: bytes) -> tuple[bytes, bytes]:
    """Return the head of packed bytes, and the bytes that follow it.

    Raises:
        ValueError: The bytes aren't as they were written, or the head is longer than allowed.
        zlib.error: The bytes are damaged.
    """
    end = 4 + int.from_bytes(content[:4], "little")
    reader = zlib.decompressobj()
    head = reader.decompress(content[4:end], _MAX_BYTES + 1)
    if not reader.eof or reader.unused_data:
        raise ValueError(_OTHER_COLUMNS)
    return head, content[end:]


def _legs(
    content: bytes, count: int, seats: int, names: tuple[str, ...], rare_fields: tuple[RareFields, ...]
) -> tuple[Legs, bytes]:
    """Return the legs of packed columns, and the bytes that follow them. The caller checks amounts.

    Raises:
        ValueError: The number of legs or seats is out of bounds, there are too few bytes, the legs are out of order, or
            an index is out of bounds.
    """
    shape_by_name = {
        "players": (seats,),
        "counts": (4,),
        "sums": (len(LegSums._fields), seats),
        "used": (len(Used._fields), seats),
    }
    max_legs = _MAX_BYTES // np.dtype(DIGESTS).itemsize // max(seats, 1)
    if not (1 <= count <= max_legs and 1 <= seats <= MAX_SEATS):
        raise ValueError(_OTHER_COLUMNS)
    unpacked: dict[str, npt.NDArray[Any]] = {}
    offset = 0

    def read(kind: str, values: int) -> npt.NDArray[Any]:
        """Return the next values of a type.

        Raises:
            ValueError: There are too few bytes.
        """
        nonlocal offset
        taken = np.frombuffer(content, kind, values, offset)
        offset += taken.nbytes
        return taken

    for kind, columns in _COLUMNS:
        shapes = [shape_by_name.get(name, ()) for name in columns]
        ends = list(itertools.accumulate(map(math.prod, shapes)))
        varies, first = read("?", ends[-1]), read(kind, ends[-1])
        rows = np.empty((ends[-1], count), kind)
        rows[:] = first[:, np.newaxis]
        rows[varies] = read(kind, int(np.count_nonzero(varies)) * count).reshape(-1, count)
        for name, shape, column in zip(columns, shapes, np.split(rows, ends)):
            unpacked[name] = column.reshape(*shape, count)
    unpacked["sums"] = _from_differences(unpacked["sums"])
    kinds = {name: kind for _, columns in _COLUMNS for name, kind in columns.items()}
    digest = read(DIGESTS, count)
    legs = Legs(
        digest, names, **{name: unpacked[name].view(kind).T for name, kind in kinds.items()}, rare_fields=rare_fields
    )
    check_indices(legs)
    if not legs.are_in_order():
        raise ValueError("its legs are out of order")
    return legs, content[offset:]


def _differences(bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return sums in a form that is mostly zeros in many contests.

    Without a correction for luck the two variances are the same. In a zero-sum game of two, the covariance is −variance
    and the seats' points are opposite numbers. Differences are exclusive ors of bits, so no rounding occurs.

    Args:
        bits: Bits of the sums, by field of LegSums, seat and leg. They aren't changed.
    """
    bits = bits.copy()
    sums = bits.view(float)
    bits[4] ^= bits[3]
    bits[5] ^= (0.0 - sums[3]).view(np.int64)
    bits[:, 1:] ^= _opposite(bits[:, :-1])
    return bits


def _from_differences(bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the bits of sums, given the result of `_differences`."""
    bits = bits.copy()
    for seat in range(1, bits.shape[1]):
        bits[:, seat] ^= _opposite(bits[:, seat - 1])
    bits[4] ^= bits[3]
    bits[5] ^= (0.0 - bits.view(float)[3]).view(np.int64)
    return bits


def _opposite(bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the bits of sums whose points and luck have the opposite sign."""
    other = bits.copy()
    sums = other.view(float)
    sums[0], sums[2] = 0.0 - sums[0], 0.0 - sums[2]
    return other


def read_batch(
    storage: Storage,
    name: str,
    path: str = "",
    *,
    with_rows: bool = False,
    size: int | None = None,
    with_checks: bool = True,
) -> Batch:
    """Return a batch as its sessions part describes it.

    Args:
        storage: Storage of the records.
        name: Name of the batch.
        path: Name of the sessions part in the storage if it isn't published; "" for the published one.
        with_rows: Whether to compare the part's rows with their hash, too.
        size: Size of the part in bytes; None if it is unknown, which takes a request to an object store.
        with_checks: Whether to check the values of legs. For many batches one check of all legs is faster.

    Raises:
        FileNotFoundError: There is no such part, or its batch is being removed.
        DamagedPart: The part isn't as it was written, or can't be read.
        RunError: The part can't be opened, or a request to the object store fails.
    """
    path = path or f"sessions/{name}.parquet"
    try:
        carried = read_carried(storage, path, size)
        if with_rows:
            check_pages(storage, path, carried)
        if carried.content == REMOVED:
            raise FileNotFoundError(path)
        json, columns = _unpacked(carried.content)
        head = _heads().validate_json(json)
        rare_fields = tuple(RareFields(one.faults, one.out, one.faults_left_out, one.tries) for one in head.rests)
        legs, of_players = _legs(columns, head.count, head.seats, tuple(head.names.split("\n")), rare_fields)
        if with_checks:
            check_legs(legs)
        check_rare_fields(legs)
        origin = _origin(head, legs, of_players)
        games = Part("games", f"{name}.parquet", *head.games[:2], _staged_name(head.games[3]), head.games[2])
        if int(legs.games.sum()) != games.rows or games.size < 0:
            raise ValueError("it has other rows than were written")
    except FileNotFoundError:
        raise
    except (OSError, ValueError, IndexError, zlib.error) as error:
        raise DamagedPart(f"{path} is damaged: {' '.join(str(error).split())[:200]}") from None
    staged = path if path.startswith(STAGING) else f"{STAGING}/none"
    sessions = Part("sessions", f"{name}.parquet", carried.size, int(legs.sessions.sum()), staged, "")
    return Batch(name, (games, sessions), legs, head.sandbox, origin, carried.seal)


def _staged_name(path: str) -> str:
    """Return a part's name in staging/ unchanged.

    Raises:
        ValueError: The name leads elsewhere, or has more than 200 characters.
    """
    if not path.startswith(f"{STAGING}/") or "/" in path[len(STAGING) + 1 :] or len(path) > 200:
        raise ValueError("its games part was staged elsewhere")
    return path


def _origin(head: _Head, legs: Legs, player_bytes: bytes) -> Origin:
    """Return the origin of legs, with names, numbers and artifacts of entrants.

    Raises:
        ValueError: The legs have other players.
    """
    names, count = legs.names[: head.entrants], head.entrants
    house = {player.name for player in head.origin.house}
    numbers = np.frombuffer(player_bytes, _NUMBERS, count)
    artifacts = player_bytes[numbers.nbytes :]
    if not (
        len({*names}) == count
        and len(artifacts) == count * HASH_BYTES
        and numbers.min() >= 0
        and legs.players.max() < count
        and (legs.house.max() < 0 or house.issuperset(legs.names[place] for place in {*legs.house.tolist()} - {-1}))
    ):
        raise ValueError("its legs are of other players")
    return dataclasses.replace(head.origin, names=names, numbers=tuple(numbers.tolist()), artifacts=artifacts)
