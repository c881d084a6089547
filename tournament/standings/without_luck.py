"""What luck was worth in each leg: worked out from its games once, and noted beside the ledger.

ledger/luck is a note, not a record: the next run works out what it lacks, or all of it where it is damaged, of another
version, or not noted by who has the seed. It has 32 numbers for each leg's digest, which are subtracted from x's
points, block by block. Nothing is decided by it: a run until the order is settled works all of it out by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from types import MappingProxyType

import numpy as np
from pydantic import TypeAdapter, ValidationError

from engine.kernel.game_core import BLOCK_COUNT
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import RunFailed
from tournament.standings.luck_of_rows import Floats, LuckOfRows
from tournament.store.ledger import Batch
from tournament.store.legs import LegResult, Legs
from tournament.store.notes import read_note, write_note
from tournament.store.storage import Storage

LuckOfLegs = Mapping[str, Floats]  # by a leg's digest, BLOCK_COUNT points

_NOTE = "luck"
_LEG = 32 + 8 * BLOCK_COUNT  # bytes of a leg: its digest, and its points
_MOST = 1e12  # points of a block
_LARGE = 20_000_000  # games that take a while to read


@cache
def _heads() -> TypeAdapter[tuple[str, int]]:
    """The version, and how many legs."""
    return TypeAdapter(tuple[str, int])  # slow to make


def read_luck(storage: Storage, contest: Contest, key: bytes | None = None) -> LuckOfLegs:
    """The noted luck of a contest's legs; nothing where the note is damaged, or was not made with this master `key`."""
    body = read_note(storage, _NOTE, key)
    if body is None:
        return {}
    start = body.find(b"\n") + 1
    try:
        version, count = _heads().validate_json(body[:start])
    except ValidationError:
        return {}
    if version != _version(contest) or len(body) - start != count * _LEG:
        return {}
    digests = body[start : start + 32 * count].hex()
    points = np.frombuffer(body, "<f8", count * BLOCK_COUNT, start + 32 * count).reshape(count, BLOCK_COUNT)
    if not (np.abs(points) <= _MOST).all():
        return {}
    return {digests[64 * leg : 64 * leg + 64]: points[leg] for leg in range(count)}


def write_luck(storage: Storage, contest: Contest, luck: LuckOfLegs, key: bytes) -> None:
    """Note the luck, marked with the master `key`. Raises OSError."""
    write_note(storage, _NOTE, _packed(contest, luck), key)


def _packed(contest: Contest, luck: LuckOfLegs) -> bytes:
    head = _heads().dump_json((_version(contest), len(luck)))
    points = np.array([luck[digest] for digest in luck], "<f8")
    return b"".join((head, b"\n", bytes.fromhex("".join(luck)), points.data))


def luck_of_batches(
    contest: Contest,
    settings: ContestSettings,
    storage: Storage,
    batches: Sequence[Batch],
    known: LuckOfLegs,
    say: Callable[[str], None],
    house: Mapping[str, bytes] = MappingProxyType({}),
) -> LuckOfLegs:
    """The luck of all legs of these batches: what is `known`, and the rest from their games.

    `house` has the contents of the house players by name; legs against others are left out.
    Raises RunFailed when a part is damaged or gone.
    """
    unknown = [batch for batch in batches if not all(map(known.__contains__, Legs.of(batch.legs).digests))]
    games = sum(batch.part("games").rows for batch in unknown)
    if games > _LARGE:
        say(f"Working out what luck was worth in {games:,} games…")
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(lambda batch: _luck_of_batch(contest, settings, storage, batch, house), unknown))
    fresh = {digest: points for one in found for digest, points in one.items()}
    digests = [digest for batch in batches for digest in Legs.of(batch.legs).digests]
    return {
        digest: fresh[digest] if digest in fresh else known[digest]
        for digest in digests
        if digest in fresh or digest in known
    }


def luck_of_legs(
    contest: Contest, settings: ContestSettings, legs: Sequence[LegResult], house: Mapping[str, bytes]
) -> LuckOfRows:
    """To read the games of these legs; `house` as in `luck_of_batches`."""
    luck, columns = LuckOfRows(contest, settings), Legs.of(legs)
    for number, y, games in zip(columns.number.tolist(), columns.y, columns.games.tolist()):
        luck.begin(number, house.get(y), known=not contest.house or y in house)
        luck.end(games)
    return luck


def by_digest(legs: Sequence[LegResult], points: Floats) -> dict[str, Floats]:
    """What luck was worth in each of these legs, whose rows `points` has; legs that were passed over are left out."""
    known = ~np.isnan(points[:, 0])
    return {digest: of_leg for digest, of_leg, is_known in zip(Legs.of(legs).digests, points, known) if is_known}


def _luck_of_batch(
    contest: Contest, settings: ContestSettings, storage: Storage, batch: Batch, house: Mapping[str, bytes]
) -> dict[str, Floats]:
    from tournament.store.parts import rows_of  # pyarrow, which reading standings doesn't need

    assert contest.luck is not None
    luck = luck_of_legs(contest, settings, batch.legs, house)
    part = batch.part("games")
    try:
        for rows in rows_of(storage, part, contest.games, contest.luck.columns):
            luck.add(rows, len(rows[contest.luck.columns[0]]))
    except ValueError as error:
        raise RunFailed(f"{storage.location}/{part.place} has games that can't be: {error}") from None
    except FileNotFoundError:
        raise RunFailed(f"{storage.location}/{part.place} is missing; run again to play its legs again") from None
    return by_digest(batch.legs, luck.points())


def corrected_legs(legs: Legs, luck: LuckOfLegs) -> Legs | None:
    """The legs with luck subtracted from their points; None where it isn't known for all."""
    if not all(map(luck.__contains__, legs.digests)):
        return None
    if not len(legs):
        return legs
    points = np.array([luck[digest] for digest in legs.digests])
    sums = legs.sums.copy()
    sums[:, 0, 0] -= points.sum(axis=1)
    sums[:, 0, 2:] -= points
    return replace(legs, sums=sums)


def legs_without_luck(legs: Legs, luck: LuckOfLegs) -> Legs:
    """The legs whose luck is known, with it subtracted."""
    known = corrected_legs(legs.chosen([leg for leg, digest in enumerate(legs.digests) if digest in luck]), luck)
    assert known is not None
    return known


def _version(contest: Contest) -> str:
    assert contest.luck is not None
    return f"{contest.rules} {contest.engine_version} {contest.luck.version}"
