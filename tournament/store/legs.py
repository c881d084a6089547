"""What was played of a leg: one result as a worker hands it over, and many as columns, as the ledger is read.

A field of a thousand bots has half a million legs. As objects they take gigabytes and half a minute;
as columns a tenth of either. What is read is a stranger's: types, names and numbers are checked, column by column.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, overload

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, StringConstraints, TypeAdapter
from pydantic import Field as Limits
from pydantic_core import to_json

from engine.kernel.game_core import BLOCK_COUNT
from tournament.errors import shortened
from tournament.names import valid_name

CHECKED = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
_MOST_FAULTS = 20  # of a leg, kept one by one
_MOST_WHAT, _MOST_ASKED, _MOST_COMPLAINTS = 500, 1000, 2000  # characters of a fault's texts
_MOST_NUMBER, _MOST_COUNT = (1 << 31) - 1, 10**15
_MOST_AMOUNT, _MOST_SQUARE = 1e15, 1e30

Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.]{1,64}$")]
Text = Annotated[str, StringConstraints(max_length=100_000)]
_Seat = Annotated[int, Limits(ge=0, le=1)]
Number = Annotated[int, Limits(ge=0, le=_MOST_NUMBER)]
Count = Annotated[int, Limits(ge=0, le=_MOST_COUNT)]

# Numbers but those of lines, which tell sorts apart.
_NUMBER = re.compile(r"(?<!line )\b[0-9]+(?:[.,][0-9]+)*(?:e[+-]?[0-9]+)?")


@dataclass(frozen=True)
class Fault:
    """One fault of the bot at `seat` (0 is x, 1 is y), where it happened and what it was.

    `asked`: the question by its name, with all that it told. `complaints`: the last lines that
    its process wrote to standard error.
    """

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
        """What faults have in common that are alike: the question, and what it was but for its numbers."""
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
    """What few legs have: see LegResult."""

    __pydantic_config__ = CHECKED

    faults: Annotated[tuple[Fault, ...], Limits(max_length=2000)] = ()
    ended_by: _Seat | None = None
    counts: Annotated[tuple[Count, ...], Limits(max_length=64)] = ()
    faults_left_out: tuple[Number, Number] = (0, 0)

    def __post_init__(self) -> None:
        if self.ended_by is not None and all(fault.seat != self.ended_by for fault in self.faults):
            raise ValueError("ended by no fault")


@dataclass(frozen=True)
class LegResult:
    """A played leg: who, and x's sums. `blocks` are x's points by block of sessions.

    `ended_by` is the seat whose faults ended the leg, or None; `counts` are the contest's own.
    `faults` are the first ones, and the one that ended the leg; `faults_left_out` counts the others of
    either seat. `y_sums` are y's points, their squares and the blocks, where they don't follow from x's:
    the game is not zero-sum.
    """

    digest: str
    match: int
    number: int
    x: str
    y: str
    sessions: int
    games: int
    points: float
    squared_points: float
    blocks: tuple[float, ...]
    faults: tuple[Fault, ...] = ()
    ended_by: int | None = None
    counts: tuple[int, ...] = ()
    faults_left_out: tuple[int, int] = (0, 0)
    y_sums: tuple[float, ...] = ()

    def fault_count(self, seat: int) -> int:
        """All faults of a seat, also those of which no more is known."""
        return sum(fault.seat == seat for fault in self.faults) + self.faults_left_out[seat]


def kept_faults(faults: Sequence[Fault], ended: bool) -> tuple[tuple[Fault, ...], tuple[int, int]]:
    """What the ledger keeps of a leg's faults, and how many of either seat it leaves out.

    Kept are the first ones, and the last one of a leg that it `ended`.
    """
    kept = [*faults[:_MOST_FAULTS], *(faults[_MOST_FAULTS:][-1:] if ended else ())]
    left_out = [
        sum(fault.seat == seat for fault in faults) - sum(fault.seat == seat for fault in kept) for seat in (0, 1)
    ]
    return tuple(fault.bounded() for fault in kept), (left_out[0], left_out[1])


_WHOLE = ("match", "number", "sessions", "games")
_COLUMNS = ("digest", "x", "y", *_WHOLE, "points", "squared_points", "blocks")
_Y_SUMS = "y_sums"
_NO_REST = Rest()
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, eq=False)
class Legs(Sequence[LegResult]):
    """Results of legs as columns; one of them is made when it is asked for. Slices of numbers are views.

    `whole` has a column each for match, number, sessions and games, `sums` for points, their squares and the blocks;
    `own_y` the same of y, None where the game is zero-sum.
    """

    digests: list[str]
    x: list[str]
    y: list[str]
    whole: npt.NDArray[np.int64]
    sums: npt.NDArray[np.float64]
    rest: list[Rest]
    own_y: npt.NDArray[np.float64] | None = None

    @classmethod
    def of(cls, legs: Sequence[LegResult]) -> Legs:
        """Results as columns. All must have as many blocks."""
        if isinstance(legs, Legs):
            return legs
        return cls(
            [leg.digest for leg in legs],
            [leg.x for leg in legs],
            [leg.y for leg in legs],
            np.array([[leg.match, leg.number, leg.sessions, leg.games] for leg in legs], np.int64).reshape(-1, 4),
            np.array([[leg.points, leg.squared_points, *leg.blocks] for leg in legs], np.float64).reshape(
                len(legs), 2 + len(legs[0].blocks) if legs else 2 + BLOCK_COUNT
            ),
            [Rest(leg.faults, leg.ended_by, leg.counts, leg.faults_left_out) for leg in legs],
            np.array([leg.y_sums for leg in legs], np.float64) if legs and legs[0].y_sums else None,
        )

    @classmethod
    def joined(cls, several: Iterable[Legs]) -> Legs:
        """Legs one after the other."""
        several = [legs for legs in several if len(legs)]
        if len(several) <= 1:
            return several[0] if several else cls.of(())
        return cls(
            list(itertools.chain.from_iterable(legs.digests for legs in several)),
            list(itertools.chain.from_iterable(legs.x for legs in several)),
            list(itertools.chain.from_iterable(legs.y for legs in several)),
            np.concatenate([legs.whole for legs in several]),
            np.concatenate([legs.sums for legs in several]),
            list(itertools.chain.from_iterable(legs.rest for legs in several)),
            None if all(legs.own_y is None for legs in several) else np.concatenate([legs.y_sums for legs in several]),
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
    def points(self) -> npt.NDArray[np.float64]:
        return self.sums[:, 0]

    @property
    def squared_points(self) -> npt.NDArray[np.float64]:
        return self.sums[:, 1]

    @property
    def blocks(self) -> npt.NDArray[np.float64]:
        return self.sums[:, 2:]

    @property
    def y_sums(self) -> npt.NDArray[np.float64]:
        """As `sums`, of y."""
        if self.own_y is not None:
            return self.own_y
        y_sums = 0.0 - self.sums
        y_sums[:, 1] = self.squared_points
        return y_sums

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
            None if self.own_y is None else self.own_y[places],
        )

    def __len__(self) -> int:
        return len(self.digests)

    @overload
    def __getitem__(self, place: int) -> LegResult: ...
    @overload
    def __getitem__(self, place: slice) -> Legs: ...
    def __getitem__(self, place: int | slice) -> LegResult | Legs:
        columns = (self.digests[place], self.x[place], self.y[place], self.whole[place], self.sums[place])
        own_y = None if self.own_y is None else self.own_y[place]
        if isinstance(place, slice):
            return Legs(*columns, self.rest[place], own_y)  # type: ignore[arg-type]
        digest, x, y, whole, sums = columns
        match, number, sessions, games = whole.tolist()
        points, squared_points, *blocks = sums.tolist()
        rest = self.rest[place]
        return LegResult(
            str(digest), match, number, str(x), str(y), sessions, games, points, squared_points, tuple(blocks),
            rest.faults, rest.ended_by, rest.counts, rest.faults_left_out,
            () if own_y is None else tuple(own_y.tolist()),
        )  # fmt: skip

    def __iter__(self) -> Iterator[LegResult]:
        return (self[place] for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(LegResult.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]


def legs_of_json(rows: Any) -> Legs:
    """The legs of a ledger's entry from what its JSON says of each. Raises ValueError for what can't be."""
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
    sums = np.empty((len(rows), 2 + BLOCK_COUNT))
    sums[:, 0] = _amounts(columns["points"], -_MOST_AMOUNT, _MOST_AMOUNT)
    sums[:, 1] = _amounts(columns["squared_points"], 0.0, _MOST_SQUARE)
    flat = _amounts(list(itertools.chain.from_iterable(blocks)), -_MOST_AMOUNT, _MOST_AMOUNT)
    sums[:, 2:] = flat.reshape(-1, BLOCK_COUNT)
    own_y = _y_sums_of_json([row[_Y_SUMS] for row in rows if row.get(_Y_SUMS, ()) not in ((), [])], len(rows))
    plain = len(_COLUMNS) + (own_y is not None)
    whole = np.empty((len(rows), len(_WHOLE)), np.int64)
    for place, name in enumerate(_WHOLE):
        whole[:, place] = _whole_numbers(columns[name], _MOST_COUNT if name == "games" else _MOST_NUMBER)
    return Legs(
        columns["digest"],
        [names[name] for name in columns["x"]],
        [names[name] for name in columns["y"]],
        whole,
        sums,
        [_NO_REST if len(row) == plain else _rest_of_json(row) for row in rows],
        own_y,
    )


def _y_sums_of_json(sums: list[Any], legs: int) -> npt.NDArray[np.float64] | None:
    """What rows say of y: all of them, or none."""
    if not sums:
        return None
    if len(sums) != legs or set(map(type, sums)) - {list} or set(map(len, sums)) - {2 + BLOCK_COUNT}:
        raise ValueError(f"not {2 + BLOCK_COUNT} sums of y for each leg")
    flat = _amounts(list(itertools.chain.from_iterable(sums)), -_MOST_SQUARE, _MOST_SQUARE)
    return _checked_sums(flat.reshape(-1, 2 + BLOCK_COUNT))


def _checked_sums(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Sums within their bounds. Raises ValueError."""
    _within(sums[:, 0], -_MOST_AMOUNT, _MOST_AMOUNT)
    _within(sums[:, 1], 0.0, _MOST_SQUARE)
    _within(sums[:, 2:], -_MOST_AMOUNT, _MOST_AMOUNT)
    return sums


def _amounts(values: list[Any], least: float, most: float) -> npt.NDArray[np.float64]:
    if set(map(type, values)) - {float, int}:
        raise ValueError("not a number")
    try:
        return _within(np.array(values, np.float64), least, most)
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
    more = {key: value for key, value in row.items() if key not in _COLUMNS and key != _Y_SUMS}
    return _rests().validate_json(to_json(more, inf_nan_mode="constants"))


@dataclass(frozen=True)
class _Packed:
    """What is no number of packed legs: how many there are, the names that indices stand for, and the rest by place.

    Whether y has sums of its own, too.
    """

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
    """Legs as bytes that are read in a moment: a line of JSON, then the columns of numbers one after the other."""
    index = {name: place for place, name in enumerate(dict.fromkeys(itertools.chain(legs.x, legs.y)))}
    rest = tuple((place, more) for place, more in enumerate(legs.rest) if more != _NO_REST)
    players = np.array([[index[name] for name in names] for names in (legs.x, legs.y)], "<i4")
    return b"".join(
        (
            _packed().dump_json(_Packed(len(legs), tuple(index), rest, legs.own_y is not None), exclude_defaults=True),
            b"\n",
            legs.sums.astype("<f8").tobytes(),
            legs.whole.astype("<i8").tobytes(),
            players.tobytes(),
            bytes.fromhex("".join(legs.digests)),
            b"" if legs.own_y is None else legs.own_y.astype("<f8").tobytes(),
        )
    )


def unpack_legs(content: bytes) -> Legs:
    """The legs that `pack_legs` made bytes of. Raises ValueError for what can't be."""
    start = content.find(b"\n") + 1
    packed = _packed().validate_json(content[:start])
    _check_names(packed.names)
    count, width = packed.legs, 2 + BLOCK_COUNT
    shapes = [("<f8", count, width), ("<i8", count, len(_WHOLE)), ("<i4", 2, count), ("u1", count, _DIGEST)]
    if packed.y_sums:
        shapes.append(("<f8", count, width))
    columns: list[npt.NDArray[Any]] = []
    for kind, high, wide in shapes:
        columns.append(np.frombuffer(content, kind, high * wide, start).reshape(high, wide))
        start += columns[-1].nbytes
    if start != len(content):
        raise ValueError("too long")
    sums, whole, players, digests, *of_y = columns
    for several in (sums, *of_y):
        _checked_sums(several)
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
        [text[first : first + 2 * _DIGEST] for first in range(0, len(text), 2 * _DIGEST)],
        x,
        y,
        whole,
        sums,
        rest,
        of_y[0] if of_y else None,
    )
