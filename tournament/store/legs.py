"""Results of many legs as columns.

A field of a thousand bots has half a million legs. As objects they need gigabytes and 30 seconds, as columns 10% of
that.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats, Ints
from tournament.store.leg_result import NO_RARE_FIELDS, SEATS_THAT_END_A_LEG, LegResult, RareFields, Used
from tournament.store.leg_sums import LegSums

_COUNTS = ("match", "number", "sessions", "games")
# Number of sums of a seat.
_WIDTH = len(LegSums._fields)
HASH_BYTES = 32
# Type of a column of digests.
DIGESTS = f"S{HASH_BYTES}"


class SeatColumns(NamedTuple):
    """The fields of LegSums of one seat, each as a column over many legs."""

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
    """Concatenate columns of indices, and merge the lists of values that they index.

    Args:
        columns: Pairs of values and an array of indices into them, at least one.

    Returns:
        The distinct values in the order in which they first occur, and one array of indices into them. If all columns
        share one tuple of values, it is that tuple.
    """
    first = columns[0][0]
    if all(values is first for values, _ in columns):
        return first, np.concatenate([places for _, places in columns])
    # A large field has a million names, most of them repeated. Slices of the same legs share one tuple, so each tuple
    # is handled once.
    lists = {id(values): values for values, _ in columns}
    index = dict(zip(dict.fromkeys(itertools.chain.from_iterable(lists.values())), itertools.count()))
    new = {key: np.fromiter(map(index.__getitem__, one), np.int32, len(one)) for key, one in lists.items()}
    return tuple(index), np.concatenate([new[id(values)][places] for values, places in columns])


def digest_column(digests: Iterable[str]) -> npt.NDArray[np.bytes_]:
    """Return hexadecimal digests of 32 bytes as a column of bytes, which is read-only.

    Raises:
        ValueError: A digest isn't hexadecimal, or has another length.
    """
    return np.frombuffer(bytes.fromhex("".join(digests)), DIGESTS)


def hex_hashes(hashes: bytes) -> list[str]:
    """Return concatenated hashes of 32 bytes as hexadecimal texts."""
    text = hashes.hex()
    return [text[first : first + 2 * HASH_BYTES] for first in range(0, len(text), 2 * HASH_BYTES)]


def pair_keys(first: Ints, second: Ints) -> npt.NDArray[np.complex128]:
    """Return a number for each pair of integers, such as match and leg, that sorts as the pairs do.

    Complex numbers sort by their real parts first. All integers are below MATCH_BOUND, so floats represent them
    exactly.
    """
    keys = np.empty(len(first), np.complex128)
    keys.real, keys.imag = first, second
    return keys


@dataclass(frozen=True, eq=False)
class Legs(Sequence[LegResult]):
    """Results of legs as columns. Slices are views, and a LegResult is made for each leg that is accessed.

    Each column of a table is contiguous in memory. Callers must not change the arrays, which other legs can share, or
    the lists of its properties, which are made once.

    Attributes:
        digest: Digest of each leg, 32 bytes.
        names: Distinct names of bots and house players, in any order. Some can have no leg.
        players: Index into `names`, by leg and seat.
        house: Index into `names` of the house player; −1 if there is none.
        counts: Integers of each leg, by leg and column: match, number, sessions and games.
        sums: Fields of LegSums, by leg, seat and field.
        rare_fields: Distinct rare fields.
        rare_index: Index into `rare_fields` for each leg.
        seconds: Time in seconds that a worker took for each leg.
        used: Fields of Used, by leg, seat and field; 0 if unknown.
    """

    digest: npt.NDArray[np.bytes_]
    names: tuple[str, ...]
    players: npt.NDArray[np.int32]
    house: npt.NDArray[np.int32]
    counts: Ints
    sums: Floats
    rare_fields: tuple[RareFields, ...]
    rare_index: npt.NDArray[np.int32]
    seconds: npt.NDArray[np.float32]
    used: npt.NDArray[np.float32]
    # For a slice: the legs that it is taken from, and the index of its first leg there.
    _slice_of: tuple[Legs, int] | None = field(default=None, init=False, repr=False)

    def __getstate__(self) -> dict[str, object]:
        # Pickle only the slice, not the legs that it is taken from.
        return {**self.__dict__, "_slice_of": None}

    @classmethod
    def from_results(cls, legs: Sequence[LegResult]) -> Legs:
        """Return results as columns, in the same order. Legs that are columns already are returned unchanged.

        Args:
            legs: The results, all with the same number of seats. Without results the columns have two seats.

        Raises:
            ValueError: A digest isn't hexadecimal or has another length, or the numbers of seats differ.
        """
        if isinstance(legs, Legs):
            return legs
        names: dict[str, int] = {}
        rare_fields = {NO_RARE_FIELDS: 0}
        for leg in legs:
            for name in (*leg.seats, leg.house) if leg.house else leg.seats:
                names.setdefault(name, len(names))
        seats = len(legs[0].seats) if legs else 2
        rare_index = [rare_fields.setdefault(RareFields.from_leg(leg), len(rare_fields)) for leg in legs]
        sums = [leg.sums for leg in legs]
        counts = [[leg.match, leg.number, leg.sessions, leg.games] for leg in legs]
        return cls(
            digest_column(leg.digest for leg in legs),
            tuple(names),
            np.asfortranarray(
                np.array([[names[name] for name in leg.seats] for leg in legs], np.int32).reshape(-1, seats)
            ),
            np.array([names[leg.house] if leg.house else -1 for leg in legs], np.int32),
            np.asfortranarray(np.array(counts, np.int64).reshape(-1, len(_COUNTS))),
            np.asfortranarray(np.array(sums, np.float64).reshape(len(legs), seats, _WIDTH)),
            tuple(rare_fields),
            np.array(rare_index, np.int32),
            np.array([leg.seconds for leg in legs], np.float32),
            np.asfortranarray(
                np.array([leg.used or (Used(),) * seats for leg in legs], np.float32).reshape(len(legs), seats, -1)
                if legs
                else np.empty((0, seats, len(Used._fields)), np.float32)
            ),
        )

    @classmethod
    def joined(cls, pieces: Iterable[Legs]) -> Legs:
        """Return legs one after the other. Neighbouring slices of the same legs aren't copied.

        Args:
            pieces: Legs in any order, all with the same number of seats. If none has legs, the result has two seats.
        """
        pieces = [legs for legs in pieces if len(legs)]
        if len(pieces) <= 1:
            return pieces[0] if pieces else cls.from_results(())
        source, first = pieces[0]._slice_of or (pieces[0], 0)
        ends = itertools.accumulate(map(len, pieces), initial=first)
        if all(
            legs._slice_of and legs._slice_of[0] is source and legs._slice_of[1] == end
            for legs, end in zip(pieces, ends)
        ):
            return source[first : first + sum(map(len, pieces))]
        width = pieces[0].players.shape[1]
        with_house = [np.concatenate([legs.players, legs.house[:, np.newaxis]], axis=1) for legs in pieces]
        names, players = merged([(legs.names, one) for legs, one in zip(pieces, with_house)])
        return cls(
            np.concatenate([legs.digest for legs in pieces]),
            names,
            players[:, :width],
            np.where(np.concatenate([legs.house for legs in pieces]) < 0, -1, players[:, width]).astype(np.int32),
            np.concatenate([legs.counts.T for legs in pieces], axis=1).T,
            np.concatenate([legs.sums.T for legs in pieces], axis=2).T,
            *merged([(legs.rare_fields, legs.rare_index) for legs in pieces]),
            np.concatenate([legs.seconds for legs in pieces]),
            np.concatenate([legs.used.T for legs in pieces], axis=2).T,
        )

    @property
    def match(self) -> Ints:
        """Number of the match of each leg."""
        return self.counts[:, 0]

    @property
    def number(self) -> Ints:
        """Number of each leg in its match."""
        return self.counts[:, 1]

    @property
    def sessions(self) -> Ints:
        """Number of sessions of each leg."""
        return self.counts[:, 2]

    @property
    def games(self) -> Ints:
        """Number of games of each leg."""
        return self.counts[:, 3]

    @property
    def seats(self) -> int:
        """Number of seats of a leg."""
        return int(self.players.shape[1])

    @cached_property
    def seated(self) -> list[tuple[str, ...]]:
        """Names of the entrants of each leg, by seat."""
        return [tuple(self.names[place] for place in leg) for leg in self.players.tolist()]

    @cached_property
    def houses(self) -> list[str]:
        """Name of the house player of each leg, or "" if there is none."""
        return [self.names[place] if place >= 0 else "" for place in self.house.tolist()]

    @cached_property
    def digests(self) -> list[str]:
        """Digest of each leg in hexadecimal."""
        return hex_hashes(self.digest.tobytes())

    @cached_property
    def rare_fields_by_leg(self) -> list[RareFields]:
        """Rare fields of each leg."""
        return [self.rare_fields[place] for place in self.rare_index.tolist()]

    @cached_property
    def tries(self) -> npt.NDArray[np.int32]:
        """Number of times that each leg was started, at least once."""
        return np.array([rest.tries for rest in self.rare_fields], np.int32)[self.rare_index]

    @cached_property
    def faulty(self) -> npt.NDArray[np.bool_]:
        """Flags that show which legs have faults."""
        return np.array([bool(rest.faults or any(rest.further_faults)) for rest in self.rare_fields], bool)[
            self.rare_index
        ]

    @cached_property
    def ended(self) -> npt.NDArray[np.bool_]:
        """Flags that show which legs a seat's faults ended. With more than two seats all are False."""
        flags: npt.NDArray[np.bool_] = np.array([bool(rest.disqualified_seats) for rest in self.rare_fields], bool)[
            self.rare_index
        ]
        return flags if self.players.shape[1] <= SEATS_THAT_END_A_LEG else np.zeros_like(flags)

    def seat_columns(self, seat: int) -> SeatColumns:
        """Return the sums of one seat as columns, which are views that callers must not change."""
        return SeatColumns(*self.sums[:, seat].T)

    def without_luck(self) -> Legs:
        """Return the same legs with luck subtracted from their points, and with the adjusted variances.

        The result is this object if no leg has points due to luck.
        """
        if not self.sums[:, :, 2].any():
            return self
        sums = self.sums.copy(order="F")
        sums[:, :, 0] -= sums[:, :, 2]
        sums[:, :, 2], sums[:, :, 3] = 0.0, sums[:, :, 4]
        if self.seats > 1:
            # Games with a correction are zero-sum.
            sums[:, :, 5] = 0.0 - sums[:, :, 4]
        return replace(self, sums=sums)

    def numbered(self, seat: int, numbers: Mapping[str, int]) -> Ints:
        """Return the number of the entrant at a seat for each leg, or −1 if the entrant has none.

        Args:
            seat: The seat.
            numbers: Numbers of entrants by name.
        """
        return self._numbers(numbers)[self.players[:, seat]]

    def opponents_numbered(self, seat: int, numbers: Mapping[str, int]) -> Ints:
        """Return the number of a seat's opponent for each leg: the other seat of two, or the house player.

        Args:
            seat: The seat, of one or two.
            numbers: Numbers of the opponents by name.

        Returns:
            The numbers; −1 for an opponent without a number.
        """
        return self.house_numbered(numbers) if self.seats == 1 else self.numbered(1 - seat, numbers)

    def house_numbered(self, numbers: Mapping[str, int]) -> Ints:
        """Return the number of the house player for each leg, or −1 if there is none or it has no number.

        Args:
            numbers: Numbers of house players by name.
        """
        return self._numbers(numbers)[self.house]

    def _numbers(self, numbers: Mapping[str, int]) -> Ints:
        """Return the number of each of `names`, or −1 if it has none, and a last −1 for a missing house player."""
        return np.array([*(numbers.get(name, -1) for name in self.names), -1], np.int64)

    def with_names(self, names: tuple[str, ...]) -> Legs:
        """Return the same legs with indices into other names.

        Args:
            names: Distinct names that include those of the bots and house players of these legs.

        Raises:
            ValueError: The name of a bot or house player is missing.
        """
        numbers = {name: place for place, name in enumerate(names)}
        new = np.array([*(numbers.get(name, -1) for name in self.names), -1], np.int32)
        players, house = new[self.players], new[self.house]
        if (players < 0).any() or (house < 0)[self.house >= 0].any():
            raise ValueError("legs of other players")
        return replace(self, names=names, players=players, house=house)

    def are_in_order(self) -> bool:
        """Return whether legs are sorted by match and number, without duplicates."""
        return bool((np.diff(pair_keys(self.match, self.number)) > 0).all())

    def in_order(self) -> Legs:
        """Return the same legs sorted by match and number. The result is this object if they are in order already."""
        if self.are_in_order():
            return self
        # A stable sort is fast, because legs are a few sorted runs.
        return self.take(np.argsort(pair_keys(self.match, self.number), kind="stable"))

    def take(self, selection: Sequence[int] | npt.NDArray[np.intp]) -> Legs:
        """Return the legs with these indices, in this order."""
        indices = np.asarray(selection, np.intp)
        return replace(
            self,
            digest=self.digest[indices],
            players=self.players.T[:, indices].T,
            house=self.house[indices],
            counts=self.counts.T[:, indices].T,
            sums=np.take(self.sums.T, indices, axis=2).T,
            rare_index=self.rare_index[indices],
            seconds=self.seconds[indices],
            used=np.take(self.used.T, indices, axis=2).T,
        )

    def matches(self) -> Ints:
        """Return where each match begins and ends, for legs in order.

        Returns:
            Index of the first leg of each match and of the first leg after it: shape (matches, 2).
        """
        if not len(self):
            return np.empty((0, 2), np.int64)
        edges = np.concatenate([[0], np.flatnonzero(np.diff(self.match)) + 1, [len(self)]])
        return np.stack([edges[:-1], edges[1:]], axis=1)

    def among(self, entrants: Container[str], house: Container[str] | None = None) -> Legs:
        """Return the legs of these entrants only, in the same order. The result is this object if all legs are.

        Args:
            entrants: Names, of which all entrants of a leg must have one.
            house: Names, of which the leg's house player must have one; None to select by entrants only.
        """
        selected = np.array([name in entrants for name in self.names], bool)[self.players].all(axis=1)
        if house is not None:
            selected &= np.array([*(name in house for name in self.names), False], bool)[self.house]
        return self if selected.all() else self.take(np.flatnonzero(selected))

    def __len__(self) -> int:
        return len(self.digest)

    @overload
    def __getitem__(self, index: int) -> LegResult: ...
    @overload
    def __getitem__(self, index: slice) -> Legs: ...
    def __getitem__(self, index: int | slice) -> LegResult | Legs:
        if isinstance(index, slice):
            view = replace(
                self,
                digest=self.digest[index],
                players=self.players[index],
                house=self.house[index],
                counts=self.counts[index],
                sums=self.sums[index],
                rare_index=self.rare_index[index],
                seconds=self.seconds[index],
                used=self.used[index],
            )
            first, _, step = index.indices(len(self))
            if step == 1:
                source, before = self._slice_of or (self, 0)
                object.__setattr__(view, "_slice_of", (source, before + first))
            return view
        rare = self.rare_fields[self.rare_index[index]]
        match, number, sessions, games = self.counts[index].tolist()
        sums = tuple(LegSums(*of_seat) for of_seat in self.sums[index].tolist())
        seats, house = tuple(self.names[name] for name in self.players[index].tolist()), int(self.house[index])
        digest = self.digest[index : index + 1 or None].tobytes().hex()
        return LegResult(
            digest, match, number, seats, sessions, games, sums,
            rare.faults, rare.disqualified_seats, rare.further_faults,
            self.names[house] if house >= 0 else "", seconds=float(self.seconds[index]), tries=rare.tries,
            used=tuple(Used(*of_seat) for of_seat in self.used[index].tolist()),
        )  # fmt: skip

    def __iter__(self) -> Iterator[LegResult]:
        return (self[index] for index in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Legs):
            return NotImplemented
        if len(self) != len(other) or self.rare_fields_by_leg != other.rare_fields_by_leg:
            return False
        if self.seated != other.seated or self.houses != other.houses:
            return False
        columns = [(self.digest, other.digest), (self.counts, other.counts), (self.sums, other.sums)]
        return all(one.tobytes() == another.tobytes() for one, another in columns)

    __hash__ = None  # type: ignore[assignment]
