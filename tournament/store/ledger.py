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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, StringConstraints, TypeAdapter
from pydantic import Field as Limits

from engine.game_core import BLOCK_COUNT
from tournament.errors import RunFailed, shortened
from tournament.names import valid_name
from tournament.store.storage import Storage

_MOST_FAULTS = 20  # of a leg, kept one by one
# Characters of a fault's texts, and of what is wrong with an entrant.
_MOST_WHAT, _MOST_ASKED, _MOST_COMPLAINTS, _MOST_PROBLEM = 500, 1000, 2000, 10_000


def _bot_name(text: str) -> str:
    if not valid_name(text):
        raise ValueError("no bot's name")
    return text


def _file_name(text: str) -> str:
    if not text.isprintable() or not 0 < len(text) <= 1000:
        raise ValueError("no file's name")
    return text


_CHECKED = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
_Name = Annotated[str, AfterValidator(_bot_name)]
# A file that can't be a bot may be called anything; its name is shown, and leads nowhere.
_FileName = Annotated[str, AfterValidator(_file_name)]
_Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_BatchName = Annotated[str, StringConstraints(pattern=r"^[0-9]{10}-[0-9]{1,10}-[0-9a-f]{12}$")]
_Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.]{1,64}$")]
_Text = Annotated[str, StringConstraints(max_length=100_000)]
_Seat = Annotated[int, Limits(ge=0, le=1)]
_Number = Annotated[int, Limits(ge=0, lt=1 << 31)]
_Count = Annotated[int, Limits(ge=0, le=10**15)]
_Amount = Annotated[float, Limits(ge=-1e15, le=1e15)]
_Square = Annotated[float, Limits(ge=0, le=1e30)]
TableName = Literal["games", "sessions"]
Setting = str | int | float | bool | None


@dataclass(frozen=True)
class Fault:
    """One fault of the bot at `seat` (0 is x, 1 is y), where it happened and what it was.

    `asked`: the question by its name, with all that it told. `complaints`: the last lines that
    its process wrote to standard error.
    """

    __pydantic_config__ = _CHECKED

    seat: _Seat
    session: _Number
    game: _Number
    question: _Word
    what: _Text
    asked: _Text = ""
    complaints: _Text = ""

    def bounded(self) -> Fault:
        """The fault with its texts cut to what the ledger keeps of them."""
        return replace(
            self,
            what=shortened(self.what, _MOST_WHAT),
            asked=shortened(self.asked, _MOST_ASKED),
            complaints=shortened(self.complaints, _MOST_COMPLAINTS),
        )


@dataclass(frozen=True)
class LegResult:
    """A played leg: who, and x's sums. `blocks` are x's points by block of sessions.

    `ended_by` is the seat whose faults ended the leg, or None; `counts` are the contest's own.
    `faults` are the first ones, and the one that ended the leg; `faults_left_out` counts the others of
    either seat.
    """

    __pydantic_config__ = _CHECKED

    digest: _Sha256
    match: _Number
    number: _Number
    x: _Name
    y: _Name
    sessions: _Number
    games: _Count
    points: _Amount
    squared_points: _Square
    blocks: Annotated[tuple[_Amount, ...], Limits(min_length=BLOCK_COUNT, max_length=BLOCK_COUNT)]
    faults: Annotated[tuple[Fault, ...], Limits(max_length=2000)] = ()
    ended_by: _Seat | None = None
    counts: Annotated[tuple[_Count, ...], Limits(max_length=64)] = ()
    faults_left_out: tuple[_Number, _Number] = (0, 0)

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


@dataclass(frozen=True)
class Part:
    """A Parquet file of a table. `staged` is where it waits until it is published."""

    __pydantic_config__ = _CHECKED

    table: TableName
    name: Annotated[str, StringConstraints(max_length=100)]
    size: Annotated[int, Limits(ge=0, lt=1 << 50)]
    sha256: _Sha256
    rows: _Count
    staged: Annotated[str, StringConstraints(pattern=r"^staging/[0-9a-z-]{1,150}$")]

    @property
    def place(self) -> str:
        """Its name among the results, once published."""
        return f"{self.table}/{self.name}"


@dataclass(frozen=True)
class Batch:
    """A part of each table, and the legs in them: neighbours in the schedule, in its order.

    `sandbox`: what confined its bots that are processes, "" when there were none.
    """

    __pydantic_config__ = _CHECKED

    name: _BatchName
    parts: tuple[Part, ...]
    legs: tuple[LegResult, ...]
    sandbox: Annotated[str, StringConstraints(max_length=1000)] = ""


def batch_name(match: int, number: int, digests: Iterable[str]) -> str:
    """The name of a batch whose first leg is `number` of `match`.

    Names sort as the schedule does, so parts read by name give records in its
    order. Digests make a name stand for one content for good.
    """
    return f"{match:010d}-{number}-{hashlib.sha256(''.join(digests).encode()).hexdigest()[:12]}"


def without_legs(batch: Batch) -> Batch:
    """The batch as it is recorded once none of its legs count."""
    return replace(batch, legs=())


@dataclass(frozen=True)
class FieldEntrant:
    """An entrant as the ledger knows it. `number` stays his for good; `artifact` is the sha256 of what plays.

    One that can't play has any file's name, and no `sha256` where the file wasn't read.
    """

    __pydantic_config__ = _CHECKED

    number: _Number
    name: _FileName
    kind: _Word
    sha256: _Sha256 | Literal[""]
    artifact: _Sha256 | None
    problem: _Text | None

    def __post_init__(self) -> None:
        if self.artifact is not None and not (valid_name(self.name) and self.sha256):
            raise ValueError("an entrant that plays without a bot's name, or without its file")

    def bounded(self) -> FieldEntrant:
        """The entrant with its problem cut to what the ledger keeps of it."""
        return replace(self, problem=self.problem and shortened(self.problem, _MOST_PROBLEM))


@dataclass(frozen=True)
class FieldHousePlayer:
    """A house player as the ledger knows it: `sha256` is of its content, `facts` are what scoring reads of it."""

    __pydantic_config__ = _CHECKED

    number: _Number
    name: _Name
    sha256: _Sha256
    facts: dict[_Word, _Amount]


@dataclass(frozen=True)
class Field:
    """What is being played: the contest's settings, its entrants and house players.

    `engine` is the contest's `engine_version`. `numbers` and `house_numbers` also keep those who left.
    """

    __pydantic_config__ = _CHECKED

    contest: _Word
    engine: _Word
    settings: dict[_Word, Setting]
    entrants: Annotated[tuple[FieldEntrant, ...], Limits(max_length=10_000)]
    numbers: dict[_FileName, _Number]
    house: Annotated[tuple[FieldHousePlayer, ...], Limits(max_length=10_000)] = ()
    house_numbers: dict[_Name, _Number] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """One commit: what is played from now on, if that changed, and batches that came or went."""

    __pydantic_config__ = _CHECKED

    field: Field | None = None
    batches: tuple[Batch, ...] = ()


_ENTRIES = TypeAdapter(Entry)
_SEAL = re.compile(rb',"sha256":"([0-9a-f]{64})"}\n')
_SEAL_LENGTH = len(',"sha256":""}\n') + 64


def pack(entry: Entry) -> bytes:
    """An entry's text, with the sha256 of the rest as its last key: a flipped bit must not change sums.

    Raises ValueError for one that `unpack` would refuse.
    """
    text = _ENTRIES.dump_json(entry, exclude_defaults=True)
    content = text[:-1] + f',"sha256":"{hashlib.sha256(text).hexdigest()}"}}\n'.encode()
    unpack(content)
    return content


def is_sealed(content: bytes) -> bool:
    """Whether an entry's text is what `pack` made."""
    seal = _SEAL.fullmatch(content[-_SEAL_LENGTH:])
    return seal is not None and seal[1].decode() == hashlib.sha256(content[:-_SEAL_LENGTH] + b"}").hexdigest()


def unpack(content: bytes) -> Entry:
    """An entry from its text. Raises ValueError when it isn't what `pack` made, or says what can't be."""
    if not is_sealed(content):
        raise ValueError("not what was written")
    entry = _ENTRIES.validate_json(content[:-_SEAL_LENGTH] + b"}")
    if entry.field:
        _check_field(entry.field)
    for batch in entry.batches:
        _check_batch(batch)
    return entry


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
    first = batch.legs[0]
    if batch.name != batch_name(first.match, first.number, (leg.digest for leg in batch.legs)):
        raise ValueError("another name")
    places = [(leg.match, leg.number) for leg in batch.legs]
    if any(one >= other for one, other in itertools.pairwise(places)):
        raise ValueError("legs out of order")
    rows = {"games": sum(leg.games for leg in batch.legs), "sessions": sum(leg.sessions for leg in batch.legs)}
    if any(part.rows != rows[part.table] for part in batch.parts):
        raise ValueError("other rows")
    for leg in batch.legs:
        if leg.ended_by is not None and all(fault.seat != leg.ended_by for fault in leg.faults):
            raise ValueError("ended by no fault")


@dataclass
class State:
    """The ledger read from its beginning. `batches` by name, the oldest version of each first."""

    entries: int = 0
    field: Field | None = None
    batches: dict[str, list[Batch]] = dataclasses.field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Note the next commit."""
        self.entries += 1
        self.field = entry.field or self.field
        for batch in entry.batches:
            self.batches.setdefault(batch.name, []).append(batch)


FOLDERS_OF_ENTRIES = ("ledger", "ledger-copy")
_ENTRY_NAME = re.compile(r"[0-9]{8}\.json")
_MEND_LEDGER = "bring it back from a copy, or move {} away and run again"


def entry_name(number: int) -> str:
    return f"{number:08d}.json"


def read_state(storage: Storage) -> State:
    """Fold the ledger's entries. Raises RunFailed when one is damaged in both copies, or missing."""
    state = State()
    found = {name for folder in FOLDERS_OF_ENTRIES for name in storage.list(folder) if _ENTRY_NAME.fullmatch(name)}
    for name in sorted(found):
        expected = entry_name(state.entries + 1)
        if name != expected:
            raise RunFailed(f"{storage.location}/ledger/{expected} is missing; {_MEND_LEDGER.format(storage.location)}")
        state.add(_read_entry(storage, name))
    return state


def _read_entry(storage: Storage, name: str) -> Entry:
    for folder in FOLDERS_OF_ENTRIES:
        try:
            return unpack(storage.read(f"{folder}/{name}"))
        except (FileNotFoundError, ValueError):
            continue
    raise RunFailed(f"{storage.location}/ledger/{name} is damaged; {_MEND_LEDGER.format(storage.location)}")


def standing_batches(storage: Storage, state: State) -> list[Batch]:
    """The batches that count, by name: of each the newest version whose games part is in place.

    Raises RunFailed when a leg would count twice.
    """
    games = storage.list("games")
    standing: list[Batch] = []
    seen: set[str] = set()
    for _, versions in sorted(state.batches.items()):
        for version in reversed(versions):
            part = next(part for part in version.parts if part.table == "games")
            if version.legs and games.get(part.name) == part.size:
                standing.append(version)
                break
    for batch in standing:
        digests = {leg.digest for leg in batch.legs}
        if len(digests) < len(batch.legs) or not seen.isdisjoint(digests):
            raise RunFailed(f"the ledger of {storage.location} has a leg twice, the second time in {batch.name}")
        seen |= digests
    return standing
