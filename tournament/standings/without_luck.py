"""What luck was worth in each leg: worked out from its games once, and noted beside the ledger.

ledger/luck is a note, no record: the next run works out what it lacks, or all of it where it is damaged or of another
version. Whoever can write may have written it: `verify` works it out again. It has 32 numbers for each leg's digest,
block by block, which are subtracted from x's points. Nothing is decided by it: a run until the order is settled works
all of it out by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter

from engine.kernel.game_core import BLOCK_COUNT
from tournament.arrays import Floats, Whole
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.cores import cores
from tournament.errors import RunFailed
from tournament.standings.luck_of_rows import LuckOfRows
from tournament.store.ledger import Batch
from tournament.store.legs import DIGESTS, Legs, Number, digest_column, hex_digests, pair_keys
from tournament.store.notes import read_note, write_note
from tournament.store.storage import Storage

LuckOfLegs = Mapping[str, Floats]  # by a leg's digest, BLOCK_COUNT points

_NOTE = "luck"
_MOST = 1e12  # points of a block
_LONGEST_HEAD = 1000  # bytes
_LARGE = 20_000_000  # games that take a while to read


@dataclass(frozen=True, eq=False)
class LuckColumns(Mapping[str, Floats]):
    """Luck as columns, since a field of a thousand bots has half a million legs: their digests, and their points, a row
    a leg, of which a block's lie side by side in memory."""

    digest: npt.NDArray[np.bytes_]
    points: Floats

    @classmethod
    def of(cls, luck: LuckOfLegs) -> LuckColumns:
        """The same as columns."""
        if isinstance(luck, LuckColumns):
            return luck
        points = np.array(list(luck.values()), np.float64).reshape(-1, BLOCK_COUNT)
        return cls(digest_column(luck), np.asfortranarray(points))

    def places(self, digest: npt.NDArray[np.bytes_]) -> Whole:
        """Where the legs with these digests are, -1 for those that are not."""
        if np.array_equal(digest, self.digest):  # mostly: both come in the order of the records
            return np.arange(len(digest))
        # By their first numbers, and in their order: both is many times as fast.
        own, wanted = (np.ascontiguousarray(one.view(np.int64)[:: one.itemsize // 8]) for one in (self.digest, digest))
        order, asked = np.argsort(own, kind="stable"), np.argsort(wanted)
        at = np.empty(len(wanted), np.int64)
        at[asked] = np.searchsorted(own[order], wanted[asked])
        found = order[np.minimum(at, len(order) - 1)] if len(order) else np.zeros(len(digest), np.int64)
        known = self.digest[found] == digest if len(order) else np.zeros(len(digest), bool)
        return np.where(known, found, -1)

    def chosen(self, digest: npt.NDArray[np.bytes_]) -> LuckColumns:
        """The luck in the legs with these digests, in this order, as far as it is known."""
        if np.array_equal(digest, self.digest):
            return self
        places = self.places(digest)
        known = places >= 0
        return LuckColumns(digest[known], self.points.T[:, places[known]].T)

    @cached_property
    def _index(self) -> dict[str, int]:
        digests = hex_digests(self.digest)
        return dict(zip(reversed(digests), reversed(range(len(digests)))))

    def __getitem__(self, digest: str) -> Floats:
        of_leg: Floats = self.points[self._index[digest]]
        return of_leg

    def __iter__(self) -> Iterator[str]:
        return reversed(self._index)

    def __len__(self) -> int:
        return len(self._index)


@cache
def _heads() -> TypeAdapter[tuple[str, Number]]:
    """The version, and how many legs."""
    return TypeAdapter(tuple[str, Number])  # slow to make


def read_luck(storage: Storage, contest: Contest) -> LuckOfLegs:
    """The noted luck of a contest's legs; nothing where the note is damaged."""
    body = read_note(storage, _NOTE)
    if body is None:
        return {}
    start = bytes(body[:_LONGEST_HEAD]).find(b"\n") + 1
    try:
        version, count = _heads().validate_json(bytes(body[:start]))
        digest = np.frombuffer(body, DIGESTS, count, start)
        points = np.frombuffer(body, "<f8", offset=start + digest.nbytes).reshape(BLOCK_COUNT, count)
    except ValueError:
        return {}
    if version != _version(contest) or not (points.min(initial=0.0) >= -_MOST and points.max(initial=0.0) <= _MOST):
        return {}
    return LuckColumns(digest, points.T)


def write_luck(storage: Storage, contest: Contest, luck: LuckOfLegs) -> None:
    """Note the luck. Raises OSError."""
    columns = LuckColumns.of(luck)
    head = _heads().dump_json((_version(contest), len(columns.digest)))
    points = np.ascontiguousarray(columns.points.T.astype("<f8", copy=False))
    write_note(storage, _NOTE, head, b"\n", columns.digest.tobytes(), points.data)


def luck_of_batches(
    contest: Contest,
    settings: ContestSettings,
    storage: Storage,
    batches: Sequence[Batch],
    known: Sequence[LuckColumns],
    say: Callable[[str], None],
) -> LuckColumns:
    """The luck of all legs of these batches, by match and number, as standings ask for it: what is `known`, where
    several know a leg by the first, and the rest from their games.

    Raises RunFailed when a part is damaged or gone.
    """
    several = [batch.legs for batch in batches]
    keys = np.concatenate([np.empty(0, np.int64), *(pair_keys(legs.match, legs.number) for legs in several)])
    in_order = np.argsort(keys, kind="stable")
    wanted = np.concatenate([np.empty(0, DIGESTS), *(legs.digest for legs in several)])[in_order]
    if len(known) == 1 and np.array_equal(wanted, known[0].digest):
        return known[0]
    points = np.empty((BLOCK_COUNT, len(wanted)))
    is_known = _gather(known, wanted, points)
    batch_of = np.repeat(np.arange(len(several)), [len(legs) for legs in several])[in_order]
    lacking = set(batch_of[~is_known].tolist())
    unknown = [batch for place, batch in enumerate(batches) if place in lacking]
    games = sum(batch.part("games").rows for batch in unknown)
    if games > _LARGE:
        say(f"Working out what luck was worth in {games:,} games…")
    with ThreadPoolExecutor(cores()) as pool:
        found = list(pool.map(lambda batch: _luck_of_batch(contest, settings, storage, batch), unknown))
    _gather(found, wanted, points)
    return LuckColumns(wanted, points.T)


def _gather(several: Iterable[LuckColumns], digest: npt.NDArray[np.bytes_], points: Floats) -> npt.NDArray[np.bool_]:
    """Write the luck in the legs with these digests into `points`, a column a leg, block by block: a large field's has
    150 MB. Returns in which it is known."""
    known = np.zeros(len(digest), bool)
    for one in several:
        left = np.flatnonzero(~known)
        places = one.places(digest[left])
        left, places = left[places >= 0], places[places >= 0]
        for block in range(BLOCK_COUNT):
            points[block, left] = one.points[places, block]
        known[left] = True
    return known


def luck_of_legs(contest: Contest, settings: ContestSettings, legs: Legs) -> LuckOfRows:
    """To read the games of these legs."""
    luck = LuckOfRows(contest, settings)
    for number, games in zip(legs.number.tolist(), legs.games.tolist()):
        luck.begin(number)
        luck.end(games)
    return luck


def by_digest(legs: Legs, points: Floats) -> LuckColumns:
    """What luck was worth in each of these legs, whose rows `points` has."""
    return LuckColumns(legs.digest, np.asfortranarray(points))


def _luck_of_batch(contest: Contest, settings: ContestSettings, storage: Storage, batch: Batch) -> LuckColumns:
    from tournament.store.parts import rows_of  # pyarrow, which reading standings doesn't need

    assert contest.luck is not None
    luck = luck_of_legs(contest, settings, batch.legs)
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
    points = LuckColumns.of(luck).chosen(legs.digest).points
    return replace(legs, luck=points) if len(points) == len(legs) else None


def legs_without_luck(legs: Legs, luck: LuckOfLegs) -> Legs:
    """The legs whose luck is known, with it subtracted."""
    known = corrected_legs(legs.chosen(np.flatnonzero(LuckColumns.of(luck).places(legs.digest) >= 0)), luck)
    assert known is not None
    return known


def _version(contest: Contest) -> str:
    assert contest.luck is not None
    return f"{contest.rules} {contest.engine_version} {contest.luck.version} by block"
