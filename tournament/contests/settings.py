"""The settings that every contest has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationInfo, field_validator

from engine.wasm.surroundings import FUEL_PER_SECOND
from tournament.keys import Seed
from tournament.paths import PathText

# The keys that say how many replicas of a match there are. When they change, played replicas are kept.
HOW_MANY_REPLICAS = ("replicas", "until_settled", "max_replicas", "tie_margin")

# Limit of a decision or a start, if the leg's bank has that much: it only ends endless loops sooner. With more fuel a
# C bot's code would have to check a clock, which would cost 10% of all games' speed.
DECISION_FUEL = FUEL_PER_SECOND // 2
DECISION_SECONDS = 1.0
# Ratio of the time that a process can sleep or wait in a leg to that over a decision.
_IDLE_TIMES = 12
FAULTS = "faults per leg; one more disqualifies a bot"

# Keys whose defaults differ by contest, with their limits and meanings.
Seconds = Annotated[
    float,
    Field(ge=0.001, le=1e6, description="time of a bot per leg: processor time, or for a C bot the equivalent fuel"),
]
ProgramSeconds = Annotated[
    float | None, Field(ge=0.001, le=1e6, description="time of a program per leg; default `seconds`")
]
Increment = Annotated[
    float,
    Field(
        ge=0,
        le=1e6,
        description="additional milliseconds per decision, like a chess clock's increment; for a C bot per session",
    ),
]
Megabytes = Annotated[int, Field(ge=1, le=4096, description="memory of a bot, without 8 MB of stack")]
FaultsAllowed = Annotated[int, Field(ge=0, le=1000, description=FAULTS)]
Sessions = Annotated[
    int, Field(ge=1, le=10**9, description="sessions of a leg: of a match, or of each rotation of a duplicate match")
]
Duplicate = Annotated[bool, Field(description="play every deal once in each rotation of the bots, memory wiped")]
LongText = Annotated[str, Field(max_length=4_000)]


class ContestSettings(BaseModel):
    """Keys of every contest's table in tournament.toml.

    Time is a bank for the whole leg. For WebAssembly bots it is fuel, FUEL_PER_SECOND per second.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    rules: str | None = Field(
        None, description="a contest whose rules to play, or a file; default the table's own name"
    )
    entrants: PathText | None = Field(None, description="folder of bots; default entrants/<contest>")
    house: PathText | None = Field(
        None,
        description="folder of the host's own bots, which play and aren't ranked; default house/<contest>, if there",
    )
    house_seats: int = Field(
        0,
        ge=0,
        le=63,
        description="how many of the seats of each table are the house bots'; by default they sit where entrants do",
    )
    authors: dict[Annotated[str, Field(min_length=1, max_length=100)], list[str]] | None = Field(
        None,
        description="the bots of each author, by names or patterns, for totals of authors: as in"
        ' {ann = ["ann_*"], bob = ["owl"]}',
    )
    adapter: PathText | list[PathText] | None = Field(
        None,
        description="file that is put before each bot's in its language, Python, C or C++, for bots written for another"
        " interface; or a list of files for several languages",
    )
    library: PathText | list[PathText] | None = Field(
        None, description="Python file or folder, or a list of them, that rules in Python and Python bots can import"
    )
    sessions: Sessions = 1000
    replicas: int = Field(
        1,
        ge=1,
        le=100_000,
        description="independent matches of each pair, with other deals and fresh memory; the score is their mean. Two"
        " or more give places, ten narrow ones. Against house players a factor of the sessions",
    )
    until_settled: float | None = Field(
        None,
        gt=0.5,
        lt=1,
        description="play more replicas until the order is right with this probability, such as 0.95",
    )
    max_replicas: int = Field(64, ge=1, le=100_000, validate_default=True, description="maximum replicas per match")
    tie_margin: float | None = Field(None, gt=0, le=1e12, description="neighbours whose scores differ by less are tied")
    tables: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="matches that each bot hosts in each replica, with guests drawn at random; default all combinations"
        " of bots. For large fields",
    )
    table_mates: Literal["any", "other_authors"] = Field(
        "any",
        description='"other_authors": bots of one author, by `authors` or in an open contest, share no drawn table of'
        " three or more",
    )
    self_play: bool = Field(
        False,
        description="of two seats: also play every bot against a copy of itself, for the diagonal of the crosstable."
        " It counts for no place",
    )
    seed: Seed | None = Field(
        None,
        description="text, or whole number below 2²⁵⁶, that chooses the deals and all else that is random; default a"
        " secret one, which is recorded",
    )
    max_faults: FaultsAllowed = 3
    seconds: Seconds = 60.0
    program_seconds: ProgramSeconds = None
    increment_ms: Increment = 1.0
    idle_seconds: float = Field(
        5.0,
        ge=0.1,
        le=3600,
        description="time that a Python bot or a program may sleep or wait per decision; twelve times as much per leg",
    )
    memory_megabytes: Megabytes = 64
    title: LongText | None = Field(None, description="title in tables and in the report; default the rules' title")
    description: LongText | None = Field(
        None, description="text about the rules in the report; default the rules' description"
    )

    @field_validator("replicas", "max_replicas")
    @classmethod
    def _sessions_have_numbers(cls, replicas: int, info: ValidationInfo) -> int:
        """Return the number of replicas.

        Raises:
            ValueError: A match could have more sessions than there are numbers.
        """
        # Without until_settled, max_replicas has no meaning.
        counts = info.field_name == "replicas" or info.data.get("until_settled") is not None
        if counts and replicas * info.data.get("sessions", 1) > 10**9:
            raise ValueError("multiplied by the sessions of a leg, it exceeds 1,000,000,000")
        return replicas

    @property
    def adapter_files(self) -> list[str]:
        """The paths of the contest's adapters in the order of the key, empty if there are none."""
        return [self.adapter] if isinstance(self.adapter, str) else self.adapter or []

    @property
    def library_files(self) -> list[str]:
        """The paths of the contest's library in the order of the key, empty if there are none."""
        return [self.library] if isinstance(self.library, str) else self.library or []

    def playing(self) -> dict[str, object]:
        """Return the settings on which games depend, by key, as a new dict.

        Files, words, the seed, and the choice and number of matches aren't among them.
        """
        return self.model_dump(
            exclude={
                "rules",
                "entrants",
                "house",
                "authors",
                *(() if self.house_seats else ("house_seats",)),
                "adapter",
                "library",
                "title",
                "description",
                "seed",
                "tables",
                "table_mates",
                "self_play",
                *HOW_MANY_REPLICAS,
            }
        )

    def recorded(self) -> dict[str, object]:
        """Return the settings as the records have them: those on which games depend, and how tables are drawn."""
        drawn = {} if self.tables is None else {"tables": self.tables}
        return self.playing() | drawn | ({} if self.table_mates == "any" else {"table_mates": self.table_mates})

    def for_workers(self) -> dict[str, object]:
        """Return the settings with which legs are played. Some contests include limits that no record depends on."""
        return self.playing()

    @property
    def fuel_per_leg(self) -> int:
        """Fuel that a bot can use over a complete leg, with its starts. A unit is about one WebAssembly instruction."""
        return int((self.seconds + self.sessions * self.increment_ms / 1000) * FUEL_PER_SECOND)

    @property
    def fuel_per_call(self) -> int:
        """Fuel that a decision or a start can use, if the bank has that much."""
        return min(DECISION_FUEL, self.fuel_per_leg)

    def process_time(self, kind: str) -> ProcessTime:
        """Return the time of a kind of bot, "python" or "program", in seconds.

        A program has `program_seconds` if that is set, otherwise `seconds`.
        """
        seconds = self.program_seconds if kind == "program" and self.program_seconds is not None else self.seconds
        return ProcessTime(seconds, self.increment_ms / 1000, DECISION_SECONDS, self.idle_seconds)


class BankedSettings(ContestSettings):
    """Keys of a contest whose statement limits only a bot's time per session: one decision can take all of it."""

    @property
    def fuel_per_leg(self) -> int:
        """Fuel that all decisions of a leg can use."""
        return int(self.seconds * FUEL_PER_SECOND)

    _decision_seconds: float = PrivateAttr(inf)

    def with_decisions_within(self, seconds: float) -> Self:
        """Return these settings for a trial, in which a decision or a start can take only this many seconds."""
        copied = self.model_copy()
        copied._decision_seconds = seconds
        return copied

    @property
    def fuel_per_call(self) -> int:
        """Fuel that one decision can use: no more than the leg has."""
        return int(min(self.fuel_per_leg, self._decision_seconds * FUEL_PER_SECOND))

    def process_time(self, kind: str) -> ProcessTime:
        """Return the time of a kind of bot, whose complete bank can go into one decision."""
        time = super().process_time(kind)
        return replace(time, for_decision=min(time.bank, self._decision_seconds))


@dataclass(frozen=True)
class ProcessTime:
    """Seconds that a process has.

    Attributes:
        bank: Processor time for the leg.
        increment: Additional processor time for each decision.
        for_decision: Processor time for one decision.
        idle: Time of sleeping and waiting per decision.
    """

    bank: float
    increment: float
    for_decision: float
    idle: float

    @property
    def idle_in_leg(self) -> float:
        """Seconds of sleeping and waiting in a leg."""
        return _IDLE_TIMES * self.idle
