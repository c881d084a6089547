"""The ledger: numbered files of JSON, its entries. Each is a commit: which files came into the records, and which left.

A batch is a part of games/ and one of sessions/, with the games of some legs. What came of these legs is in a part of
legs/, and of faults/ if there were any. A leg counts if the ledger lists both: a listed part is in its place, or still
in staging/. Now and then an entry lists everything, a fold: readers begin there. A results folder may come from a
stranger: an entry is accepted only if every name, number and text in it is within limits.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, FailFast, StringConstraints, TypeAdapter
from pydantic import Field as Limits

from tournament.errors import truncate
from tournament.leg import MOST_SEATS, title_of
from tournament.names import valid_name
from tournament.store.legs import CHECKED, MOST_MATCH, Count, Legs, Number, Text, Word
from tournament.store.storage import STAGING

_MOST_PROBLEM = 10_000  # characters of what is wrong with an entrant
_MOST_KEYS = 100_000  # of names that an entry has
# Characters of why rules failed in a leg, and number of such legs that are kept.
MOST_REASON, MOST_FAILED = 1000, 1000


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
_BatchName = Annotated[str, StringConstraints(pattern=r"^[0-9]{10,19}-[0-9]{10}-[0-9a-f]{12}$")]
_FileOfLegs = Annotated[str, StringConstraints(pattern=r"^[0-9]{8}-[0-9]{1,4}$")]
_Amount = Annotated[float, Limits(ge=-1e15, le=1e15)]
TableName = Literal["games", "sessions", "legs", "faults"]
OF_BATCH: tuple[TableName, ...] = ("games", "sessions")
TABLES: tuple[TableName, ...] = (*OF_BATCH, "legs", "faults")
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


@dataclass(frozen=True)
class Batch:
    """A part of each of the tables of games, and the legs in them: neighbours in the schedule, in its order.

    `sandbox` is what confined its bots that are processes, "" if it has none.
    """

    name: str
    parts: tuple[Part, ...]
    legs: Legs
    sandbox: str = ""

    def part(self, table: TableName) -> Part:
        """Its part of a table."""
        return next(part for part in self.parts if part.table == table)


def batch_name(match: int, number: int, digests: Iterable[str]) -> str:
    """The name of a batch whose first leg is `number` of `match`. Names sort as the schedule does, so that parts sorted
    by name give records in its order. The legs' digests are part of it: a name stands for one content."""
    return f"{match:010d}-{number:010d}-{hashlib.sha256(''.join(digests).encode()).hexdigest()[:12]}"


@dataclass(frozen=True)
class FieldEntrant:
    """An entrant as the ledger knows it. Its `number` never changes; `artifact` is the sha256 of what plays. One that
    can't play may have any file's name, and has no `sha256` if its file couldn't be read. `set_aside`: why it played
    nothing in the last run; what it has played counts. `author`: who submitted it, if tables depend on that."""

    __pydantic_config__ = CHECKED

    number: Number
    name: _FileName
    kind: Word
    sha256: Hash | Literal[""]
    artifact: Hash | None
    problem: Text | None
    set_aside: Text | None = None
    author: Text = ""

    def __post_init__(self) -> None:
        if self.artifact is not None and not (valid_name(self.name) and self.sha256):
            raise ValueError("an entrant that plays without a bot's name, or without its file")
        if (self.artifact is None) == (self.problem is None):
            raise ValueError("an entrant that plays and can't, or neither")

    def bounded(self) -> FieldEntrant:
        """The entrant with its texts cut to what the ledger keeps of them."""
        problem, set_aside = (text and truncate(text, _MOST_PROBLEM) for text in (self.problem, self.set_aside))
        return replace(self, problem=problem, set_aside=set_aside)


@dataclass(frozen=True)
class FieldHousePlayer:
    """A house player as the ledger knows it: `sha256` is of its content, `facts` are what scoring needs of it."""

    __pydantic_config__ = CHECKED

    number: Number
    name: _Name
    sha256: Hash
    facts: Annotated[dict[Word, _Amount], _FewKeys]


@dataclass(frozen=True)
class FailedLeg:
    """A leg that isn't in the records because the contest's rules failed in it.

    Attributes:
        match: Number of the match.
        number: Number of the leg in its match.
        bots: Names of the bots, by seat.
        house: Name of the house player, "" for none.
        session: Session of the match in which the rules failed.
        game: Game of that session.
        reason: What happened, with file and line.
    """

    __pydantic_config__ = CHECKED

    match: Annotated[int, Limits(ge=0, lt=MOST_MATCH)]
    number: Number
    bots: Annotated[tuple[_Name, ...], Limits(max_length=MOST_SEATS)]
    house: _Name | Literal[""]
    session: Number
    game: Number
    reason: Annotated[str, StringConstraints(max_length=MOST_REASON)]

    def __str__(self) -> str:
        return f"match {self.match} ({self.title}), session {self.session}, game {self.game}: {self.reason}"

    @property
    def title(self) -> str:
        """The names of those who meet."""
        return title_of(self.bots, self.house)


@dataclass(frozen=True)
class Until:
    """When a run until the order is settled stops: the chance that all stated orders are right, how many replicas come
    first and at most, and what difference is a tie."""

    __pydantic_config__ = CHECKED

    confidence: Annotated[float, Limits(gt=0.5, lt=1)]
    first_replicas: Annotated[int, Limits(ge=1, le=100_000)]
    max_replicas: Annotated[int, Limits(ge=1, le=100_000)]
    tie_margin: Annotated[float, Limits(gt=0, le=1e12)] | None = None


@dataclass(frozen=True)
class ContestSetup:
    """What is being played: the contest's settings, its entrants and house players.

    `engine` is the contest's `engine_version`. `game` names the contest whose rules it has, "" if it has its own.
    `numbers` and `house_numbers` include those who left. `until` is set by a run until the order is settled.
    `failed_legs`: those in which the rules failed in the last run, the first ones.
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
    failed_legs: Annotated[tuple[FailedLeg, ...], Limits(max_length=MOST_FAILED)] = ()

    @property
    def sha256(self) -> dict[str, str]:
        """Of the content of each who plays, by name."""
        return {one.name: one.sha256 for one in self.entrants} | {one.name: one.sha256 for one in self.house}

    @property
    def rules(self) -> str:
        """The name of the contest by whose rules it is played."""
        return self.game or self.contest


@dataclass(frozen=True)
class ListedBatch:
    """A batch as the ledger lists it, with the number of its legs."""

    __pydantic_config__ = CHECKED

    name: _BatchName
    parts: Annotated[tuple[Part, ...], Limits(max_length=2)]
    legs: Annotated[int, Limits(ge=1, le=1 << 31)]
    sandbox: Annotated[str, StringConstraints(max_length=1000)] = ""

    def __post_init__(self) -> None:
        if [part.place for part in self.parts] != [f"{table}/{self.name}.parquet" for table in OF_BATCH]:
            raise ValueError("other parts")


@dataclass(frozen=True)
class LegsFile:
    """A part of legs/, and one of faults/ if there are any: the legs of these batches, one after the other."""

    __pydantic_config__ = CHECKED

    name: _FileOfLegs
    parts: Annotated[tuple[Part, ...], Limits(min_length=1, max_length=2)]
    batches: Annotated[tuple[_BatchName, ...], Limits(min_length=1), FailFast()]

    def __post_init__(self) -> None:
        places = [f"{table}/{self.name}.parquet" for table in TABLES[2:]]
        if [part.place for part in self.parts] != places[: len(self.parts)]:
            raise ValueError("other parts")


@dataclass(frozen=True)
class Entry:
    """One commit: what is played from now on, if that changed, and batches and files of legs that came, or left.

    `fold` is the number of the newest entry that lists everything, `told` of the newest one with a field: of this one
    or one before, 0 for none.
    """

    __pydantic_config__ = CHECKED

    fold: Number = 0
    told: Number = 0
    field: ContestSetup | None = None
    batches: Annotated[tuple[ListedBatch, ...], FailFast()] = ()
    files: Annotated[tuple[LegsFile, ...], FailFast()] = ()
    without: Annotated[tuple[_BatchName, ...], FailFast()] = ()
    without_files: Annotated[tuple[_FileOfLegs, ...], FailFast()] = ()

    @property
    def parts(self) -> list[Part]:
        """Those that came."""
        return _parts_of(self.files, self.batches)


def _parts_of(files: Iterable[LegsFile], batches: Iterable[ListedBatch]) -> list[Part]:
    return [part for file in files for part in file.parts] + [part for batch in batches for part in batch.parts]


@cache
def _entries() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry)  # slow to make


_SEALED = re.compile(rb'\{"sha256":"([0-9a-f]{64})","entry":(.*)\}\n', re.DOTALL)


def pack(entry: Entry) -> bytes:
    """An entry's content, with a hash: a flipped bit must not change what counts."""
    text = _entries().dump_json(entry, exclude_defaults=True)
    return b'{"sha256":"%s","entry":%s}\n' % (hashlib.sha256(text).hexdigest().encode(), text)


def unpack(content: bytes) -> Entry:
    """An entry from its content. Raises ValueError when it isn't what was written, or says something impossible."""
    found = _SEALED.fullmatch(content)
    if not found or hashlib.sha256(found[2]).hexdigest().encode() != found[1]:
        raise ValueError("not what was written")
    entry = _entries().validate_json(found[2])
    if entry.field:
        check_field(entry.field)
    return entry


def check_field(field: ContestSetup) -> None:
    """Raises ValueError when numbers and names don't agree: later both are used as indices."""
    for numbers, present in ((field.numbers, field.entrants), (field.house_numbers, field.house)):
        if sorted(numbers.values()) != list(range(len(numbers))):
            raise ValueError("numbers with gaps")
        if len({one.name for one in present}) < len(present):
            raise ValueError("a name twice")
        if any(numbers.get(one.name) != one.number for one in present):
            raise ValueError("another number")


@dataclass
class State:
    """What the ledger's entries list. `fold` and `told` as in Entry.

    `gone`: the places of parts that left since the fold; the newest may not be removed yet. `size` is what it takes to
    read the entries after the fold: their bytes, and some for each; `size_of_fold` the same of the fold.
    """

    entries: int = 0
    field: ContestSetup | None = None
    batches: dict[str, ListedBatch] = dataclasses.field(default_factory=dict)
    files: dict[str, LegsFile] = dataclasses.field(default_factory=dict)
    fold: int = 0
    told: int = 0
    gone: set[str] = dataclasses.field(default_factory=set, compare=False)
    size: int = dataclasses.field(default=0, compare=False)
    size_of_fold: int = dataclasses.field(default=0, compare=False)
    file_of: dict[str, str] = dataclasses.field(default_factory=dict, compare=False)  # of a batch

    @property
    def parts(self) -> list[Part]:
        """All that are listed."""
        return _parts_of(self.files.values(), self.batches.values())

    def parts_left(self, entry: Entry) -> list[Part]:
        """The parts that leave with the next entry. Raises ValueError where there are none such."""
        try:
            files = [self.files[name] for name in entry.without_files]
            return _parts_of(files, [self.batches[name] for name in entry.without])
        except KeyError:
            raise ValueError("of another ledger") from None

    def next_entry(
        self,
        field: ContestSetup | None = None,
        batches: tuple[ListedBatch, ...] = (),
        files: tuple[LegsFile, ...] = (),
        without: tuple[str, ...] = (),
        without_files: tuple[str, ...] = (),
    ) -> Entry:
        """The next commit."""
        told = self.entries + 1 if field else self.told
        return Entry(self.fold, told, field, batches, files, without, without_files)

    def folded(self) -> Entry:
        """The next commit where it lists all this; everything must be published."""
        number, batches = self.entries + 1, tuple(batch for _, batch in sorted(self.batches.items()))
        return Entry(number, number, self.field, batches, tuple(self.files.values()))

    @property
    def needs_snapshot(self) -> bool:
        """Whether most of what is read would be saved by a fold, or there are many entries to read."""
        many = self.entries - self.fold >= _MOST_ENTRIES or self.size > _FEWEST_BYTES + 2 * self.size_of_fold
        return self.field is not None and many

    def add(self, entry: Entry, size: int) -> None:
        """Note the next commit, of this many bytes. Raises ValueError where it can't be that."""
        self.entries += 1
        told = self.entries if entry.field else self.told
        fold = self.entries if entry.fold == self.entries else self.fold
        if (entry.fold, entry.told) != (fold, told) or (fold == self.entries and not entry.field):
            raise ValueError("of another ledger")
        if fold == self.entries:
            self.batches, self.files, self.file_of, self.gone, self.size = {}, {}, {}, set(), 0
        self.field, self.fold, self.told = entry.field or self.field, fold, told
        self.gone |= {part.place for part in self.parts_left(entry)}
        changed = [*entry.without, *(batch.name for batch in entry.batches)]
        for name in entry.without:
            del self.batches[name]
        for name in entry.without_files:
            for batch in self.files.pop(name).batches:
                changed.append(batch)
                del self.file_of[batch]
        known = len(self.batches), len(self.files), len(self.file_of)
        self.batches |= {batch.name: batch for batch in entry.batches}
        self.files |= {file.name: file for file in entry.files}
        self.file_of |= {batch: file.name for file in entry.files for batch in file.batches}
        came = len(entry.batches), len(entry.files), sum(len(file.batches) for file in entry.files)
        twice = (len(self.batches), len(self.files), len(self.file_of)) != tuple(map(sum, zip(known, came)))
        if twice or any((name in self.file_of) != (name in self.batches) for name in (*changed, *self._of(entry))):
            raise ValueError("of another ledger")
        self.gone -= {part.place for part in entry.parts}
        self.size += size + _ENTRY_BYTES
        if fold == self.entries:
            self.size, self.size_of_fold = 0, self.size

    @staticmethod
    def _of(entry: Entry) -> Iterable[str]:
        return (batch for file in entry.files for batch in file.batches)


# A fold is written after this many entries, or once those after the fold take twice as long to read as the fold, and so
# many bytes. To read an entry takes as long as this many bytes.
_MOST_ENTRIES, _FEWEST_BYTES, _ENTRY_BYTES = 12, 1 << 19, 1 << 14

ENTRY_NAME = re.compile(r"[0-9]{8}\.json")


def entry_name(number: int) -> str:
    return f"{number:08d}.json"
