"""What a sessions part carries besides its rows: the legs of its batch, and a seal.

All of it is in the key-value metadata of the Parquet footer, so any reader of Parquet can read the part. `LEGS` has a
line of JSON and the legs' columns, compressed by zlib, then hashes, in base64. `PAGES` is the hash of all bytes before
the footer. `SEAL` is the hash of the footer, in which the seal itself counts as zeros. So the footer alone tells
whether what it says is as it was written, before any reader of Parquet looks at it, and the whole part whether its rows
are.
"""

from __future__ import annotations

import base64
import dataclasses
import json
import zlib
from functools import cache
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field as Limits
from pydantic import TypeAdapter

from tournament.leg import MOST_SEATS
from tournament.store.field import Batch, Hash, Origin, Part
from tournament.store.leg_checks import check_legs, check_rests
from tournament.store.leg_result import CHECKED, Fault, Rest
from tournament.store.legs import DIGESTS, Legs, hex_hashes
from tournament.store.sealed_footer import END, SEAL, UNSEALED, check_pages, read_footer, value_in
from tournament.store.storage import STAGING, Storage

REMOVED = "removed"  # what a sessions part carries whose batch goes
LEGS, PAGES = "tournament_legs", "tournament_pages"
_MOST_CARRIED = 1 << 28  # bytes, unpacked: a task has at most 4,096 legs
_LEVEL = 1  # of zlib: higher ones take twice as long for a twentieth


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
        names: The entrants, then the house players, that legs' columns count by place.
        entrants: How many of these are entrants.
        rests: What few legs have.
        sandbox: See Batch.
        games: Size, rows, hash and place in staging/ of the games part.
        origin: What the legs were played with, but for numbers and artifacts of entrants.
    """

    __pydantic_config__ = CHECKED

    count: Annotated[int, Limits(ge=1, le=1 << 25)]
    seats: Annotated[int, Limits(ge=1, le=MOST_SEATS)]
    names: tuple[str, ...]
    entrants: Annotated[int, Limits(ge=1)]
    rests: tuple[_Rest, ...]
    sandbox: Annotated[str, Limits(max_length=1000)]
    games: tuple[int, int, Hash, str]
    origin: Origin


@cache
def _heads() -> TypeAdapter[_Head]:
    return TypeAdapter(_Head)  # slow to make


def carried_by(games: Part, legs: Legs, sandbox: str, origin: Origin) -> str:
    """Return what the sessions part of a batch carries under `LEGS`. The origin's players are those of the legs.

    Raises:
        ValueError: No one could read the legs.
    """
    entrants = tuple(origin.numbers)
    legs = legs.with_names((*entrants, *sorted({player.name for player in origin.house} - {*entrants})))
    check_legs(legs)
    if not len(legs):
        raise ValueError("no legs")
    if not legs.are_in_order():
        raise ValueError("its legs are out of order")
    head = _Head(
        len(legs),
        legs.seats,
        legs.names,
        len(entrants),
        tuple(_Rest(one.faults, one.out, one.faults_left_out, one.tries) for one in legs.rests),
        sandbox,
        (games.size, games.rows, games.blake3 or UNSEALED, games.staged),
        dataclasses.replace(origin, numbers={}, artifacts={}),
    )
    told = _heads().dump_json(head, exclude_defaults=True)
    numbers = np.array([*origin.numbers.values()], _NUMBERS).tobytes()
    artifacts = bytes.fromhex("".join(origin.artifacts[name] for name in entrants))
    return base64.b64encode(_packed(told, legs, numbers, artifacts)).decode()


def legs_content(legs: Legs, about: str) -> bytes:
    """Return legs without faults as bytes that say something `about` them, in a line."""
    plain = dataclasses.replace(legs, rests=(Rest(),), more=np.zeros_like(legs.more))
    head = {"about": about, "names": plain.names, "count": len(plain), "seats": plain.seats}
    return _packed(json.dumps(head).encode(), plain)


def legs_of_content(content: bytes) -> tuple[Legs, str]:
    """Return the legs of such bytes, and what they say.

    Raises:
        ValueError: They say something else.
    """
    try:
        head, columns, hashes = _unpacked(content)
        told = json.loads(head)
        names, about = tuple(map(str, told["names"])), str(told["about"])
        legs = _legs(columns, hashes, int(told["count"]), int(told["seats"]), names, (Rest(),))
    except (KeyError, TypeError, OverflowError, zlib.error) as error:
        raise ValueError(str(error)) from None
    return legs, about


# The columns of legs as they are written, and those that have a value for each seat. Hashes follow, not compressed.
_COLUMNS = ("players", "house", "whole", "sums", "more", "seconds", "used")
_BY_SEAT = ("players", "sums", "used")
_NUMBERS = np.dtype("<i4")
_BITS = np.int64  # sums as bits, of which seats and fields have many in common: the second seat's points are −x, say


def _packed(head: bytes, legs: Legs, numbers: bytes = b"", artifacts: bytes = b"") -> bytes:
    """Return a line, legs, and numbers and hashes of their players as bytes.

    Raises:
        ValueError: They are too long.
    """
    bits = legs.sums.T.copy().view(_BITS)  # by field, seat and leg
    bits[:, 1:] ^= legs.sums.T.view(_BITS)[:, :-1]
    bits[4:] ^= bits[3]  # without a correction for luck
    columns = {name: getattr(legs, name) for name in _COLUMNS} | {"sums": bits.T}
    content = b"".join([head, b"\n", numbers, *(columns[name].tobytes("F") for name in _COLUMNS)])
    if len(content) > _MOST_CARRIED:
        raise ValueError("too many faults")
    return zlib.compress(content, _LEVEL) + legs.digest.tobytes() + artifacts


def _unpacked(content: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the line, what follows it, and the hashes of such bytes.

    Raises:
        ValueError: They aren't as they were written, or longer than any that were.
        zlib.error: They are damaged.
    """
    reader = zlib.decompressobj()
    content = reader.decompress(content, _MOST_CARRIED + 1)
    if not reader.eof:
        raise ValueError(_OTHER_COLUMNS)
    head, _, columns = content.partition(b"\n")
    return head, columns, reader.unused_data


_OTHER_COLUMNS = "it has other columns than were written"


def _legs(
    content: bytes, hashes: bytes, count: int, seats: int, names: tuple[str, ...], rests: tuple[Rest, ...]
) -> Legs:
    """Return the legs of columns, one after the other, and their hashes.

    Raises:
        ValueError: They are no legs that anyone can have played.
    """
    if count < 1 or not 1 <= seats <= MOST_SEATS:
        raise ValueError(_OTHER_COLUMNS)
    found: dict[str, npt.NDArray[Any]] = {}
    first = 0
    for name in _COLUMNS:
        empty = getattr(_no_legs(), name)
        shape = (count, seats, *empty.shape[2:]) if name in _BY_SEAT else (count, *empty.shape[1:])
        values = int(np.prod(shape))
        if len(content) < first + values * empty.itemsize:
            raise ValueError(_OTHER_COLUMNS)
        found[name] = np.frombuffer(content, empty.dtype, values, first).reshape(shape, order="F")
        first += values * empty.itemsize
    if first != len(content):
        raise ValueError(_OTHER_COLUMNS)
    bits = found["sums"].T.view(_BITS).copy()
    bits[4:] ^= bits[3]
    for seat in range(1, seats):
        bits[:, seat] ^= bits[:, seat - 1]
    found["sums"] = bits.view(float).T
    legs = Legs(np.frombuffer(hashes, DIGESTS, count), names, **found, rests=rests)
    check_legs(legs)
    if not legs.are_in_order():
        raise ValueError("its legs are out of order")
    return legs


@cache
def _no_legs() -> Legs:
    return Legs.of(())


def unsealed(carried: str, pages: str) -> dict[str, str]:
    """Return the metadata of a sessions part that carries this, with these pages, still without a seal."""
    return {LEGS: carried, PAGES: pages, SEAL: UNSEALED}


def read_batch(storage: Storage, name: str, place: str = "", *, whole: bool = False, size: int | None = None) -> Batch:
    """Return a batch as its sessions part says, which is in its place or at another one.

    Args:
        storage: Where the records are.
        name: Name of the batch.
        place: Where the sessions part is, if it isn't in its place.
        whole: Whether to compare the part's rows with their hash, too.
        size: Bytes of the part, if they are known.

    Raises:
        FileNotFoundError: There is no such part, or one that says that its batch goes.
        DamagedPart: The part isn't as it was written.
    """
    place = place or f"sessions/{name}.parquet"
    try:
        footer, size, seal = read_footer(storage, place, size)
        if whole:
            check_pages(storage, place, size - len(footer) - END, value_in(footer, PAGES).decode())
        if value_in(footer, LEGS) == REMOVED.encode():
            raise FileNotFoundError(place)
        told, columns, hashes = _unpacked(base64.b64decode(value_in(footer, LEGS)))
        head = _heads().validate_json(told)
        rests = tuple(Rest(one.faults, one.out, one.faults_left_out, one.tries) for one in head.rests)
        at = head.entrants * _NUMBERS.itemsize
        legs = _legs(columns[at:], hashes, head.count, head.seats, head.names, rests)
        check_rests(legs)
        origin = _origin(head, legs, np.frombuffer(columns[:at], _NUMBERS), hashes[legs.digest.nbytes :])
        games = Part("games", f"{name}.parquet", *head.games[:2], _staged_name(head.games[3]), head.games[2])
        if int(legs.games.sum()) != games.rows or games.size < 0:
            raise ValueError("it has other rows than were written")
    except FileNotFoundError:
        raise
    except (OSError, ValueError, IndexError, zlib.error) as error:
        raise DamagedPart(f"{place} is damaged: {' '.join(str(error).split())[:200]}") from None
    staged = place if place.startswith(STAGING) else f"{STAGING}/none"
    own = Part("sessions", f"{name}.parquet", size, int(legs.sessions.sum()), staged, "")
    return Batch(name, (games, own), legs, head.sandbox, origin, seal)


def _staged_name(place: str) -> str:
    if not place.startswith(f"{STAGING}/") or "/" in place[len(STAGING) + 1 :] or len(place) > 200:
        raise ValueError("its games part was staged elsewhere")
    return place


def _origin(head: _Head, legs: Legs, numbers: npt.NDArray[np.int32], artifacts: bytes) -> Origin:
    """Return the origin of legs with the numbers and artifacts of entrants.

    Raises:
        ValueError: The legs are of other players.
    """
    entrants = head.names[: head.entrants]
    house = {player.name for player in head.origin.house}
    hashes = hex_hashes(artifacts)
    if not (
        len({*entrants}) == len(numbers) == len(hashes) == head.entrants
        and numbers.min() >= 0
        and legs.players.max() < head.entrants
        and (legs.house.max() < 0 or house.issuperset(legs.names[place] for place in {*legs.house.tolist()} - {-1}))
    ):
        raise ValueError("its legs are of other players")
    return dataclasses.replace(
        head.origin, numbers=dict(zip(entrants, numbers.tolist())), artifacts=dict(zip(entrants, hashes))
    )
