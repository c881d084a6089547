"""The field, which is what a contest plays, and batches, which are parts with the legs of their games.

The field is one small file. A batch is a part of games/ and one of sessions/ with the same name, which carries the legs
(`tournament.store.carried`). An untrusted person might have made a results folder, so every name, number and text in it
must be within limits.
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
from tournament.leg import MAX_SEATS, make_title
from tournament.names import valid_name
from tournament.store.leg_result import CHECKED, MATCH_BOUND, Count, Identifier, Number, Text
from tournament.store.legs import HASH_BYTES, Legs
from tournament.store.storage import STAGING

# Maximum characters of an entrant's problem.
_MAX_PROBLEM = 10_000
# Maximum number of names in a file.
_MAX_KEYS = 100_000
# Maximum characters of the reason why rules failed in a leg, and maximum number of such legs in the records.
MAX_REASON, MAX_FAILED = 1000, 1000


def _bot_name(text: str) -> str:
    """Return a name unchanged.

    Raises:
        ValueError: No bot can have it.
    """
    if not valid_name(text):
        raise ValueError("no bot's name")
    return text


def _not_too_many(values: object) -> object:
    """Return a value unless it is a dictionary with very many keys, each of which would make a message.

    Raises:
        ValueError: There are too many keys.
    """
    if isinstance(values, dict) and len(values) > _MAX_KEYS:
        raise ValueError("too many keys")
    return values


_FewKeys = BeforeValidator(_not_too_many)


def _file_name(text: str) -> str:
    """Return a name unchanged.

    Raises:
        ValueError: It is empty, unprintable or longer than 1,000 characters.
    """
    if not text.isprintable() or not 0 < len(text) <= 1000:
        raise ValueError("no file's name")
    return text


_Name = Annotated[str, AfterValidator(_bot_name)]
# A file that can't be a bot may have any name; it is only shown, never opened.
_FileName = Annotated[str, AfterValidator(_file_name)]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_Amount = Annotated[float, Limits(ge=-1e15, le=1e15)]
TableName = Literal["games", "sessions", "legs", "faults"]
BATCH_TABLES: tuple[TableName, ...] = ("games", "sessions")
TABLES: tuple[TableName, ...] = (*BATCH_TABLES, "legs", "faults")
_Scalar = str | int | float | bool | None
_Scalars = Annotated[list[_Scalar], Limits(max_length=1000)]
Setting = _Scalar | _Scalars | Annotated[list[_Scalars], Limits(min_length=1, max_length=1000)]


def _with_seed_as_text(settings: dict[str, Setting]) -> dict[str, Setting]:
    """Return settings whose seed, if any, is a fingerprint, whatever types a contest's own settings have.

    Raises:
        ValueError: The seed isn't a text.
    """
    if not isinstance(settings.get("seed", ""), str):
        raise ValueError("the seed's fingerprint is no text")
    return settings


@dataclass(frozen=True)
class Part:
    """A Parquet file of a table.

    Attributes:
        table: Table that the part belongs to.
        name: Name of the file in the table's folder.
        size: Size of the file in bytes.
        rows: Number of rows.
        staged: Name in staging/ where the file waits to be published, or waited; `staging/none` if unknown.
        blake3: Hash of the file in hexadecimal; "" for a sessions part, which carries its own seal.
    """

    __pydantic_config__ = CHECKED

    table: TableName
    name: Annotated[str, StringConstraints(max_length=100)]
    size: Annotated[int, Limits(ge=0, lt=1 << 50)]
    rows: Count
    staged: Annotated[str, StringConstraints(pattern=rf"^{STAGING}/[0-9a-z-]{{1,150}}$")]
    blake3: Hash | Literal[""]

    @property
    def path(self) -> str:
        """Name of the part among the results, once it is published."""
        return f"{self.table}/{self.name}"


@dataclass(frozen=True)
class Batch:
    """A part of games/ and one of sessions/, and the legs in them, in order of match and number.

    Attributes:
        name: Name of the batch.
        parts: The games part, then the sessions part.
        legs: The legs.
        sandbox: Sandbox mode of its bots that are processes, on or off; "" if it has none.
        origin: Players and settings that the legs were played with; None if unknown, so that any field matches.
        seal: Seal of the sessions part, which changes with its content; "" if unknown.
    """

    name: str
    parts: tuple[Part, ...]
    legs: Legs
    sandbox: str = ""
    origin: Origin | None = dataclasses.field(default=None, compare=False)
    seal: str = dataclasses.field(default="", compare=False)

    def part(self, table: TableName) -> Part:
        """Return the batch's part of a table, games or sessions."""
        return next(part for part in self.parts if part.table == table)


def new_batch_name(match: int, number: int) -> str:
    """Return a new name for a batch whose first leg is `number` of `match`.

    Names sort as the schedule does. The random end is never used again, so a writer that was replaced can only remove
    its own files.
    """
    return f"{match:010d}-{number:010d}-{uuid.uuid4().hex[:12]}"


# Names of a batch's parts, and of the summaries of its legs.
_BATCH = "[0-9]{10,19}-[0-9]{10}-[0-9a-f]{12}"
BATCH_FILE = re.compile(rf"({_BATCH})\.parquet")
SUMMARY_FILE = re.compile(rf"{_BATCH}-[0-9a-f]{{12}}\.parquet")


@dataclass(frozen=True)
class FieldEntrant:
    """An entrant of the field.

    Attributes:
        number: Number of the entrant, which never changes.
        name: Name of the bot; any file's name if it can't play.
        kind: Kind of the bot, such as c or python.
        sha256: Hash of the bot's file, or of its packed folder; "" if it couldn't be read.
        artifact: sha256 of the artifact that plays; None if the bot can't play.
        problem: Reason why the bot can't play; None if it can.
        set_aside: Reason why it played nothing in the last run; None if it played. Its earlier games count.
        author: Author who submitted it, if the tables depend on authors, otherwise "".
        is_house: Whether it is the host's own bot, which isn't ranked.

    Raises:
        ValueError: The bot plays without a valid name or without its file, or it has both an artifact and a problem, or
            neither.
    """

    __pydantic_config__ = CHECKED

    number: Number
    name: _FileName
    kind: Identifier
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
        """Return the entrant with the reasons `problem` and `set_aside` each cut after 10,000 characters.

        The number of further characters is added to a reason that is cut. A missing reason stays None.
        """
        problem, set_aside = (text and truncate(text, _MAX_PROBLEM) for text in (self.problem, self.set_aside))
        return replace(self, problem=problem, set_aside=set_aside)


@dataclass(frozen=True)
class FieldHousePlayer:
    """A house player of the field.

    Attributes:
        number: Number of the house player.
        name: Name of the house player.
        sha256: Hash of its content.
        facts: Facts about it that scoring needs, by name, which callers must not change.
    """

    __pydantic_config__ = CHECKED

    number: Number
    name: _Name
    sha256: Hash
    facts: Annotated[dict[Identifier, _Amount], _FewKeys]


@dataclass(frozen=True)
class FailedLeg:
    """A leg that isn't in the records because the contest's rules failed in it.

    Attributes:
        match: Number of the match.
        number: Number of the leg in its match.
        bots: Names of the bots, by seat.
        house: Name of the house player; "" if there is none.
        session: Session of the match in which the rules failed, from 0.
        game: Game of that session, from 0.
        reason: Description of the failure, with file and line, of at most 1,000 characters.
    """

    __pydantic_config__ = CHECKED

    match: Annotated[int, Limits(ge=0, lt=MATCH_BOUND)]
    number: Number
    bots: Annotated[tuple[_Name, ...], Limits(max_length=MAX_SEATS)]
    house: _Name | Literal[""]
    session: Number
    game: Number
    reason: Annotated[str, StringConstraints(max_length=MAX_REASON)]

    def __str__(self) -> str:
        return f"match {self.match} ({self.title}), session {self.session}, game {self.game}: {self.reason}"

    @property
    def title(self) -> str:
        """Names of the bots that meet, and of the house player, as text."""
        return make_title(self.bots, self.house)


@dataclass(frozen=True)
class Until:
    """Settings of a run that stops when the order of bots is settled.

    Attributes:
        confidence: Probability that all stated orders are right, above 0.5 and below 1.
        first_replicas: Replicas of each match before the first interim analysis.
        max_replicas: Maximum replicas of each match.
        tie_margin: Differences smaller than this, in points per session, are ties; None if only exact equality is one.
    """

    __pydantic_config__ = CHECKED

    confidence: Annotated[float, Limits(gt=0.5, lt=1)]
    first_replicas: Annotated[int, Limits(ge=1, le=100_000)]
    max_replicas: Annotated[int, Limits(ge=1, le=100_000)]
    tie_margin: Annotated[float, Limits(gt=0, le=1e12)] | None = None


@dataclass(frozen=True)
class Origin:
    """Players and settings that legs were played with: enough to find out which field they belong to, or to restore it.

    Attributes:
        contest: Name of the contest.
        engine: The contest's `engine_version`.
        settings: Settings of the contest by name, with the seed's fingerprint as `seed`. Callers must not change them.
        house: House players.
        game: Name of the contest whose rules are played; "" if the contest has its own.
        names: Names of the entrants.
        numbers: Numbers of the entrants, in the order of `names`.
        artifacts: sha256 of the entrants' artifacts, 32 bytes each, in the order of `names`.
    """

    __pydantic_config__ = CHECKED

    contest: Identifier
    engine: Identifier
    settings: Annotated[dict[Identifier, Setting], _FewKeys, AfterValidator(_with_seed_as_text)]
    house: Annotated[tuple[FieldHousePlayer, ...], Limits(max_length=10_000), FailFast()] = ()
    game: Identifier | Literal[""] = ""
    names: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    artifacts: bytes = b""

    def for_players(self, entrants: Iterable[str], house: Iterable[str]) -> Origin:
        """Return the same origin with these players only, and the entrants sorted by name.

        Args:
            entrants: Names of entrants, all of which this origin has.
            house: Names of house players. Unknown ones are ignored.
        """
        names, house = tuple(sorted({*entrants})), {*house}
        indices = [self._indices[name] for name in names]
        return replace(
            self,
            names=names,
            numbers=tuple(self.numbers[index] for index in indices),
            artifacts=b"".join(self.artifacts[index * HASH_BYTES : (index + 1) * HASH_BYTES] for index in indices),
            house=tuple(one for one in self.house if one.name in house),
        )

    @cached_property
    def _indices(self) -> dict[str, int]:
        """Index of each entrant in `names`, by name."""
        return {name: index for index, name in enumerate(self.names)}

    def matches_field(self, field: ContestSetup) -> bool:
        """Return whether a field has these players, unchanged, with the same engine version and seed."""
        house = {one.name: (one.number, one.sha256) for one in field.house}
        return (
            self.numbers == tuple(map(field.numbers.get, self.names))
            and self.artifacts == b"".join(map(field.hashes.get, self.names, itertools.repeat(b"")))
            and all(house.get(one.name) == (one.number, one.sha256) for one in self.house)
            and (self.engine, self.settings.get("seed")) == (field.engine, field.settings.get("seed"))
        )


@dataclass(frozen=True)
class ContestSetup:
    """A contest as it is played now: its settings, entrants and house players.

    Attributes:
        contest: Name of the contest.
        engine: The contest's `engine_version`.
        settings: Settings of the contest by name, with the seed's fingerprint as `seed`. Callers must not change them.
        entrants: Entrants, including those that can't play.
        numbers: Number of each entrant by name, including former entrants, without gaps from 0.
        house: House players.
        house_numbers: Number of each house player by name, including former ones, without gaps from 0. {} if bots play
            each other.
        game: Name of the contest whose rules are played; "" if the contest has its own.
        until: Settings of a run until the order is settled; None for other runs.
        failed_legs: The first legs of the last run in which the rules failed, at most 1,000.
    """

    __pydantic_config__ = CHECKED

    contest: Identifier
    engine: Identifier
    settings: Annotated[dict[Identifier, Setting], _FewKeys, AfterValidator(_with_seed_as_text)]
    entrants: Annotated[tuple[FieldEntrant, ...], Limits(max_length=10_000), FailFast()]
    numbers: Annotated[dict[_FileName, Number], _FewKeys]
    house: Annotated[tuple[FieldHousePlayer, ...], Limits(max_length=10_000), FailFast()] = ()
    house_numbers: Annotated[dict[_Name, Number], _FewKeys] = dataclasses.field(default_factory=dict)
    game: Identifier | Literal[""] = ""
    until: Until | None = None
    failed_legs: Annotated[tuple[FailedLeg, ...], Limits(max_length=MAX_FAILED)] = ()

    @cached_property
    def artifacts(self) -> dict[str, str]:
        """sha256 of the artifact of each entrant that can play, in hexadecimal, by name in the order of entrants.

        It is made once, and callers must not change it.
        """
        return {one.name: one.artifact for one in self.entrants if one.artifact}

    @cached_property
    def hashes(self) -> dict[str, bytes]:
        """sha256 of the artifact of each entrant that can play, as 32 bytes, by name in the order of entrants.

        It is made once, and callers must not change it.
        """
        return {name: bytes.fromhex(artifact) for name, artifact in self.artifacts.items()}

    @property
    def origin(self) -> Origin:
        """Origin of new legs of this field, with all players."""
        names = tuple(self.artifacts)
        numbers = tuple(self.numbers[name] for name in names)
        players = names, numbers, b"".join(self.hashes.values())
        return Origin(self.contest, self.engine, self.settings, self.house, self.game, *players)

    @property
    def sha256(self) -> dict[str, str]:
        """Hash of the content of each entrant and house player, by name, or "" if a file couldn't be read."""
        return {one.name: one.sha256 for one in self.entrants} | {one.name: one.sha256 for one in self.house}

    @property
    def rules(self) -> str:
        """Name of the contest whose rules are played."""
        return self.game or self.contest
