"""The ledger: numbered JSON files, its entries. Each is a commit.

A leg counts when an entry names it and the part with its games is in games/, as large as the entry says. Each entry is
stored twice, so that one flipped bit doesn't lock the records. A results folder may come from a stranger: an entry is
accepted only if every name, number and text in it is within limits.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    FailFast,
    PlainSerializer,
    PlainValidator,
    StringConstraints,
    TypeAdapter,
)
from pydantic import Field as Limits

from tournament.errors import shortened
from tournament.names import valid_name
from tournament.store.legs import CHECKED, Count, LegResult, Legs, Number, Text, Word, json_of_legs, legs_of_json
from tournament.store.storage import MOST_READ

_MOST_PROBLEM = 10_000  # characters of what is wrong with an entrant
# Bytes of an entry, besides what it repeats of those before it: of the legs of one task, or of the field.
_MOST_NEW, _MOST_REPEATED = 32 << 20, 4
# Small values take much memory once they are read: bytes of an entry for each of its brackets, and of its commas.
_LEAST_OBJECT, _LEAST_VALUE, _FEW = 32, 5, 1000
_MOST_KEYS, _KEYS_OF_OBJECT = 100_000, 24  # keys of names that an entry has, and of each of its objects
_MARKS = (b"{", b"[", b",", b":")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_PIECES = re.compile(rb'(?:[^"]+|"(?:[^"\\]|\\.)*"){1,20000}')  # few strings at once take little memory


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
_Scalar = str | int | float | bool | None
_Scalars = Annotated[list[_Scalar], Limits(min_length=1, max_length=1000)]
Setting = _Scalar | _Scalars | Annotated[list[_Scalars], Limits(min_length=1, max_length=1000)]


@dataclass(frozen=True)
class Part:
    """A Parquet file of a table. `staged` is where it waits until it is published. The hash of its bytes is `blake3`;
    parts of older versions have `sha256`."""

    __pydantic_config__ = CHECKED

    table: TableName
    name: Annotated[str, StringConstraints(max_length=100)]
    size: Annotated[int, Limits(ge=0, lt=1 << 50)]
    rows: Count
    staged: Annotated[str, StringConstraints(pattern=r"^staging/[0-9a-z-]{1,150}$")]
    blake3: Hash | None = None
    sha256: Hash | None = None

    def __post_init__(self) -> None:
        if (self.blake3 is None) == (self.sha256 is None):
            raise ValueError("not one hash")

    @property
    def algorithm(self) -> Literal["blake3", "sha256"]:
        """The hash's algorithm."""
        return "blake3" if self.blake3 else "sha256"

    @property
    def digest(self) -> str:
        """The hash, in hex."""
        return self.blake3 or self.sha256 or ""

    @property
    def place(self) -> str:
        """Its name among the results, once published."""
        return f"{self.table}/{self.name}"


@dataclass(frozen=True)
class Taken:
    """Legs that a batch takes over: those of the newest version of `batch`, from `first` to before `end`."""

    __pydantic_config__ = CHECKED

    batch: _BatchName
    first: Number
    end: Number


@dataclass(frozen=True)
class Batch:
    """A part of each table, and the legs in them: neighbours in the schedule, in its order.

    `sandbox` is what confined its bots that are processes, "" if it has none. A batch that is made of others' legs
    has `taken` in place of `legs` while it is committed, so that the entry needn't repeat them; the others lose
    their legs by the same entry.
    """

    __pydantic_config__ = CHECKED

    name: _BatchName
    parts: Annotated[tuple[Part, ...], FailFast()]
    legs: Annotated[Sequence[LegResult], PlainValidator(legs_of_json), PlainSerializer(json_of_legs)]
    sandbox: Annotated[str, StringConstraints(max_length=1000)] = ""
    taken: Annotated[tuple[Taken, ...], FailFast()] = ()

    def part(self, table: TableName) -> Part:
        """Its part of a table."""
        return next(part for part in self.parts if part.table == table)


def batch_name(match: int, number: int, digests: Iterable[str]) -> str:
    """The name of a batch whose first leg is `number` of `match`. Names sort as the schedule does, so that parts sorted
    by name give records in its order. The legs' digests are part of it: a name stands for one content."""
    return f"{match:010d}-{number}-{hashlib.sha256(''.join(digests).encode()).hexdigest()[:12]}"


def without_legs(batch: Batch) -> Batch:
    """The batch as in an entry that withdraws its legs."""
    return replace(batch, legs=(), taken=())


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
    settings: Annotated[dict[Word, Setting], _FewKeys]
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
    """One commit: what is played from now on, if that changed, and batches that came or lost their legs."""

    __pydantic_config__ = CHECKED

    field: Field | None = None
    batches: Annotated[tuple[Batch, ...], FailFast()] = ()


@cache
def _entries() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry)  # slow to make


_SEAL = re.compile(rb',"sha256":"([0-9a-f]{64})"}\n')
_SEAL_LENGTH = len(',"sha256":""}\n') + 64


def sealed(text: bytes) -> bytes:
    """A JSON object with the sha256 of its text as its last key: a flipped bit must not change sums."""
    return text[:-1] + f',"sha256":"{hashlib.sha256(text).hexdigest()}"}}\n'.encode()


def unsealed(content: bytes) -> bytes:
    """The text that `sealed` was given. Raises ValueError for other contents than `sealed` makes."""
    seal = _SEAL.fullmatch(content[-_SEAL_LENGTH:])
    digest = hashlib.sha256(memoryview(content)[:-_SEAL_LENGTH])
    digest.update(b"}")
    if seal is None or seal[1].decode() != digest.hexdigest():
        raise ValueError("not what was written")
    return content[:-_SEAL_LENGTH] + b"}"


def is_sealed(content: bytes) -> bool:
    """Whether `sealed` made this."""
    try:
        unsealed(content)
    except ValueError:
        return False
    return True


def pack(entry: Entry, known: Mapping[str, Sequence[Batch]]) -> tuple[bytes, Entry]:
    """An entry's text, and the entry as it is read back from it. `known` are the batches as in State. Raises ValueError
    for an entry that `unpack` would refuse."""
    short = replace(entry, batches=tuple(replace(b, legs=() if b.taken else b.legs) for b in entry.batches))
    content = sealed(_entries().dump_json(short, exclude_defaults=True))
    return content, unpack(content, known)


def unpack(content: bytes, known: Mapping[str, Sequence[Batch]]) -> Entry:
    """An entry from its text. The batches of the entries before it are `known`. Raises ValueError when `pack` didn't
    make the text, or it says something impossible."""
    text = unsealed(content)
    check_density(text)
    entry = _entries().validate_json(text)
    if entry.field:
        check_field(entry.field)
    left = {batch.name: len(known[batch.name][-1].legs) for batch in entry.batches if batch.name in known}
    batches = tuple(_with_taken(batch, known, left) if batch.taken else batch for batch in entry.batches)
    for batch in batches:
        check_batch(batch)
    return replace(entry, batches=batches)


def check_density(text: bytes) -> None:
    """Raises ValueError for a text that would take far more memory than its bytes."""
    if not _are_too_many([text.count(mark) for mark in _MARKS], len(text)):
        return
    counts = [0] * len(_MARKS)  # without texts of others, which may have such characters, too
    for piece in _PIECES.finditer(text):
        bare = _STRING.sub(b"", piece.group())
        counts = [count + bare.count(mark) for count, mark in zip(counts, _MARKS)]
    if _are_too_many(counts, len(text)):
        raise ValueError("more values than an entry has")


def _are_too_many(counts: Sequence[int], size: int) -> bool:
    """Whether a text of so many bytes has too many of each of `_MARKS`."""
    objects, arrays, values, keys = counts
    return (
        objects + arrays > _FEW + size // _LEAST_OBJECT
        or values > _FEW + size // _LEAST_VALUE
        or keys > _MOST_KEYS + _KEYS_OF_OBJECT * objects
    )


def most_bytes(before: int) -> int:
    """How many bytes an entry may have; those before it, of whose batches it tells, have `before`."""
    return min(MOST_READ, _MOST_NEW + _MOST_REPEATED * before)


def _with_taken(batch: Batch, known: Mapping[str, Sequence[Batch]], left: dict[str, int]) -> Batch:
    """The batch with the legs that it takes over. Raises ValueError when they can't be taken. `left` counts the legs
    that are left in the batches of this entry. No leg is taken twice: a short text could stand for ever more legs."""
    legs = []
    for taken in batch.taken:
        if not taken.first < taken.end or left.get(taken.batch, 0) < taken.end - taken.first:
            raise ValueError("legs taken that aren't left")
        left[taken.batch] -= taken.end - taken.first
        legs.append(Legs.of(known[taken.batch][-1].legs)[taken.first : taken.end])
        if len(legs[-1]) < taken.end - taken.first:
            raise ValueError("legs taken that there are none of")
    if len(batch.legs):
        raise ValueError("legs taken and given")
    return replace(batch, legs=Legs.joined(legs), taken=())


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
    if sorted(part.place for part in batch.parts) != [
        f"{table}/{batch.name}.parquet" for table in ("games", "sessions")
    ]:
        raise ValueError("other parts")
    if not batch.legs:
        return
    legs = Legs.of(batch.legs)
    if batch.name != batch_name(int(legs.match[0]), int(legs.number[0]), legs.digests):
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
    the next entry that has batches, since all before it is published. `noted` entries are in a checkpoint.
    """

    entries: int = 0
    field: Field | None = None
    batches: dict[str, list[Batch]] = dataclasses.field(default_factory=dict)
    noted: int = dataclasses.field(default=0, compare=False)
    _changed: tuple[str, ...] = dataclasses.field(default=(), compare=False)

    def newest(self) -> dict[str, Batch]:
        """The newest version of each batch that has legs, by name, sorted."""
        return {name: versions[-1] for name, versions in sorted(self.batches.items()) if versions[-1].legs}

    def add(self, entry: Entry) -> None:
        """Note the next commit."""
        if entry.batches:  # an entry without any may come before its predecessor is published
            for name in self._changed:
                newest = self.batches.pop(name)[-1]
                if newest.legs:
                    self.batches[name] = [newest]
            self._changed = tuple(dict.fromkeys(batch.name for batch in entry.batches))
        self.entries += 1
        self.field = entry.field or self.field
        for batch in entry.batches:
            self.batches.setdefault(batch.name, []).append(batch)


FOLDERS_OF_ENTRIES = ("ledger", "ledger-copy")


def entry_name(number: int) -> str:
    return f"{number:08d}.json"
