"""Results of many legs as columns.

A field of a thousand bots has half a million legs. As objects they take gigabytes and half a minute; as columns 10% of
either.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats, Whole
from tournament.store.leg_result import NO_REST, SEATS_THAT_END_A_LEG, LegResult, Rest, Used
from tournament.store.leg_sums import LegSums

_WHOLE = ("match", "number", "sessions", "games")
_WIDTH = len(LegSums._fields)  # numbers of a seat
HASH_BYTES = 32
DIGESTS = f"S{HASH_BYTES}"  # the type of a column of digests


class SeatColumns(NamedTuple):
    """The LegSums of one seat in many legs."""

    points: Floats
    squared_points: Floats
    luck: Floats
    variance: Floats
    adjusted_variance: Floats
    covariance: Floats


_Value = TypeVar("_Value", bound=Hashable)


def merged(
    columns: Sequence[tuple[tuple[_Value, ...], npt.NDArray[np.int32]]],
) -> tuple[tuple[_Value, ...], npt.NDArray[np.int32]]:
    """Columns of places in lists of values as one column, and the list that its places are of."""
    first = columns[0][0]
    if all(values is first for values, _ in columns):
        return first, np.concatenate([places for _, places in columns])
    # By map: a large field's entries have a million names, most of them again. Slices of the same legs share theirs.
    several = {id(values): values for values, _ in columns}
    index = dict(zip(dict.fromkeys(itertools.chain.from_iterable(several.values())), itertools.count()))
    new = {at: np.fromiter(map(index.__getitem__, one), np.int32, len(one)) for at, one in several.items()}
    return tuple(index), np.concatenate([new[id(values)][places] for values, places in columns])


def digest_column(digests: Iterable[str]) -> npt.NDArray[np.bytes_]:
    """Digests in hex as a column of bytes."""
    return np.frombuffer(bytes.fromhex("".join(digests)), DIGESTS)


def hex_hashes(hashes: bytes) -> list[str]:
    """Hashes of 32 bytes, one after the other, in hex."""
    text = hashes.hex()
    return [text[first : first + 2 * HASH_BYTES] for first in range(0, len(text), 2 * HASH_BYTES)]


def pair_keys(first: Whole, second: Whole) -> npt.NDArray[np.complex128]:
    """A number for each pair by which pairs sort, as legs do by match and number: of complex numbers the real parts
    come first. All are below MOST_MATCH, so that floats have them."""
    keys = np.empty(len(first), np.complex128)
    keys.real, keys.imag = first, second
    return keys


@dataclass(frozen=True, eq=False)
class Legs(Sequence[LegResult]):
    """Results of legs as columns; a LegResult is made when it is asked for. Slices are views.

    `players` has for each leg the places of its entrants in `names`, by seat, `house` that of its house player, −1 for
    none, `more` the place of its fields that few have in
    `rests`. `whole` has a column each for match, number, sessions and games. `sums`, by leg and seat, has the fields of
    LegSums, `used` those of Used. Numbers of a column lie side by side in memory.
    """

    digest: npt.NDArray[np.bytes_]
    names: tuple[str, ...]
    players: npt.NDArray[np.int32]
    house: npt.NDArray[np.int32]
    whole: Whole
    sums: Floats
    rests: tuple[Rest, ...]
    more: npt.NDArray[np.int32]
    seconds: npt.NDArray[np.float32]
    used: npt.NDArray[np.float32]
    _slice_of: tuple[Legs, int] | None = field(default=None, init=False, repr=False)  # these, and from which on

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_slice_of": None}  # who is sent a slice gets no more

    @classmethod
    def of(cls, legs: Sequence[LegResult]) -> Legs:
        """Results as columns."""
        if isinstance(legs, Legs):
            return legs
        names: dict[str, int] = {}
        rests = {NO_REST: 0}
        for leg in legs:
            for name in (*leg.seats, leg.house) if leg.house else leg.seats:
                names.setdefault(name, len(names))
        seats = len(legs[0].seats) if legs else 2
        more = [rests.setdefault(Rest.of(leg), len(rests)) for leg in legs]
        sums = [leg.sums for leg in legs]
        whole = [[leg.match, leg.number, leg.sessions, leg.games] for leg in legs]
        return cls(
            digest_column(leg.digest for leg in legs),
            tuple(names),
            np.asfortranarray(
                np.array([[names[name] for name in leg.seats] for leg in legs], np.int32).reshape(-1, seats)
            ),
            np.array([names[leg.house] if leg.house else -1 for leg in legs], np.int32),
            np.asfortranarray(np.array(whole, np.int64).reshape(-1, len(_WHOLE))),
            np.asfortranarray(np.array(sums, np.float64).reshape(len(legs), seats, _WIDTH)),
            tuple(rests),
            np.array(more, np.int32),
            np.array([leg.seconds for leg in legs], np.float32),
            np.asfortranarray(
                np.array([leg.used or (Used(),) * seats for leg in legs], np.float32).reshape(len(legs), seats, -1)
                if legs
                else np.empty((0, seats, len(Used._fields)), np.float32)
            ),
        )

    @classmethod
    def joined(cls, several: Iterable[Legs]) -> Legs:
        """Legs one after the other; no copy of neighbouring slices of the same legs."""
        several = [legs for legs in several if len(legs)]
        if len(several) <= 1:
            return several[0] if several else cls.of(())
        source, first = several[0]._slice_of or (several[0], 0)
        ends = itertools.accumulate(map(len, several), initial=first)
        if all(
            legs._slice_of and legs._slice_of[0] is source and legs._slice_of[1] == end
            for legs, end in zip(several, ends)
        ):
            return source[first : first + sum(map(len, several))]
        width = several[0].players.shape[1]
        both = [np.concatenate([legs.players, legs.house[:, np.newaxis]], axis=1) for legs in several]
        names, players = merged([(legs.names, one) for legs, one in zip(several, both)])
        return cls(
            np.concatenate([legs.digest for legs in several]),
            names,
            players[:, :width],
            np.where(np.concatenate([legs.house for legs in several]) < 0, -1, players[:, width]).astype(np.int32),
            np.concatenate([legs.whole.T for legs in several], axis=1).T,
            np.concatenate([legs.sums.T for legs in several], axis=2).T,
            *merged([(legs.rests, legs.more) for legs in several]),
            np.concatenate([legs.seconds for legs in several]),
            np.concatenate([legs.used.T for legs in several], axis=2).T,
        )

    @property
    def match(self) -> Whole:
        return self.whole[:, 0]

    @property
    def number(self) -> Whole:
        return self.whole[:, 1]

    @property
    def sessions(self) -> Whole:
        return self.whole[:, 2]

    @property
    def games(self) -> Whole:
        return self.whole[:, 3]

    @property
    def seats(self) -> int:
        """How many seats a leg has."""
        return int(self.players.shape[1])

    @cached_property
    def seated(self) -> list[tuple[str, ...]]:
        """The names of the entrants in each, by seat."""
        return [tuple(self.names[place] for place in leg) for leg in self.players.tolist()]

    @cached_property
    def houses(self) -> list[str]:
        """The name of the house player in each, "" for none."""
        return [self.names[place] if place >= 0 else "" for place in self.house.tolist()]

    @cached_property
    def digests(self) -> list[str]:
        """The digest of each in hex."""
        return hex_hashes(self.digest.tobytes())

    @cached_property
    def rest(self) -> list[Rest]:
        """The fields of each that few have."""
        return [self.rests[place] for place in self.more.tolist()]

    @cached_property
    def tries(self) -> npt.NDArray[np.int32]:
        """How often each began."""
        return np.array([rest.tries for rest in self.rests], np.int32)[self.more]

    @cached_property
    def faulty(self) -> npt.NDArray[np.bool_]:
        """Whether there were faults in each."""
        return np.array([bool(rest.faults or any(rest.faults_left_out)) for rest in self.rests], bool)[self.more]

    @cached_property
    def ended(self) -> npt.NDArray[np.bool_]:
        """Whether each was ended by a seat's faults."""
        out: npt.NDArray[np.bool_] = np.array([bool(rest.out) for rest in self.rests], bool)[self.more]
        return out if self.players.shape[1] <= SEATS_THAT_END_A_LEG else np.zeros_like(out)

    def of_seat(self, seat: int) -> SeatColumns:
        """What a seat has won."""
        return SeatColumns(*self.sums[:, seat].T)

    def without_luck(self) -> Legs:
        """The same legs, with what luck was worth subtracted from their points."""
        if not self.sums[:, :, 2].any():
            return self
        sums = self.sums.copy(order="F")
        sums[:, :, 0] -= sums[:, :, 2]
        sums[:, :, 2], sums[:, :, 3] = 0.0, sums[:, :, 4]
        if self.seats > 1:
            sums[:, :, 5] = 0.0 - sums[:, :, 4]  # games with a correction are zero-sum
        return replace(self, sums=sums)

    def numbered(self, seat: int, numbers: Mapping[str, int]) -> Whole:
        """The number of who sits at `seat` in each, −1 for who has none."""
        return self._numbers(numbers)[self.players[:, seat]]

    def others_numbered(self, seat: int, numbers: Mapping[str, int]) -> Whole:
        """The number of the opponent of a seat of two in each, or of the house player."""
        return self.house_numbered(numbers) if self.seats == 1 else self.numbered(1 - seat, numbers)

    def house_numbered(self, numbers: Mapping[str, int]) -> Whole:
        """The number of the house player in each, −1 for none."""
        return self._numbers(numbers)[self.house]

    def _numbers(self, numbers: Mapping[str, int]) -> Whole:
        return np.array([*(numbers.get(name, -1) for name in self.names), -1], np.int64)

    def with_names(self, names: tuple[str, ...]) -> Legs:
        """The same legs with these names, among which theirs are. Raises ValueError if one is missing."""
        numbers = {name: place for place, name in enumerate(names)}
        new = np.array([*(numbers.get(name, -1) for name in self.names), -1], np.int32)
        players, house = new[self.players], new[self.house]
        if (players < 0).any() or (house < 0)[self.house >= 0].any():
            raise ValueError("legs of other players")
        return replace(self, names=names, players=players, house=house)

    def are_in_order(self) -> bool:
        """Whether they come by match and number, none of them twice."""
        return bool((np.diff(pair_keys(self.match, self.number)) > 0).all())

    def in_order(self) -> Legs:
        """The same legs by match and number."""
        if self.are_in_order():
            return self
        return self.chosen(np.argsort(pair_keys(self.match, self.number), kind="stable"))  # fast: a few sorted runs

    def chosen(self, places: Sequence[int] | npt.NDArray[np.intp]) -> Legs:
        """The legs at these places, in this order."""
        at = np.asarray(places, np.intp)
        return replace(
            self,
            digest=self.digest[at],
            players=self.players.T[:, at].T,
            house=self.house[at],
            whole=self.whole.T[:, at].T,
            sums=np.take(self.sums.T, at, axis=2).T,
            more=self.more[at],
            seconds=self.seconds[at],
            used=np.take(self.used.T, at, axis=2).T,
        )

    def matches(self) -> Whole:
        """For each match its first leg, and the first one after it, among legs in order: shape (matches, 2)."""
        if not len(self):
            return np.empty((0, 2), np.int64)
        edges = np.concatenate([[0], np.flatnonzero(np.diff(self.match)) + 1, [len(self)]])
        return np.stack([edges[:-1], edges[1:]], axis=1)

    def among(self, entrants: Container[str], house: Container[str] | None = None) -> Legs:
        """The legs whose entrants have these names, and those whose house player does, if any are given."""
        kept = np.array([name in entrants for name in self.names], bool)[self.players].all(axis=1)
        if house is not None:
            kept &= np.array([*(name in house for name in self.names), False], bool)[self.house]
        return self if kept.all() else self.chosen(np.flatnonzero(kept))

    def __len__(self) -> int:
        return len(self.digest)

    @overload
    def __getitem__(self, place: int) -> LegResult: ...
    @overload
    def __getitem__(self, place: slice) -> Legs: ...
    def __getitem__(self, place: int | slice) -> LegResult | Legs:
        if isinstance(place, slice):
            found = replace(
                self,
                digest=self.digest[place],
                players=self.players[place],
                house=self.house[place],
                whole=self.whole[place],
                sums=self.sums[place],
                more=self.more[place],
                seconds=self.seconds[place],
                used=self.used[place],
            )
            first, _, step = place.indices(len(self))
            if step == 1:
                source, before = self._slice_of or (self, 0)
                object.__setattr__(found, "_slice_of", (source, before + first))
            return found
        rest = self.rests[self.more[place]]
        match, number, sessions, games = self.whole[place].tolist()
        sums = tuple(LegSums(*own) for own in self.sums[place].tolist())
        seats, house = tuple(self.names[one] for one in self.players[place].tolist()), int(self.house[place])
        digest = self.digest[place : place + 1 or None].tobytes().hex()
        return LegResult(
            digest, match, number, seats, sessions, games, sums, rest.faults, rest.out, rest.faults_left_out,
            self.names[house] if house >= 0 else "", seconds=float(self.seconds[place]), tries=rest.tries,
            used=tuple(Used(*own) for own in self.used[place].tolist()),
        )  # fmt: skip

    def __iter__(self) -> Iterator[LegResult]:
        return (self[place] for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Legs):
            return NotImplemented
        if len(self) != len(other) or self.rest != other.rest:
            return False
        if self.seated != other.seated or self.houses != other.houses:
            return False
        columns = [(self.digest, other.digest), (self.whole, other.whole), (self.sums, other.sums)]
        return all(one.tobytes() == another.tobytes() for one, another in columns)

    __hash__ = None  # type: ignore[assignment]
