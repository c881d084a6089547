"""The ledger: numbered JSON files, each a commit. What it says is what counts.

A leg counts when a commit names it and the part with its games stands in
games/ with the size that the commit gives. Every entry lies there twice, so
that one flipped bit doesn't lock the records. Whoever sends a results folder
may have written anything into it: an entry is taken as a whole, with every
name, number and text within its limits, or not at all.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, ConfigDict, PlainSerializer, PlainValidator, StringConstraints, TypeAdapter
from pydantic import Field as Limits

from tournament.errors import RunFailed, shortened
from tournament.names import valid_name
from tournament.store.legs import (
    CHECKED,
    Count,
    LegResult,
    Legs,
    Number,
    Text,
    Word,
    json_of_legs,
    legs_of_json,
    pack_legs,
    unpack_legs,
)
from tournament.store.storage import MOST_READ, Storage

_MOST_PROBLEM = 10_000  # characters of what is wrong with an entrant


def _bot_name(text: str) -> str:
    if not valid_name(text):
        raise ValueError("no bot's name")
    return text


def _file_name(text: str) -> str:
    if not text.isprintable() or not 0 < len(text) <= 1000:
        raise ValueError("no file's name")
    return text


_Name = Annotated[str, AfterValidator(_bot_name)]
# A file that can't be a bot may be called anything; its name is shown, and leads nowhere.
_FileName = Annotated[str, AfterValidator(_file_name)]
_Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_BatchName = Annotated[str, StringConstraints(pattern=r"^[0-9]{10}-[0-9]{1,10}-[0-9a-f]{12}$")]
_Amount = Annotated[float, Limits(ge=-1e15, le=1e15)]
TableName = Literal["games", "sessions"]
_Scalar = str | int | float | bool | None
_Scalars = Annotated[list[_Scalar], Limits(min_length=1, max_length=1000)]
Setting = _Scalar | _Scalars | Annotated[list[_Scalars], Limits(min_length=1, max_length=1000)]


@dataclass(frozen=True)
class Part:
    """A Parquet file of a table. `staged` is where it waits until it is published.

    The hash of its bytes is `blake3`, or `sha256` where an older version wrote it.
    """

    __pydantic_config__ = CHECKED

    table: TableName
    name: Annotated[str, StringConstraints(max_length=100)]
    size: Annotated[int, Limits(ge=0, lt=1 << 50)]
    rows: Count
    staged: Annotated[str, StringConstraints(pattern=r"^staging/[0-9a-z-]{1,150}$")]
    blake3: _Hash | None = None
    sha256: _Hash | None = None

    def __post_init__(self) -> None:
        if (self.blake3 is None) == (self.sha256 is None):
            raise ValueError("not one hash")

    @property
    def algorithm(self) -> Literal["blake3", "sha256"]:
        """What its bytes are hashed with."""
        return "blake3" if self.blake3 else "sha256"

    @property
    def digest(self) -> str:
        """To what, in hex."""
        return self.blake3 or self.sha256 or ""

    @property
    def place(self) -> str:
        """Its name among the results, once published."""
        return f"{self.table}/{self.name}"


@dataclass(frozen=True)
class Taken:
    """Legs that a batch has from another one: of its newest version those from `first` to before `end`."""

    __pydantic_config__ = CHECKED

    batch: _BatchName
    first: Number
    end: Number


@dataclass(frozen=True)
class Batch:
    """A part of each table, and the legs in them: neighbours in the schedule, in its order.

    `sandbox`: what confined its bots that are processes, "" when there were none. `taken` says where the legs
    of a batch to commit are known from, so that an entry needn't repeat them: from batches that go with it.
    """

    __pydantic_config__ = CHECKED

    name: _BatchName
    parts: tuple[Part, ...]
    legs: Annotated[Sequence[LegResult], PlainValidator(legs_of_json), PlainSerializer(json_of_legs)]
    sandbox: Annotated[str, StringConstraints(max_length=1000)] = ""
    taken: tuple[Taken, ...] = ()


def batch_name(match: int, number: int, digests: Iterable[str]) -> str:
    """The name of a batch whose first leg is `number` of `match`.

    Names sort as the schedule does, so parts read by name give records in its
    order. Digests make a name stand for one content for good.
    """
    return f"{match:010d}-{number}-{hashlib.sha256(''.join(digests).encode()).hexdigest()[:12]}"


def without_legs(batch: Batch) -> Batch:
    """The batch as it is recorded once none of its legs count."""
    return replace(batch, legs=(), taken=())


@dataclass(frozen=True)
class FieldEntrant:
    """An entrant as the ledger knows it. `number` stays his for good; `artifact` is the sha256 of what plays.

    One that can't play has any file's name, and no `sha256` where the file wasn't read.
    """

    __pydantic_config__ = CHECKED

    number: Number
    name: _FileName
    kind: Word
    sha256: _Hash | Literal[""]
    artifact: _Hash | None
    problem: Text | None

    def __post_init__(self) -> None:
        if self.artifact is not None and not (valid_name(self.name) and self.sha256):
            raise ValueError("an entrant that plays without a bot's name, or without its file")

    def bounded(self) -> FieldEntrant:
        """The entrant with its problem cut to what the ledger keeps of it."""
        return replace(self, problem=self.problem and shortened(self.problem, _MOST_PROBLEM))


@dataclass(frozen=True)
class FieldHousePlayer:
    """A house player as the ledger knows it: `sha256` is of its content, `facts` are what scoring reads of it."""

    __pydantic_config__ = CHECKED

    number: Number
    name: _Name
    sha256: _Hash
    facts: dict[Word, _Amount]


@dataclass(frozen=True)
class Field:
    """What is being played: the contest's settings, its entrants and house players.

    `engine` is the contest's `engine_version`, `game` by whose rules it is played if not by its own.
    `numbers` and `house_numbers` also keep those who left.
    """

    __pydantic_config__ = CHECKED

    contest: Word
    engine: Word
    settings: dict[Word, Setting]
    entrants: Annotated[tuple[FieldEntrant, ...], Limits(max_length=10_000)]
    numbers: dict[_FileName, Number]
    house: Annotated[tuple[FieldHousePlayer, ...], Limits(max_length=10_000)] = ()
    house_numbers: dict[_Name, Number] = dataclasses.field(default_factory=dict)
    game: Word | Literal[""] = ""

    @property
    def rules(self) -> str:
        """The name of the contest by whose rules it is played."""
        return self.game or self.contest


@dataclass(frozen=True)
class Entry:
    """One commit: what is played from now on, if that changed, and batches that came or went."""

    __pydantic_config__ = CHECKED

    field: Field | None = None
    batches: tuple[Batch, ...] = ()


@cache
def _entries() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry)  # takes a while to make, as the others below


_SEAL = re.compile(rb',"sha256":"([0-9a-f]{64})"}\n')
_SEAL_LENGTH = len(',"sha256":""}\n') + 64


def pack(entry: Entry, known: Mapping[str, Sequence[Batch]]) -> tuple[bytes, Entry]:
    """An entry's text, and the entry as it is read back from that. Batches that are `known` are as in State.

    Its last key is the sha256 of the rest: a flipped bit must not change sums. Raises ValueError for an entry
    that `unpack` would refuse.
    """
    short = replace(entry, batches=tuple(replace(b, legs=() if b.taken else b.legs) for b in entry.batches))
    content = _sealed(_entries().dump_json(short, exclude_defaults=True))
    return content, unpack(content, known)


def _sealed(text: bytes) -> bytes:
    return text[:-1] + f',"sha256":"{hashlib.sha256(text).hexdigest()}"}}\n'.encode()


def is_sealed(content: bytes) -> bool:
    """Whether an entry's text is what `pack` made."""
    seal = _SEAL.fullmatch(content[-_SEAL_LENGTH:])
    return seal is not None and seal[1].decode() == hashlib.sha256(content[:-_SEAL_LENGTH] + b"}").hexdigest()


def unpack(content: bytes, known: Mapping[str, Sequence[Batch]]) -> Entry:
    """An entry from its text, after those in which the `known` batches came.

    Raises ValueError when it isn't what `pack` made, or says what can't be.
    """
    if not is_sealed(content):
        raise ValueError("not what was written")
    entry = _entries().validate_json(content[:-_SEAL_LENGTH] + b"}")
    if entry.field:
        _check_field(entry.field)
    left = {batch.name: len(known[batch.name][-1].legs) for batch in entry.batches if batch.name in known}
    batches = tuple(_with_taken(batch, known, left) if batch.taken else batch for batch in entry.batches)
    for batch in batches:
        _check_batch(batch)
    return replace(entry, batches=batches)


def _with_taken(batch: Batch, known: Mapping[str, Sequence[Batch]], left: dict[str, int]) -> Batch:
    """The batch with the legs that it takes. Raises ValueError where they are not to be had.

    `left`: how many legs there are to take of the batches that go with this entry. None is taken twice, so a
    short text can't stand for more and more legs.
    """
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


def _check_field(field: Field) -> None:
    """Raises ValueError where numbers and names don't agree: both index what is read later."""
    for numbers, present in ((field.numbers, field.entrants), (field.house_numbers, field.house)):
        if sorted(numbers.values()) != list(range(len(numbers))):
            raise ValueError("numbers with gaps")
        if len({one.name for one in present}) < len(present):
            raise ValueError("a name twice")
        if any(numbers.get(one.name) != one.number for one in present):
            raise ValueError("another number")


def _check_batch(batch: Batch) -> None:
    """Raises ValueError where parts and legs don't agree."""
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
    """The ledger read from its beginning. `batches` by name, the older version of each first.

    An older version still matters where its successor came with the last entry: that may not be published yet.
    Before others came it was, so what went earlier is forgotten. So many entries are `noted` in a checkpoint.
    """

    entries: int = 0
    field: Field | None = None
    batches: dict[str, list[Batch]] = dataclasses.field(default_factory=dict)
    noted: int = dataclasses.field(default=0, compare=False)
    _changed: tuple[str, ...] = dataclasses.field(default=(), compare=False)

    def newest(self) -> dict[str, Batch]:
        """Of each batch the newest version, if it has legs, by name and in its order."""
        return {name: versions[-1] for name, versions in sorted(self.batches.items()) if versions[-1].legs}

    def add(self, entry: Entry) -> None:
        """Note the next commit."""
        if entry.batches:  # one that only takes the ledger over comes before what it found is published
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
_ENTRY_NAME = re.compile(r"[0-9]{8}\.json")
_MEND_LEDGER = "bring it back from a copy, or move {} away and run again"


def entry_name(number: int) -> str:
    return f"{number:08d}.json"


def read_state(storage: Storage, damaged: dict[str, bytes] | None = None, *, from_checkpoint: bool = True) -> State:
    """Fold the ledger's entries, from the checkpoint on. Raises RunFailed when one is damaged twice, or missing.

    With `damaged` both copies are looked at: there goes what each that isn't as it was written must hold.
    """
    names = _names_of_entries(storage)
    state = _noted_state(storage, names) if from_checkpoint else State()
    folders = FOLDERS_OF_ENTRIES if damaged is not None else FOLDERS_OF_ENTRIES[:1]
    for name, texts in _read_ahead(storage, names[state.entries :], folders):
        entry = _read_entry(storage, name, lambda content: unpack(content, state.batches), damaged, texts)
        state.add(entry)
    return state


_AT_ONCE = 16  # entries: an object store takes long to answer, and doesn't mind more questions


def _read_ahead(
    storage: Storage, names: Sequence[str], folders: Sequence[str]
) -> Iterator[tuple[str, dict[str, bytes | None]]]:
    """Entries in their order, each with its texts in these folders by place, None for one that is missing.

    They are read side by side, some of them before they are asked for.
    """

    def read(place: str) -> tuple[str, bytes | None]:
        try:
            return place, storage.read(place)
        except FileNotFoundError:
            return place, None

    coming = iter(names)
    waiting: deque[tuple[str, list[Future[tuple[str, bytes | None]]]]] = deque()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            while True:
                for name in itertools.islice(coming, _AT_ONCE - len(waiting)):
                    waiting.append((name, [pool.submit(read, f"{folder}/{name}") for folder in folders]))
                if not waiting:
                    return
                name, texts = waiting.popleft()
                yield name, dict(text.result() for text in texts)
        finally:
            pool.shutdown(cancel_futures=True)


def read_field(storage: Storage) -> Field | None:
    """What is being played by the newest entry that says it, without reading what was played. Raises as above."""
    names = _names_of_entries(storage)
    checkpoint, _ = _read_checkpoint(storage, names)
    for name in reversed(names[checkpoint.entries :]):
        field = _read_entry(storage, name, _field_of)
        if field:
            return field
    return checkpoint.field


def read_former_fields(storage: Storage) -> Iterator[tuple[Field, list[Batch]]]:
    """Each field that another one followed, oldest first, and the batches that counted then. Raises as above."""
    state = State()
    for name in _names_of_entries(storage):
        entry = _read_entry(storage, name, lambda content: unpack(content, state.batches))
        if entry.field and state.field and entry.field.entrants != state.field.entrants:
            yield state.field, list(state.newest().values())
        state.add(entry)


@dataclass(frozen=True)
class _OnlyField:
    """As much of an entry."""

    __pydantic_config__ = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)

    field: Field | None = None


@cache
def _only_fields() -> TypeAdapter[_OnlyField]:
    return TypeAdapter(_OnlyField)


def _field_of(content: bytes) -> Field | None:
    if not is_sealed(content):
        raise ValueError("not what was written")
    if b'"field":' not in content:
        return None
    field = _only_fields().validate_json(content).field
    if field:
        _check_field(field)
    return field


def _names_of_entries(storage: Storage) -> list[str]:
    """In order. Raises RunFailed when one is missing in both folders."""
    names = sorted(
        {name for folder in FOLDERS_OF_ENTRIES for name in storage.list(folder) if _ENTRY_NAME.fullmatch(name)}
    )
    for number, name in enumerate(names, 1):
        if name != (expected := entry_name(number)):
            raise RunFailed(f"{storage.location}/ledger/{expected} is missing; {_MEND_LEDGER.format(storage.location)}")
    return names


_Read = TypeVar("_Read")


def _read_entry(
    storage: Storage,
    name: str,
    read: Callable[[bytes], _Read],
    damaged: dict[str, bytes] | None = None,
    there: Mapping[str, bytes | None] = MappingProxyType({}),
) -> _Read:
    """What is read from the first copy of an entry that is sound. Texts that are `there` aren't fetched again."""
    texts: dict[str, bytes | None] = {}
    sound: list[tuple[_Read, bytes]] = []
    for folder in FOLDERS_OF_ENTRIES:
        place = f"{folder}/{name}"
        try:
            texts[place] = text = there[place] if place in there else storage.read(place)
            if text is not None:
                sound = sound or [(read(text), text)]
        except FileNotFoundError:
            texts[place] = None
        except ValueError:
            continue
        if sound and damaged is None:
            break
    for found, content in sound:
        if damaged is not None:
            damaged |= {place: content for place, text in texts.items() if text != content}
        return found
    raise RunFailed(f"{storage.location}/ledger/{name} is damaged; {_MEND_LEDGER.format(storage.location)}")


# A checkpoint: what the entries up to one come to, in a form that is read in a moment. It is a note and no record:
# entries stay, and where it is damaged, or one of their files isn't as it was, they are read. So it needs no copy.


@dataclass(frozen=True)
class _Checkpoint:
    """What the first `entries` come to; `stamp` is of their files, `legs` the sha256 of the packed legs.

    The batches come without their legs, whose numbers are the `counts`.
    """

    __pydantic_config__ = CHECKED

    entries: Number
    stamp: _Hash | Literal[""]
    legs: _Hash | Literal[""]
    field: Field | None
    batches: tuple[Batch, ...]
    counts: tuple[Number, ...]


_CHECKPOINT = "ledger/checkpoint"
_NO_CHECKPOINT = _Checkpoint(0, "", "", None, (), ())
_FEWEST_BYTES, _FEWEST_SHARE = 1 << 20, 0.1  # of entries since the last checkpoint, for a new one


@cache
def _checkpoints() -> TypeAdapter[_Checkpoint]:
    return TypeAdapter(_Checkpoint)


def write_checkpoint(storage: Storage, state: State) -> None:
    """Note what the ledger comes to, if that is worth it. All of it must be published. Raises OSError."""
    sizes = storage.list("ledger")
    entries = [sizes.get(entry_name(number), 0) for number in range(1, state.entries + 1)]
    if sum(entries[state.noted :]) < max(_FEWEST_BYTES, _FEWEST_SHARE * sum(entries)):
        return
    newest = list(state.newest().values())
    packed = pack_legs(Legs.joined(Legs.of(batch.legs) for batch in newest))
    checkpoint = _Checkpoint(
        state.entries,
        _stamp_of_entries(storage, list(map(entry_name, range(1, state.entries + 1)))),
        hashlib.sha256(packed).hexdigest(),
        state.field,
        tuple(map(without_legs, newest)),
        tuple(len(batch.legs) for batch in newest),
    )
    content = _sealed(_checkpoints().dump_json(checkpoint)) + packed
    if len(content) <= MOST_READ:
        storage.replace(_CHECKPOINT, content)
        state.noted = state.entries


def _stamp_of_entries(storage: Storage, names: Sequence[str]) -> str:
    """What changes with any file of these entries, in either folder."""
    digest = hashlib.sha256()
    for folder in FOLDERS_OF_ENTRIES:
        stamps = storage.stamps(folder)
        digest.update("".join(f"{folder}/{name} {stamps.get(name)}\n" for name in names).encode())
    return digest.hexdigest()


def _read_checkpoint(storage: Storage, names: Sequence[str]) -> tuple[_Checkpoint, bytes]:
    """The checkpoint of these entries, or one of none, and its packed legs."""
    if not names:
        return _NO_CHECKPOINT, b""
    try:
        head, _, packed = storage.read(_CHECKPOINT).partition(b"\n")
        text = head + b"\n"
        if not is_sealed(text):
            return _NO_CHECKPOINT, b""
        checkpoint = _checkpoints().validate_json(text[:-_SEAL_LENGTH] + b"}")
        if checkpoint.field:
            _check_field(checkpoint.field)
    except (FileNotFoundError, ValueError):
        return _NO_CHECKPOINT, b""
    ours = names[: checkpoint.entries]
    whole = len(ours) == checkpoint.entries and checkpoint.stamp == _stamp_of_entries(storage, ours)
    return (checkpoint, packed) if whole else (_NO_CHECKPOINT, b"")


def _noted_state(storage: Storage, names: Sequence[str]) -> State:
    """The state of these entries' checkpoint, or that before the first."""
    checkpoint, packed = _read_checkpoint(storage, names)
    try:
        if not checkpoint.entries or hashlib.sha256(packed).hexdigest() != checkpoint.legs:
            return State()
        legs = unpack_legs(packed)
        batches: dict[str, list[Batch]] = {}
        ends = list(itertools.accumulate(checkpoint.counts))
        if len(ends) != len(checkpoint.batches) or [len(legs)] != ends[-1:]:
            return State()
        for batch, count, end in zip(checkpoint.batches, checkpoint.counts, ends):
            batches[batch.name] = [replace(batch, legs=legs[end - count : end])]
            _check_batch(batches[batch.name][0])
    except ValueError:
        return State()
    return State(checkpoint.entries, checkpoint.field, batches, checkpoint.entries)


def standing_batches(storage: Storage, state: State) -> list[Batch]:
    """The batches that count, by name: of each the newest version whose games part is in place.

    Raises RunFailed when a leg would count twice.
    """
    games = storage.list("games")
    standing: list[Batch] = []
    for _, versions in sorted(state.batches.items()):
        for version in reversed(versions):
            part = next(part for part in version.parts if part.table == "games")
            if version.legs and games.get(part.name) == part.size:
                standing.append(version)
                break
    seen: set[str] = set()
    for count, batch in zip(itertools.accumulate(len(batch.legs) for batch in standing), standing):
        seen.update(Legs.of(batch.legs).digests)
        if len(seen) < count:
            raise RunFailed(f"the ledger of {storage.location} has a leg twice, the second time in {batch.name}")
    return standing
