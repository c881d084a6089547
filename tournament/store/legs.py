"""Results of legs: one as a worker hands it over, and many as columns, as the ledger is read.

A field of a thousand bots has half a million legs. As objects they take gigabytes and half a minute;
as columns a tenth of either. The ledger may be a stranger's: types, names and numbers are checked, by column.

Only here legs of zero-sum games are kept by x's sums: y's are the same with the other sign (`opposite`).
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, StringConstraints, TypeAdapter
from pydantic import Field as Limits
from pydantic_core import to_json

from engine.kernel.game_core import BLOCK_COUNT, SEAT_COUNT
from engine.kernel.sums import SeatSums
from tournament.errors import shortened
from tournament.names import valid_name

CHECKED = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
_MOST_FAULTS = 20  # of a leg, kept one by one
_MOST_WHAT, _MOST_ASKED, _MOST_COMPLAINTS = 500, 1000, 2000  # characters of a fault's texts
_MOST_NUMBER, _MOST_COUNT = (1 << 31) - 1, 10**15
_MOST_AMOUNT, _MOST_SQUARE = 1e15, 1e30
_NO_FAULTS = (0,) * SEAT_COUNT

Floats = npt.NDArray[np.float64]

Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.]{1,64}$")]
Text = Annotated[str, StringConstraints(max_length=100_000)]
_Seat = Annotated[int, Limits(ge=0, lt=SEAT_COUNT)]
Number = Annotated[int, Limits(ge=0, le=_MOST_NUMBER)]
Count = Annotated[int, Limits(ge=0, le=_MOST_COUNT)]

# Numbers except those of lines, which tell sorts apart.
_NUMBER = re.compile(r"(?<!line )\b[0-9]+(?:[.,][0-9]+)*(?:e[+-]?[0-9]+)?")


@dataclass(frozen=True)
class Fault:
    """One fault of the bot at `seat` (0 is x, 1 is y), where it happened and what it was. `asked`: the question by its
    name, with all that it told. `complaints`: the last lines that its process wrote to standard error."""

    __pydantic_config__ = CHECKED

    seat: _Seat
    session: Number
    game: Number
    question: Word
    what: Text
    asked: Text = ""
    complaints: Text = ""

    @property
    def sort(self) -> tuple[str, str]:
        """What alike faults have in common: the question, and the fault without its numbers."""
        return self.question, _NUMBER.sub("0", self.what)

    def bounded(self) -> Fault:
        """The fault with its texts cut to what the ledger keeps of them."""
        return replace(
            self,
            what=shortened(self.what, _MOST_WHAT),
            asked=shortened(self.asked, _MOST_ASKED),
            complaints=shortened(self.complaints, _MOST_COMPLAINTS),
        )


@dataclass(frozen=True)
class Rest:
    """Fields that few legs have: see LegResult."""

    __pydantic_config__ = CHECKED

    faults: Annotated[tuple[Fault, ...], Limits(max_length=2000)] = ()
    ended_by: _Seat | None = None
    counts: Annotated[tuple[Count, ...], Limits(max_length=64)] = ()
    faults_left_out: Annotated[tuple[Number, ...], Limits(min_length=SEAT_COUNT, max_length=SEAT_COUNT)] = _NO_FAULTS

    def __post_init__(self) -> None:
        if self.ended_by is not None and all(fault.seat != self.ended_by for fault in self.faults):
            raise ValueError("ended by no fault")


@dataclass(frozen=True)
class LegResult:
    """A played leg: who, and what each seat has won.

    `ended_by` is the seat whose faults ended the leg, or None; `counts` are the contest's own.
    `faults` are the first ones, and the one that ended the leg; `faults_left_out` counts the others by seat.
    """

    digest: str
    match: int
    number: int
    x: str
    y: str
    sessions: int
    games: int
    sums: tuple[SeatSums, ...]
    faults: tuple[Fault, ...] = ()
    ended_by: int | None = None
    counts: tuple[int, ...] = ()
    faults_left_out: tuple[int, ...] = _NO_FAULTS

    def fault_count(self, seat: int) -> int:
        """How many faults a seat had, including those left out."""
        return sum(fault.seat == seat for fault in self.faults) + self.faults_left_out[seat]


def kept_faults(faults: Sequence[Fault], ended: bool) -> tuple[tuple[Fault, ...], tuple[int, ...]]:
    """What the ledger keeps of a leg's faults, and how many of each seat it leaves out.

    Kept are the first ones, and the last one if it `ended` the leg.
    """
    if not faults:  # as of nearly all legs, of which a large field has half a million
        return (), _NO_FAULTS
    kept = [*faults[:_MOST_FAULTS], *(faults[_MOST_FAULTS:][-1:] if ended else ())]
    left_out = Counter(fault.seat for fault in faults) - Counter(fault.seat for fault in kept)
    return tuple(fault.bounded() for fault in kept), tuple(left_out[seat] for seat in range(SEAT_COUNT))


_WHOLE = ("match", "number", "sessions", "games")
_COLUMNS = ("digest", "x", "y", *_WHOLE, "points", "squared_points", "blocks")
_OTHERS = "y_sums"  # of the seats after x, one after the other
_WIDTH = 2 + BLOCK_COUNT  # numbers of a seat: points, their squares and the blocks
_NO_REST = Rest()
_SHA256 = re.compile("[0-9a-f]{64}")


class SeatColumns(NamedTuple):
    """The SeatSums of one seat in many legs: arrays of shape (legs,), (legs,) and (legs, BLOCK_COUNT)."""

    points: Floats
    squared_points: Floats
    blocks: Floats


def opposite(sums: Floats) -> Floats:
    """y's sums in zero-sum games from x's: a row a leg of points, their squares and the blocks."""
    others = 0.0 - sums
    others[:, 1] = sums[:, 1]
    return others


def _of_all_seats(sums: Floats) -> Floats:
    """The sums by leg and seat, from those that are kept."""
    return np.stack([sums[:, 0], opposite(sums[:, 0])], axis=1) if sums.shape[1] < SEAT_COUNT else sums


def _sums_kept(sums: Floats) -> Floats:
    """Those of the sums by leg and seat that are kept: x's alone where y's are the opposite."""
    if sums.shape[1] == 2 and sums[:, 1].tobytes() == opposite(sums[:, 0]).tobytes():
        return sums[:, :1].copy()
    return sums


@dataclass(frozen=True, eq=False)
class Legs(Sequence[LegResult]):
    """Results of legs as columns; a LegResult is made when it is asked for. Slices of numbers are views.

    `whole` has a column each for match, number, sessions and games. `sums`, by leg and seat, has points, their squares
    and the blocks, of seat x alone where games are zero-sum: `of_seat` gives those of either.
    """

    digests: list[str]
    x: list[str]
    y: list[str]
    whole: npt.NDArray[np.int64]
    sums: Floats
    rest: list[Rest]

    @classmethod
    def of(cls, legs: Sequence[LegResult]) -> Legs:
        """Results as columns."""
        if isinstance(legs, Legs):
            return legs
        return cls(
            [leg.digest for leg in legs],
            [leg.x for leg in legs],
            [leg.y for leg in legs],
            np.array([[leg.match, leg.number, leg.sessions, leg.games] for leg in legs], np.int64).reshape(-1, 4),
            _sums_kept(
                np.array(
                    [[(one.points, one.squared_points, *one.blocks) for one in leg.sums] for leg in legs], np.float64
                ).reshape(-1, SEAT_COUNT, _WIDTH)
            ),
            [Rest(leg.faults, leg.ended_by, leg.counts, leg.faults_left_out) for leg in legs],
        )

    @classmethod
    def joined(cls, several: Iterable[Legs]) -> Legs:
        """Legs one after the other."""
        several = [legs for legs in several if len(legs)]
        if len(several) <= 1:
            return several[0] if several else cls.of(())
        seats = max(legs.sums.shape[1] for legs in several)
        return cls(
            list(itertools.chain.from_iterable(legs.digests for legs in several)),
            list(itertools.chain.from_iterable(legs.x for legs in several)),
            list(itertools.chain.from_iterable(legs.y for legs in several)),
            np.concatenate([legs.whole for legs in several]),
            np.concatenate([_of_all_seats(legs.sums) if seats > 1 else legs.sums for legs in several]),
            list(itertools.chain.from_iterable(legs.rest for legs in several)),
        )

    @property
    def match(self) -> npt.NDArray[np.int64]:
        return self.whole[:, 0]

    @property
    def number(self) -> npt.NDArray[np.int64]:
        return self.whole[:, 1]

    @property
    def sessions(self) -> npt.NDArray[np.int64]:
        return self.whole[:, 2]

    @property
    def games(self) -> npt.NDArray[np.int64]:
        return self.whole[:, 3]

    @property
    def ended_by(self) -> list[int | None]:
        """The seat whose faults ended each, or None."""
        return [rest.ended_by for rest in self.rest]

    def of_seat(self, seat: int) -> SeatColumns:
        """What a seat has won."""
        sums = self.sums[:, seat] if seat < self.sums.shape[1] else opposite(self.sums[:, 0])
        return SeatColumns(sums[:, 0], sums[:, 1], sums[:, 2:])

    def are_in_order(self) -> bool:
        """Whether they come by match and number, none of them twice."""
        (match, number) = self.match, self.number
        later = (match[1:] > match[:-1]) | ((match[1:] == match[:-1]) & (number[1:] > number[:-1]))
        return bool(later.all())

    def in_order(self) -> Legs:
        """The same legs by match and number."""
        if self.are_in_order():
            return self
        return self.chosen(np.lexsort((self.number, self.match)).tolist())

    def chosen(self, places: list[int]) -> Legs:
        """The legs at these places, in this order."""
        return Legs(
            [self.digests[place] for place in places],
            [self.x[place] for place in places],
            [self.y[place] for place in places],
            self.whole[places],
            self.sums[places],
            [self.rest[place] for place in places],
        )

    def matches(self) -> list[tuple[int, int]]:
        """For each match its first leg, and the first one after it, among legs in order."""
        edges = [0, *(np.flatnonzero(np.diff(self.match)) + 1).tolist(), len(self)] if len(self) else []
        return list(itertools.pairwise(edges))

    def among(self, names: Container[str]) -> Legs:
        """The legs whose bots all have these names."""
        places = [place for place, (x, y) in enumerate(zip(self.x, self.y)) if x in names and y in names]
        return self if len(places) == len(self) else self.chosen(places)

    def __len__(self) -> int:
        return len(self.digests)

    @overload
    def __getitem__(self, place: int) -> LegResult: ...
    @overload
    def __getitem__(self, place: slice) -> Legs: ...
    def __getitem__(self, place: int | slice) -> LegResult | Legs:
        if isinstance(place, slice):
            return Legs(
                self.digests[place], self.x[place], self.y[place], self.whole[place], self.sums[place], self.rest[place]
            )
        rest = self.rest[place]
        match, number, sessions, games = self.whole[place].tolist()
        seats = [
            SeatSums(points, squared_points, tuple(blocks))
            for points, squared_points, *blocks in self.sums[place].tolist()
        ]
        if len(seats) < SEAT_COUNT:
            seats.append(seats[0].opposite())
        return LegResult(
            self.digests[place], match, number, self.x[place], self.y[place], sessions, games, tuple(seats),
            rest.faults, rest.ended_by, rest.counts, rest.faults_left_out,
        )  # fmt: skip

    def __iter__(self) -> Iterator[LegResult]:
        return (self[place] for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(LegResult.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]


def legs_of_json(rows: Any) -> Legs:
    """The legs of a ledger's entry from their JSON. Raises ValueError for impossible values."""
    if type(rows) is not list or set(map(type, rows)) - {dict}:
        raise ValueError("no legs")
    try:
        columns = {name: [row[name] for row in rows] for name in _COLUMNS}
    except KeyError as missing:
        raise ValueError(f"a leg without {missing}") from None
    for name in ("digest", "x", "y"):
        if set(map(type, columns[name])) - {str}:
            raise ValueError(f"{name} is no text")
    if not all(map(_SHA256.fullmatch, columns["digest"])):
        raise ValueError("no digest")
    names = {name: name for name in itertools.chain(columns["x"], columns["y"])}  # each kept once
    _check_names(names)
    blocks = columns["blocks"]
    if set(map(type, blocks)) - {list} or set(map(len, blocks)) - {BLOCK_COUNT}:
        raise ValueError(f"not {BLOCK_COUNT} blocks")
    of_others = [row[_OTHERS] for row in rows if row.get(_OTHERS, ()) not in ((), [])]
    if of_others and (len(of_others) != len(rows) or set(map(type, of_others)) - {list}):
        raise ValueError("not the sums of y for each leg")
    seats = SEAT_COUNT if of_others else 1
    sums = np.empty((len(rows), seats, _WIDTH))
    sums[:, 0, 0] = _amounts(columns["points"])
    sums[:, 0, 1] = _amounts(columns["squared_points"])
    sums[:, 0, 2:] = _amounts(list(itertools.chain.from_iterable(blocks))).reshape(-1, BLOCK_COUNT)
    if set(map(len, of_others)) - {(seats - 1) * _WIDTH}:
        raise ValueError(f"not {_WIDTH} sums of y for each leg")
    sums[:, 1:] = _amounts(list(itertools.chain.from_iterable(of_others))).reshape(len(rows), seats - 1, _WIDTH)
    plain = len(_COLUMNS) + (seats > 1)
    whole = np.empty((len(rows), len(_WHOLE)), np.int64)
    for place, name in enumerate(_WHOLE):
        whole[:, place] = _whole_numbers(columns[name], _MOST_COUNT if name == "games" else _MOST_NUMBER)
    return Legs(
        columns["digest"],
        [names[name] for name in columns["x"]],
        [names[name] for name in columns["y"]],
        whole,
        _checked_sums(sums),
        [_NO_REST if len(row) == plain else _rest_of_json(row) for row in rows],
    )


def json_of_legs(legs: Sequence[LegResult]) -> list[dict[str, Any]]:
    """What `legs_of_json` reads."""
    columns = Legs.of(legs)
    rows = []
    for place, (whole, sums) in enumerate(zip(columns.whole.tolist(), columns.sums.tolist())):
        points, squared_points, *blocks = sums[0]
        who = (columns.digests[place], columns.x[place], columns.y[place])
        row = dict(zip(_COLUMNS, (*who, *whole, points, squared_points, blocks)))
        row |= _rests().dump_python(columns.rest[place], exclude_defaults=True)
        if sums[1:]:
            row[_OTHERS] = list(itertools.chain.from_iterable(sums[1:]))
        rows.append(row)
    return rows


def _checked_sums(sums: Floats) -> Floats:
    """Sums within their bounds, by leg and seat. Raises ValueError."""
    _within(sums[..., 0], -_MOST_AMOUNT, _MOST_AMOUNT)
    _within(sums[..., 1], 0.0, _MOST_SQUARE)
    _within(sums[..., 2:], -_MOST_AMOUNT, _MOST_AMOUNT)
    return sums


def _amounts(values: list[Any]) -> Floats:
    if set(map(type, values)) - {float, int}:
        raise ValueError("not a number")
    try:
        return np.array(values, np.float64)
    except OverflowError:
        raise ValueError("too large") from None


def _within(amounts: npt.NDArray[Any], least: float, most: float) -> npt.NDArray[Any]:
    if not ((amounts >= least) & (amounts <= most)).all():
        raise ValueError("out of bounds")
    return amounts


def _check_names(names: Iterable[str]) -> None:
    if not all(map(valid_name, names)):
        raise ValueError("no bot's name")


def _whole_numbers(values: list[Any], most: int) -> npt.NDArray[np.int64]:
    if set(map(type, values)) - {int}:
        raise ValueError("not a whole number")
    if values and not 0 <= min(values) <= max(values) <= most:
        raise ValueError("out of bounds")
    return np.array(values, np.int64)


@cache
def _rests() -> TypeAdapter[Rest]:
    return TypeAdapter(Rest)


def _rest_of_json(row: dict[str, Any]) -> Rest:
    more = {key: value for key, value in row.items() if key not in _COLUMNS and key != _OTHERS}
    return _rests().validate_json(to_json(more, inf_nan_mode="constants"))


@dataclass(frozen=True)
class _Packed:
    """What packed legs have besides columns: their number, the names that indices stand for, the rest by place.
    `y_sums`: whether there are sums of the seats after x."""

    __pydantic_config__ = CHECKED

    legs: Number
    names: tuple[str, ...]
    rest: tuple[tuple[Number, Rest], ...]
    y_sums: bool = False


_DIGEST = 32  # bytes


@cache
def _packed() -> TypeAdapter[_Packed]:
    return TypeAdapter(_Packed)


def pack_legs(legs: Legs) -> bytes:
    """Legs as bytes that are read quickly: a line of JSON, then the columns of numbers one after the other."""
    index = {name: place for place, name in enumerate(dict.fromkeys(itertools.chain(legs.x, legs.y)))}
    rest = tuple((place, more) for place, more in enumerate(legs.rest) if more != _NO_REST)
    players = np.array([[index[name] for name in names] for names in (legs.x, legs.y)], "<i4")
    of_x, others = np.split(legs.sums.astype("<f8", copy=False), [1], axis=1)
    columns = (of_x, legs.whole.astype("<i8", copy=False), players)
    return b"".join(
        (
            _packed().dump_json(_Packed(len(legs), tuple(index), rest, others.size > 0), exclude_defaults=True),
            b"\n",
            *(np.ascontiguousarray(column).data for column in columns),  # a large field's have 150 MB: no copies
            bytes.fromhex("".join(legs.digests)),
            others.tobytes(),
        )
    )


def unpack_legs(content: bytes) -> Legs:
    """The legs from bytes that `pack_legs` made. Raises ValueError for impossible values."""
    start = content.find(b"\n") + 1
    packed = _packed().validate_json(content[:start])
    _check_names(packed.names)
    count, others = packed.legs, (SEAT_COUNT - 1) * packed.y_sums
    columns: list[npt.NDArray[Any]] = []
    for kind, *shape in (
        ("<f8", count, 1, _WIDTH),
        ("<i8", count, len(_WHOLE)),
        ("<i4", 2, count),
        ("u1", count, _DIGEST),
        ("<f8", count, others, _WIDTH),
    ):
        columns.append(np.frombuffer(content, kind, math.prod(shape), start).reshape(shape))
        start += columns[-1].nbytes
    if start != len(content):
        raise ValueError("too long")
    of_x, whole, players, digests, of_others = columns
    sums = _checked_sums(np.concatenate([of_x, of_others], axis=1) if others else of_x)
    _within(whole[:, :3], 0, _MOST_NUMBER)
    _within(whole[:, 3], 0, _MOST_COUNT)
    _within(players, 0, len(packed.names) - 1)
    rest = [_NO_REST] * count
    for place, more in packed.rest:
        if place >= count:
            raise ValueError("more of no leg")
        rest[place] = more
    text = digests.tobytes().hex()
    x, y = ([packed.names[place] for place in column] for column in players.tolist())
    return Legs(
        [text[first : first + 2 * _DIGEST] for first in range(0, len(text), 2 * _DIGEST)], x, y, whole, sums, rest
    )
