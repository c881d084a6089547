"""The ledger: numbered files, its entries. Each is a commit: a line of JSON, the columns of its legs, and a seal.

A leg counts when an entry names it and the part with its games is in games/, as large as the entry says. Now and then
an entry carries the whole state, a fold: readers begin there. A results folder may come from a stranger: an entry is
accepted only if every name, number and text in it is within limits.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, FailFast, StringConstraints, TypeAdapter
from pydantic import Field as Limits

from tournament.errors import shortened
from tournament.names import valid_name
from tournament.store.leg_pool import LegPool, Places
from tournament.store.legs import CHECKED, Count, Legs, Number, Packed, Text, Word, pack_legs, unpack_legs
from tournament.store.storage import STAGING

_MOST_PROBLEM = 10_000  # characters of what is wrong with an entrant
_MOST_KEYS = 100_000  # of names that an entry has
# So that numbers lie in memory as processors read them.
_ALIGNED = 8


def _bot_name(text: str) -> str:
    if not valid_name(text):
        raise ValueError("no bot's name")
    return text


def _not_too_many(values: object) -> object:
    """Raises ValueError before each of very many keys makes a message of its own."""
    if isinstance(values, dict) and len(values) > _MOST_KEYS:
        raise ValueError("too many keys")
    return values


_FewKeys = BeforeValidator(_not_too_many)


def _file_name(text: str) -> str:
    if not text.isprintable() or not 0 < len(text) <= 1000:
        raise ValueError("no file's name")
    return text


_Name = Annotated[str, AfterValidator(_bot_name)]
# A file that can't be a bot may have any name; it is only shown, never opened.
_FileName = Annotated[str, AfterValidator(_file_name)]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_BatchName = Annotated[str, StringConstraints(pattern=r"^[0-9]{10}-[0-9]{1,10}-[0-9a-f]{12}$")]
_Amount = Annotated[float, Limits(ge=-1e15, le=1e15)]
TableName = Literal["games", "sessions"]
TABLES: tuple[TableName, ...] = ("games", "sessions")
_Scalar = str | int | float | bool | None
_Scalars = Annotated[list[_Scalar], Limits(max_length=1000)]
Setting = _Scalar | _Scalars | Annotated[list[_Scalars], Limits(min_length=1, max_length=1000)]


def _with_seed_as_text(settings: dict[str, Setting]) -> dict[str, Setting]:
    """Of a seed the fingerprint is kept, whatever the types of a contest's own settings."""
    if not isinstance(settings.get("seed", ""), str):
        raise ValueError("the seed's fingerprint is no text")
    return settings


@dataclass(frozen=True)
class Part:
    """A Parquet file of a table. `staged`: where it waits until it is published; `blake3`: the hash of its bytes."""

    __pydantic_config__ = CHECKED

    table: TableName
    name: Annotated[str, StringConstraints(max_length=100)]
    size: Annotated[int, Limits(ge=0, lt=1 << 50)]
    rows: Count
    staged: Annotated[str, StringConstraints(pattern=rf"^{STAGING}/[0-9a-z-]{{1,150}}$")]
    blake3: Hash

    @property
    def place(self) -> str:
        """Its name among the results, once published."""
        return f"{self.table}/{self.name}"


# A batch that counted before an entry, and its legs from the first of these places to before the other.
Run = tuple[_BatchName, Number, Number]


@dataclass(frozen=True)
class Batch:
    """A part of each table, and the legs in them: neighbours in the schedule, in its order.

    `sandbox` is what confined its bots that are processes, "" if it has none. Without legs it withdraws what an entry
    before says of it. `of`: the runs of former batches that its legs are, where it was cut out of these or put together
    from them; its entry has these runs alone.
    """

    name: str
    parts: tuple[Part, ...]
    legs: Legs
    sandbox: str = ""
    of: tuple[Run, ...] = dataclasses.field(default=(), compare=False)

    @property
    def counts(self) -> bool:
        """Whether it has legs; those of runs need not be gathered for that."""
        return bool(self.legs or self.of)

    def part(self, table: TableName) -> Part:
        """Its part of a table."""
        return next(part for part in self.parts if part.table == table)


def batch_name(match: int, number: int, digests: Iterable[str]) -> str:
    """The name of a batch whose first leg is `number` of `match`. Names sort as the schedule does, so that parts sorted
    by name give records in its order. The legs' digests are part of it: a name stands for one content."""
    return f"{match:010d}-{number}-{hashlib.sha256(''.join(digests).encode()).hexdigest()[:12]}"


def without_legs(batch: Batch) -> Batch:
    """The batch as in an entry that withdraws its legs."""
    return replace(batch, legs=Legs.of(()), of=())


@dataclass(frozen=True)
class FieldEntrant:
    """An entrant as the ledger knows it. Its `number` never changes; `artifact` is the sha256 of what plays. One that
    can't play may have any file's name, and has no `sha256` if its file couldn't be read."""

    __pydantic_config__ = CHECKED

    number: Number
    name: _FileName
    kind: Word
    sha256: Hash | Literal[""]
    artifact: Hash | None
    problem: Text | None

    def __post_init__(self) -> None:
        if self.artifact is not None and not (valid_name(self.name) and self.sha256):
            raise ValueError("an entrant that plays without a bot's name, or without its file")
        if (self.artifact is None) == (self.problem is None):
            raise ValueError("an entrant that plays and can't, or neither")

    def bounded(self) -> FieldEntrant:
        """The entrant with its problem cut to what the ledger keeps of it."""
        return replace(self, problem=self.problem and shortened(self.problem, _MOST_PROBLEM))


@dataclass(frozen=True)
class FieldHousePlayer:
    """A house player as the ledger knows it: `sha256` is of its content, `facts` are what scoring needs of it."""

    __pydantic_config__ = CHECKED

    number: Number
    name: _Name
    sha256: Hash
    facts: Annotated[dict[Word, _Amount], _FewKeys]


@dataclass(frozen=True)
class Until:
    """When a run until the order is settled stops: the chance that all stated orders are right, how many replicas come
    first and at most, and what difference is a tie."""

    __pydantic_config__ = CHECKED

    confidence: Annotated[float, Limits(gt=0.5, lt=1)]
    first_replicas: Annotated[int, Limits(ge=1, le=100_000)]
    most_replicas: Annotated[int, Limits(ge=1, le=100_000)]
    tie: Annotated[float, Limits(gt=0, le=1e12)] | None = None


@dataclass(frozen=True)
class Field:
    """What is being played: the contest's settings, its entrants and house players.

    `engine` is the contest's `engine_version`. `game` names the contest whose rules it has, "" if it has its own.
    `numbers` and `house_numbers` include those who left. `until` is set by a run until the order is settled.
    """

    __pydantic_config__ = CHECKED

    contest: Word
    engine: Word
    settings: Annotated[dict[Word, Setting], _FewKeys, AfterValidator(_with_seed_as_text)]
    entrants: Annotated[tuple[FieldEntrant, ...], Limits(max_length=10_000), FailFast()]
    numbers: Annotated[dict[_FileName, Number], _FewKeys]
    house: Annotated[tuple[FieldHousePlayer, ...], Limits(max_length=10_000), FailFast()] = ()
    house_numbers: Annotated[dict[_Name, Number], _FewKeys] = dataclasses.field(default_factory=dict)
    game: Word | Literal[""] = ""
    until: Until | None = None

    @property
    def rules(self) -> str:
        """The name of the contest by whose rules it is played."""
        return self.game or self.contest


@dataclass(frozen=True)
class Entry:
    """One commit: what is played from now on, if that changed, and batches that came or lost their legs.

    `fold` is the number of the newest entry that carries the whole state, `told` of the newest one with a field: of
    this one or one before, 0 for none.
    """

    field: Field | None = None
    batches: tuple[Batch, ...] = ()
    fold: int = 0
    told: int = 0


@dataclass(frozen=True)
class _Listed:
    """A batch as it stands in an entry's first line: with its parts if it has legs, and the number of these or the runs
    that they are."""

    __pydantic_config__ = CHECKED

    name: _BatchName
    parts: Annotated[tuple[Part, ...], FailFast()] = ()
    legs: Number = 0
    sandbox: Annotated[str, StringConstraints(max_length=1000)] = ""
    of: Annotated[tuple[Run, ...], FailFast()] = ()

    @classmethod
    def of_batch(cls, batch: Batch) -> _Listed:
        if not batch.counts:
            return cls(batch.name)
        return cls(batch.name, batch.parts, 0 if batch.of else len(batch.legs), batch.sandbox, batch.of)


@dataclass(frozen=True)
class _Head:
    """An entry's first line. The legs of all its batches follow each other in its columns."""

    __pydantic_config__ = CHECKED

    fold: Number = 0
    told: Number = 0
    field: Field | None = None
    batches: Annotated[tuple[_Listed, ...], FailFast()] = ()
    legs: Packed = dataclasses.field(default_factory=Packed)


@cache
def _heads() -> TypeAdapter[_Head]:
    return TypeAdapter(_Head)  # slow to make


def pack(entry: Entry) -> bytes:
    """An entry's content."""
    packed, columns = pack_legs(Legs.joined(batch.legs for batch in entry.batches if not batch.of))
    listed = tuple(map(_Listed.of_batch, entry.batches))
    head = _Head(entry.fold, entry.told, entry.field, listed, packed)
    line = _heads().dump_json(head, exclude_defaults=True)
    line += b" " * (-(len(line) + 1) % _ALIGNED) + b"\n"
    return sealed(line, *(column.data for column in columns))


def unpack(content: bytes) -> Entry:
    """An entry from its content, without the legs of batches that are runs of others. Raises ValueError when it isn't
    sealed, or says something impossible."""
    if not is_sealed(content):
        raise ValueError("not what was written")
    start = content.find(b"\n") + 1
    head = _heads().validate_json(content[:start])
    if head.field:
        check_field(head.field)
    legs = unpack_legs(head.legs, content, start, len(content) - SEAL)
    ends = list(itertools.accumulate((listed.legs for listed in head.batches), initial=0))
    if ends[-1] != len(legs):
        raise ValueError("legs of no batch")
    batches = tuple(
        Batch(listed.name, listed.parts, legs[first:end], listed.sandbox, listed.of)
        for listed, first, end in zip(head.batches, ends, ends[1:])
    )
    for batch in batches:
        if batch.of and batch.legs:
            raise ValueError("legs twice")
        if batch.parts or batch.counts:
            check_batch(batch)
    return Entry(head.field, batches, head.fold, head.told)


SEAL = hashlib.sha256().digest_size  # bytes


def sealed(*pieces: bytes | memoryview) -> bytes:
    """The pieces, and their hash at the end: a flipped bit must not change sums."""
    seal = hashlib.sha256()
    for piece in pieces:
        seal.update(piece)
    return b"".join((*pieces, seal.digest()))


def is_sealed(content: bytes) -> bool:
    """Whether `sealed` made this."""
    return hashlib.sha256(memoryview(content)[:-SEAL]).digest() == content[-SEAL:]


def check_field(field: Field) -> None:
    """Raises ValueError when numbers and names don't agree: later both are used as indices."""
    for numbers, present in ((field.numbers, field.entrants), (field.house_numbers, field.house)):
        if sorted(numbers.values()) != list(range(len(numbers))):
            raise ValueError("numbers with gaps")
        if len({one.name for one in present}) < len(present):
            raise ValueError("a name twice")
        if any(numbers.get(one.name) != one.number for one in present):
            raise ValueError("another number")


def check_batch(batch: Batch) -> None:
    """Raises ValueError when parts and legs don't agree."""
    if sorted(part.place for part in batch.parts) != [f"{table}/{batch.name}.parquet" for table in TABLES]:
        raise ValueError("other parts")
    legs = batch.legs
    if not legs:
        return
    if batch.name != batch_name(int(legs.match[0]), int(legs.number[0]), [legs.digest.tobytes().hex()]):
        raise ValueError("another name")
    if not legs.are_in_order():
        raise ValueError("legs out of order")
    rows = {"games": sum(legs.games.tolist()), "sessions": sum(legs.sessions.tolist())}
    if any(part.rows != rows[part.table] for part in batch.parts):
        raise ValueError("other rows")


@dataclass
class State:
    """The state after the ledger's entries. `batches` has the versions of each by name, oldest first.

    Of a batch in the last entry older versions are kept: the newest may not be published yet. They are dropped with
    the next entry that has batches, since all before it is published. `fold` and `told` as in Entry. `size` is what it
    takes to read it: bytes of the entries from the fold on, and some for each; `size_of_fold` what it takes to read the
    fold alone.

    Legs of batches that were made of others are gathered by `gather`, once all entries are read: after many edits most
    no longer count.
    """

    entries: int = 0
    field: Field | None = None
    batches: dict[str, list[Batch]] = dataclasses.field(default_factory=dict)
    fold: int = 0
    told: int = 0
    size: int = dataclasses.field(default=0, compare=False)
    size_of_fold: int = dataclasses.field(default=0, compare=False)
    _changed: tuple[str, ...] = dataclasses.field(default=(), compare=False)
    _pool: LegPool = dataclasses.field(default_factory=LegPool, compare=False)
    _places: dict[str, list[Places]] = dataclasses.field(default_factory=dict, compare=False)  # as batches

    def newest(self) -> dict[str, Batch]:
        """The newest version of each batch that has legs, by name, sorted."""
        return {name: versions[-1] for name, versions in sorted(self.batches.items()) if versions[-1].counts}

    @property
    def legs(self) -> int:
        """How many legs the newest versions have."""
        return sum(len(places[-1]) for places in self._places.values())

    def following(self, field: Field | None = None, batches: Iterable[Batch] = ()) -> Entry:
        """The next commit."""
        return Entry(field, tuple(batches), self.fold, self.entries + 1 if field else self.told)

    def folded(self) -> Entry:
        """The next commit where it carries all this; everything must be published."""
        batches = tuple(replace(batch, of=()) for batch in self.newest().values())
        return Entry(self.field, batches, self.entries + 1, self.entries + 1)

    @property
    def wants_fold(self) -> bool:
        """Whether most of what is read is history, which a fold would save."""
        counting = sum(versions[-1].counts for versions in self.batches.values())
        of_state = _ENTRY_BYTES + _LEG_BYTES * self.legs + _LISTED_BYTES * counting
        return self.field is not None and self.size > _FEWEST_BYTES + 2 * max(of_state, self.size_of_fold)

    def add(self, entry: Entry, size: int) -> None:
        """Note the next commit, of so many bytes. Raises ValueError where it can't be that."""
        self.entries += 1
        if entry.fold == self.entries:
            self.batches, self.fold, self._changed, self.size = {}, self.entries, (), 0
            self._pool, self._places = LegPool(), {}
        told = self.entries if entry.field else self.told
        if (entry.fold, entry.told) != (self.fold, told) or (self.fold == self.entries and not entry.field):
            raise ValueError("of another ledger")
        self.told = told
        self.size += size + _ENTRY_BYTES + _BATCH_BYTES * len(entry.batches)
        if entry.fold == self.entries:
            self.size_of_fold = self.size
        batches = [self._known(batch) for batch in entry.batches]
        places = [self._places_of(batch) for batch in batches]
        if entry.batches:  # an entry without any may come before its predecessor is published
            for name in self._changed:
                newest, its_places = self.batches.pop(name)[-1], self._places.pop(name)[-1]
                if newest.counts:
                    self.batches[name], self._places[name] = [newest], [its_places]
            self._changed = tuple(dict.fromkeys(batch.name for batch in entry.batches))
        self.field = entry.field or self.field
        for batch, its_places in zip(batches, places):
            self.batches.setdefault(batch.name, []).append(batch)
            self._places.setdefault(batch.name, []).append(its_places)

    def _known(self, batch: Batch) -> Batch:
        """A batch with its parts, which an entry that withdraws it doesn't have."""
        if batch.parts:
            return batch
        if batch.name not in self.batches:
            raise ValueError("of another ledger")
        return without_legs(self.batches[batch.name][-1])

    def _places_of(self, batch: Batch) -> Places:
        """Where a batch's legs are in the pool, those that it brings or those of its runs."""
        if not batch.of:
            return self._pool.add(batch.legs)
        several = []
        for name, first, end in batch.of:
            there = self._places[name][-1] if name in self._places else ()
            if not first < end <= len(there):
                raise ValueError("of another ledger")
            several.append(there[first:end])
        return np.concatenate(several)

    def gather(self) -> None:
        """Gather the legs of all batches. Raises ValueError where those of one can't be its own."""
        for name, versions in self.batches.items():
            for number, batch in enumerate(versions):
                if batch.of and not batch.legs:
                    versions[number] = replace(batch, legs=self._pool.at(self._places[name][number]))
                    check_batch(versions[number])
        # What no longer counts can go: of a large field it has as much as what does.
        self._pool = LegPool()
        self._places = {n: [self._pool.add(batch.legs) for batch in several] for n, several in self.batches.items()}


# A fold is written once what is read has more than twice the bytes of a fold, and these. Of a fold a leg that counts
# takes so many, and a batch. To read an entry takes as long as so many bytes, and to read a batch in it.
_FEWEST_BYTES, _LEG_BYTES, _LISTED_BYTES, _ENTRY_BYTES, _BATCH_BYTES = 1 << 19, 350, 3 << 10, 1 << 14, 1 << 11

ENTRY_NAME = re.compile(r"[0-9]{8}\.entry")


def entry_name(number: int) -> str:
    return f"{number:08d}.entry"
