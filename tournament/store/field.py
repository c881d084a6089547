"""What is played, and the batches that were: the field, and parts with the legs of their games.

The field is one small file. A batch is a part of games/ and one of sessions/ with the same name, which carries the
legs (`tournament.store.carried`). A results folder may come from a stranger: every name, number and text in it must be
within limits.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, FailFast, StringConstraints
from pydantic import Field as Limits

from tournament.errors import truncate
from tournament.leg import MOST_SEATS, title_of
from tournament.names import valid_name
from tournament.store.leg_result import CHECKED, MOST_MATCH, Count, Number, Text, Word
from tournament.store.legs import HASH_BYTES, Legs
from tournament.store.storage import STAGING

_MOST_PROBLEM = 10_000  # characters of what is wrong with an entrant
_MOST_KEYS = 100_000  # of names that a file has
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
    """A Parquet file of a table. `staged`: where it waits until it is published; `blake3`: the hash of its bytes, "" of
    a sessions part, which carries its own seal."""

    __pydantic_config__ = CHECKED

    table: TableName
    name: Annotated[str, StringConstraints(max_length=100)]
    size: Annotated[int, Limits(ge=0, lt=1 << 50)]
    rows: Count
    staged: Annotated[str, StringConstraints(pattern=rf"^{STAGING}/[0-9a-z-]{{1,150}}$")]
    blake3: Hash | Literal[""]

    @property
    def place(self) -> str:
        """Its name among the results, once published."""
        return f"{self.table}/{self.name}"


@dataclass(frozen=True)
class Batch:
    """A part of each of the tables of games, and the legs in them, by match and number.

    `sandbox` is the mode of its bots that are processes, on or off, "" if it has none. `origin` is what they were
    played with; `seal` tells one content of the sessions part from another.
    """

    name: str
    parts: tuple[Part, ...]
    legs: Legs
    sandbox: str = ""
    origin: Origin | None = dataclasses.field(default=None, compare=False)
    seal: str = dataclasses.field(default="", compare=False)

    def part(self, table: TableName) -> Part:
        """Its part of a table."""
        return next(part for part in self.parts if part.table == table)


def new_batch_name(match: int, number: int) -> str:
    """Return a name for a batch whose first leg is `number` of `match`.

    Names sort as the schedule does. The random end never comes again: a writer that another one has taken over can only
    remove what it meant to.
    """
    return f"{match:010d}-{number:010d}-{uuid.uuid4().hex[:12]}"


# The files of a batch's parts, and of the summaries of its legs.
_BATCH = "[0-9]{10,19}-[0-9]{10}-[0-9a-f]{12}"
BATCH_FILE = re.compile(rf"({_BATCH})\.parquet")
SUMMARY_FILE = re.compile(rf"{_BATCH}-[0-9a-f]{{12}}\.parquet")


@dataclass(frozen=True)
class FieldEntrant:
    """An entrant as the field has it. Its `number` never changes; `artifact` is the sha256 of what plays. One that
    can't play may have any file's name, and has no `sha256` if its file couldn't be read. `set_aside`: why it played
    nothing in the last run; what it has played counts. `author`: who submitted it, if tables depend on that.
    `is_house`: it is the host's own, and isn't ranked."""

    __pydantic_config__ = CHECKED

    number: Number
    name: _FileName
    kind: Word
    sha256: Hash | Literal[""]
    artifact: Hash | None
    problem: Text | None
    set_aside: Text | None = None
    author: Text = ""
    is_house: bool = False

    def __post_init__(self) -> None:
        if self.artifact is not None and not (valid_name(self.name) and self.sha256):
            raise ValueError("an entrant that plays without a bot's name, or without its file")
        if (self.artifact is None) == (self.problem is None):
            raise ValueError("an entrant that plays and can't, or neither")

    def bounded(self) -> FieldEntrant:
        """The entrant with its texts cut to what the field keeps of them."""
        problem, set_aside = (text and truncate(text, _MOST_PROBLEM) for text in (self.problem, self.set_aside))
        return replace(self, problem=problem, set_aside=set_aside)


@dataclass(frozen=True)
class FieldHousePlayer:
    """A house player as the field has it: `sha256` is of its content, `facts` are what scoring needs of it."""

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
class Origin:
    """What legs were played with: enough to show whether they are a field's, and to make a field from them.

    Attributes:
        contest: Name of the contest.
        game: Name of the contest whose rules it has, "" if it has its own.
        engine: The contest's `engine_version`.
        settings: The contest's settings, with the seed's fingerprint.
        house: The house players.
        names: Names of the entrants.
        numbers: Number of each entrant.
        artifacts: Hash of each entrant's artifact, 32 bytes each.
    """

    __pydantic_config__ = CHECKED

    contest: Word
    engine: Word
    settings: Annotated[dict[Word, Setting], _FewKeys, AfterValidator(_with_seed_as_text)]
    house: Annotated[tuple[FieldHousePlayer, ...], Limits(max_length=10_000), FailFast()] = ()
    game: Word | Literal[""] = ""
    names: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    artifacts: bytes = b""

    def of_players(self, entrants: Iterable[str], house: Iterable[str]) -> Origin:
        """Return the same with these players alone."""
        names, house = tuple(sorted({*entrants})), {*house}
        places = [self._places[name] for name in names]
        return replace(
            self,
            names=names,
            numbers=tuple(self.numbers[place] for place in places),
            artifacts=b"".join(self.artifacts[place * HASH_BYTES : (place + 1) * HASH_BYTES] for place in places),
            house=tuple(one for one in self.house if one.name in house),
        )

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def is_of(self, field: ContestSetup) -> bool:
        """Return whether these are players of a field, as it has them."""
        house = {one.name: (one.number, one.sha256) for one in field.house}
        return (
            self.numbers == tuple(map(field.numbers.get, self.names))
            and self.artifacts == b"".join(map(field.hashes.get, self.names, itertools.repeat(b"")))
            and all(house.get(one.name) == (one.number, one.sha256) for one in self.house)
            and (self.engine, self.settings.get("seed")) == (field.engine, field.settings.get("seed"))
        )


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

    @cached_property
    def artifacts(self) -> dict[str, str]:
        """Hash of what plays of each entrant that can play, by name."""
        return {one.name: one.artifact for one in self.entrants if one.artifact}

    @cached_property
    def hashes(self) -> dict[str, bytes]:
        """The same hashes as bytes."""
        return {name: bytes.fromhex(artifact) for name, artifact in self.artifacts.items()}

    @property
    def origin(self) -> Origin:
        """What legs of this field are played with, with all players."""
        names = tuple(self.artifacts)
        numbers = tuple(self.numbers[name] for name in names)
        of_players = names, numbers, b"".join(self.hashes.values())
        return Origin(self.contest, self.engine, self.settings, self.house, self.game, *of_players)

    @property
    def sha256(self) -> dict[str, str]:
        """Of the content of each who plays, by name."""
        return {one.name: one.sha256 for one in self.entrants} | {one.name: one.sha256 for one in self.house}

    @property
    def rules(self) -> str:
        """The name of the contest by whose rules it is played."""
        return self.game or self.contest
