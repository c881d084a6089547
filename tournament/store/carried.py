"""What a sessions part carries besides its rows: the legs of its batch, and what they were played with.

That is JSON, compressed by zlib, then the legs' columns, hashes, and the entrants' numbers and artifacts. A row of
columns whose values are all the same is written as one value. See `tournament.store.sealed_footer` for where it is.
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

from tournament.leg import MOST_SEATS
from tournament.store.field import Batch, Hash, Origin, Part
from tournament.store.leg_checks import check_legs, check_places, check_rests
from tournament.store.leg_result import CHECKED, Fault, Rest, Used
from tournament.store.leg_sums import LegSums
from tournament.store.legs import DIGESTS, HASH_BYTES, Legs
from tournament.store.sealed_footer import check_pages, read_carried
from tournament.store.storage import STAGING, Storage

REMOVED = b""  # what a sessions part carries whose batch goes
_NO_HASH = "0" * 64
_MOST_BYTES = 1 << 28  # of legs, or of the JSON, in memory: a task has at most 4,096 legs
_LEVEL = 1  # of zlib: higher ones take twice as long for 5%


class DamagedPart(Exception):
    """A part that isn't as it was written."""


@dataclasses.dataclass(frozen=True)
class _Rest:
    """What few legs have, as JSON has it."""

    __pydantic_config__ = CHECKED

    faults: tuple[Fault, ...]
    out: tuple[int, ...]
    faults_left_out: tuple[int, ...]
    tries: Annotated[int, Limits(ge=1, le=1 << 31)] = 1


@dataclasses.dataclass(frozen=True)
class _Head:
    """What stands before the columns of legs.

    Attributes:
        count: Number of legs.
        seats: Seats of a leg.
        names: The entrants, then the house players, that legs' columns count by place, in lines.
        entrants: How many of these are entrants.
        rests: What few legs have.
        sandbox: See Batch.
        games: Size, rows, hash and place in staging/ of the games part.
        origin: What the legs were played with, but for numbers and artifacts of entrants.
    """

    __pydantic_config__ = CHECKED

    count: Annotated[int, Limits(ge=1, le=1 << 25)]
    seats: Annotated[int, Limits(ge=1, le=MOST_SEATS)]
    names: str
    entrants: Annotated[int, Limits(ge=1)]
    rests: tuple[_Rest, ...]
    sandbox: Annotated[str, Limits(max_length=1000)]
    games: tuple[int, int, Hash, str]
    origin: Origin


@cache
def _heads() -> TypeAdapter[_Head]:
    return TypeAdapter(_Head)  # slow to make


def carried_by(games: Part, legs: Legs, sandbox: str, origin: Origin) -> bytes:
    """Return what the sessions part of a batch carries. The origin's players are those of the legs.

    Raises:
        ValueError: No one could read the legs.
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
        tuple(_Rest(one.faults, one.out, one.faults_left_out, one.tries) for one in legs.rests),
        sandbox,
        (games.size, games.rows, games.blake3 or _NO_HASH, games.staged),
        dataclasses.replace(origin, names=(), numbers=(), artifacts=b""),
    )
    numbers = np.array(origin.numbers, _NUMBERS).tobytes()
    return _packed(_heads().dump_json(head, exclude_defaults=True), legs) + numbers + origin.artifacts


# The columns of legs in the order in which they are written, with the types of their bits and their own.
_COLUMNS = (
    ("<i4", {"players": "<i4", "house": "<i4", "more": "<i4", "seconds": "<f4", "used": "<f4"}),
    ("<i8", {"whole": "<i8", "sums": "<f8"}),
)
_NUMBERS = np.dtype("<i4")
_OTHER_COLUMNS = "it has other columns than were written"


def _packed(head: bytes, legs: Legs) -> bytes:
    """Return a line and legs as bytes.

    Raises:
        ValueError: They are too long.
    """
    told = zlib.compress(head, _LEVEL)
    if len(head) > _MOST_BYTES:
        raise ValueError("too many faults")
    pieces = [len(told).to_bytes(4, "little"), told]
    for kind, names in _COLUMNS:
        columns = {name: np.ascontiguousarray(getattr(legs, name).T).view(kind) for name in names}
        if "sums" in columns:
            columns["sums"] = _differences(columns["sums"])
        rows = np.concatenate([columns[name].reshape(-1, len(legs)) for name in names])
        varies = (rows != rows[:, :1]).any(axis=1)
        pieces += [varies.tobytes(), rows[:, 0].tobytes(), rows[varies].tobytes()]
    return b"".join([*pieces, legs.digest.tobytes()])


def _unpacked(content: bytes) -> tuple[bytes, bytes]:
    """Return the line of such bytes, and what follows it.

    Raises:
        ValueError: They aren't as they were written, or the line is longer than any that was.
        zlib.error: They are damaged.
    """
    end = 4 + int.from_bytes(content[:4], "little")
    reader = zlib.decompressobj()
    head = reader.decompress(content[4:end], _MOST_BYTES + 1)
    if not reader.eof or reader.unused_data:
        raise ValueError(_OTHER_COLUMNS)
    return head, content[end:]


def _legs(
    content: bytes, count: int, seats: int, names: tuple[str, ...], rests: tuple[Rest, ...]
) -> tuple[Legs, bytes]:
    """Return the legs of columns, whose amounts aren't checked, and the bytes that follow them.

    Raises:
        ValueError: There are fewer bytes than they need, or the legs are out of order or of players that aren't there.
    """
    own = {
        "players": (seats,),
        "whole": (4,),
        "sums": (len(LegSums._fields), seats),
        "used": (len(Used._fields), seats),
    }
    most = _MOST_BYTES // np.dtype(DIGESTS).itemsize // max(seats, 1)
    if not (1 <= count <= most and 1 <= seats <= MOST_SEATS):
        raise ValueError(_OTHER_COLUMNS)
    found: dict[str, npt.NDArray[Any]] = {}
    at = 0

    def take(kind: str, values: int) -> npt.NDArray[Any]:
        nonlocal at
        taken = np.frombuffer(content, kind, values, at)
        at += taken.nbytes
        return taken

    for kind, columns in _COLUMNS:
        shapes = [own.get(name, ()) for name in columns]
        ends = list(itertools.accumulate(map(math.prod, shapes)))
        varies, first = take("?", ends[-1]), take(kind, ends[-1])
        rows = np.empty((ends[-1], count), kind)
        rows[:] = first[:, np.newaxis]
        rows[varies] = take(kind, int(np.count_nonzero(varies)) * count).reshape(-1, count)
        for name, shape, column in zip(columns, shapes, np.split(rows, ends)):
            found[name] = column.reshape(*shape, count)
    found["sums"] = _from_differences(found["sums"])
    kinds = {name: kind for _, columns in _COLUMNS for name, kind in columns.items()}
    digest = take(DIGESTS, count)
    legs = Legs(digest, names, **{name: found[name].view(kind).T for name, kind in kinds.items()}, rests=rests)
    check_places(legs)
    if not legs.are_in_order():
        raise ValueError("its legs are out of order")
    return legs, content[at:]


def _differences(bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return sums, as bits by field, seat and leg, as bits that differ from what they are in many contests.

    Without a correction for luck the two variances are the same, in a zero-sum game of two the covariance is −variance,
    and the seats' points are opposite numbers.
    """
    bits = bits.copy()
    sums = bits.view(float)
    bits[4] ^= bits[3]
    bits[5] ^= (0.0 - sums[3]).view(np.int64)
    bits[:, 1:] ^= _opposite(bits[:, :-1])
    return bits


def _from_differences(bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the sums of such bits, as bits."""
    bits = bits.copy()
    for seat in range(1, bits.shape[1]):
        bits[:, seat] ^= _opposite(bits[:, seat - 1])
    bits[4] ^= bits[3]
    bits[5] ^= (0.0 - bits.view(float)[3]).view(np.int64)
    return bits


def _opposite(bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the bits of sums whose points and luck are the opposite numbers."""
    other = bits.copy()
    sums = other.view(float)
    sums[0], sums[2] = 0.0 - sums[0], 0.0 - sums[2]
    return other


def read_batch(
    storage: Storage,
    name: str,
    place: str = "",
    *,
    whole: bool = False,
    size: int | None = None,
    with_checks: bool = True,
) -> Batch:
    """Return a batch as its sessions part says, which is in its place or at another one.

    Args:
        storage: Where the records are.
        name: Name of the batch.
        place: Where the sessions part is, if it isn't in its place.
        whole: Whether to compare the part's rows with their hash, too.
        size: Bytes of the part, if they are known.
        with_checks: Whether to check the values of legs. That is faster for many batches together.

    Raises:
        FileNotFoundError: There is no such part, or one that says that its batch goes.
        DamagedPart: The part isn't as it was written.
    """
    place = place or f"sessions/{name}.parquet"
    try:
        carried = read_carried(storage, place, size)
        if whole:
            check_pages(storage, place, carried)
        if carried.content == REMOVED:
            raise FileNotFoundError(place)
        told, columns = _unpacked(carried.content)
        head = _heads().validate_json(told)
        rests = tuple(Rest(one.faults, one.out, one.faults_left_out, one.tries) for one in head.rests)
        legs, of_players = _legs(columns, head.count, head.seats, tuple(head.names.split("\n")), rests)
        if with_checks:
            check_legs(legs)
        check_rests(legs)
        origin = _origin(head, legs, of_players)
        games = Part("games", f"{name}.parquet", *head.games[:2], _staged_name(head.games[3]), head.games[2])
        if int(legs.games.sum()) != games.rows or games.size < 0:
            raise ValueError("it has other rows than were written")
    except FileNotFoundError:
        raise
    except (OSError, ValueError, IndexError, zlib.error) as error:
        raise DamagedPart(f"{place} is damaged: {' '.join(str(error).split())[:200]}") from None
    staged = place if place.startswith(STAGING) else f"{STAGING}/none"
    own = Part("sessions", f"{name}.parquet", carried.size, int(legs.sessions.sum()), staged, "")
    return Batch(name, (games, own), legs, head.sandbox, origin, carried.seal)


def _staged_name(place: str) -> str:
    if not place.startswith(f"{STAGING}/") or "/" in place[len(STAGING) + 1 :] or len(place) > 200:
        raise ValueError("its games part was staged elsewhere")
    return place


def _origin(head: _Head, legs: Legs, of_players: bytes) -> Origin:
    """Return the origin of legs, with numbers and artifacts of entrants.

    Raises:
        ValueError: The legs are of other players.
    """
    names, count = legs.names[: head.entrants], head.entrants
    house = {player.name for player in head.origin.house}
    numbers = np.frombuffer(of_players, _NUMBERS, count)
    artifacts = of_players[numbers.nbytes :]
    if not (
        len({*names}) == count
        and len(artifacts) == count * HASH_BYTES
        and numbers.min() >= 0
        and legs.players.max() < count
        and (legs.house.max() < 0 or house.issuperset(legs.names[place] for place in {*legs.house.tolist()} - {-1}))
    ):
        raise ValueError("its legs are of other players")
    return dataclasses.replace(head.origin, names=names, numbers=tuple(numbers.tolist()), artifacts=artifacts)
