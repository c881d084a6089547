"""The settings that every contest has."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from engine.wasm.surroundings import FUEL_PER_SECOND
from tournament.keys import Seed
from tournament.paths import PathText

# The keys that say how many replicas of a match there are. When they change, played replicas are kept.
HOW_MANY_REPLICAS = ("replicas", "until_settled", "most_replicas", "tie")

# The most that may be set: for limits that leave all to the leg's bank.
NO_LIMIT_OF_FUEL = 10**15
BANK = "the bank of a leg, which is one session, for all calls"
FAULTS = "faults in one leg before a bot is disqualified"

# Keys whose defaults differ by contest, with their limits and meanings.
Fuel = Annotated[int, Field(ge=10_000, le=NO_LIMIT_OF_FUEL)]
FuelPerDecision = Annotated[
    Fuel, Field(description="WebAssembly instructions that a decision may take, if the bank has them")
]
FuelToStart = Annotated[Fuel, Field(description="those that each start of a bot may take")]
FuelPerSession = Annotated[
    Fuel, Field(description="a leg's bank for all calls: so many for each session, and fuel_to_start")
]
Megabytes = Annotated[int, Field(ge=1, le=4096, description="memory of one bot, beside 8 MB of stack")]
FaultsAllowed = Annotated[int, Field(ge=0, le=1000, description=FAULTS)]
Sessions = Annotated[
    int, Field(ge=1, le=10**9, description="sessions of a leg: of a match, or of each half of a duplicate match")
]
CpuPerDecision = Annotated[
    float,
    Field(ge=0.01, le=3600, description="processor time that a decision of a Python bot or a program may take"),
]
CpuPerLeg = Annotated[float, Field(ge=0.1, le=1e6, description="processor time that it has for a leg")]
CpuMore = Annotated[
    float, Field(ge=0, le=1e6, description="and so much more for each decision of the leg, as on a chess clock")
]
WallPerLeg = Annotated[float, Field(ge=0.1, le=1e6, description="time that it may sleep or wait in a leg")]
Duplicate = Annotated[bool, Field(description="play each match twice: same deals, seats swapped, memory wiped")]
Words = Annotated[str, Field(max_length=4_000)]


class ContestSettings(BaseModel):
    """The keys that every contest's table in tournament.toml has.

    Limits of WebAssembly bots are in fuel, FUEL_PER_SECOND to a second. The leg's bank is what counts. Limits of a
    decision and of a start only end endless loops sooner. They are half a second: with more, a bot's code would have to
    check a clock, which would cost a tenth of all games' speed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    game: str | None = Field(
        None,
        description="whose rules: a contest's name, or a file; default its own name",
    )
    entrants: PathText | None = Field(None, description="folder of bots; default entrants/<contest>")
    adapter: PathText | None = Field(
        None,
        description="Python file that is executed before each Python bot's, for bots written for another interface",
    )
    sessions: Sessions = 1000
    replicas: int = Field(
        1,
        ge=1,
        le=100_000,
        description="independent matches of each pair, whose mean is the score: bots start anew, with other deals. Ten"
        " tell how sure places are, and take ten times as long; after one they are wide. Against house players a"
        " factor of the sessions",
    )
    until_settled: float | None = Field(
        None,
        gt=0.5,
        lt=1,
        description="play more replicas until the whole order is right with this chance, as 0.95",
    )
    most_replicas: int = Field(64, ge=1, le=100_000, validate_default=True, description="but no more than so many")
    tie: float | None = Field(None, gt=0, le=1e12, description="neighbours whose scores differ by less are tied")
    tables: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="matches that each bot hosts in each replica, with guests that are drawn; default all combinations"
        " of bots. For large fields, and for many at a table",
    )
    seed: Seed | None = Field(
        None,
        description="chooses the deals and all else that is random, such as the bots' rand(): a text, or a whole number"
        " below 2²⁵⁶. Without one a secret seed is drawn and recorded",
    )
    faults_allowed: FaultsAllowed = 3
    fuel_per_decision: FuelPerDecision = FUEL_PER_SECOND // 2
    fuel_to_start: FuelToStart = FUEL_PER_SECOND // 2
    fuel_per_session: FuelPerSession = 50_000_000
    memory_megabytes: Megabytes = 64
    cpu_seconds_per_decision: CpuPerDecision = 1.0
    wall_seconds_per_decision: float = Field(
        5.0, ge=0.1, le=3600, description="time that it may sleep or wait over a decision"
    )
    wall_seconds_per_leg: WallPerLeg = 60.0
    cpu_seconds_per_leg: CpuPerLeg = 60.0
    cpu_milliseconds_more: CpuMore = 1.0
    title: Words | None = Field(None, description="the contest's title in tables and in the report; default its own")
    about: Words | None = Field(
        None,
        description="the rules in the report, for readers who don't know them; default a few sentences of its own",
    )

    @field_validator("replicas", "most_replicas")
    @classmethod
    def _sessions_have_numbers(cls, replicas: int, info: ValidationInfo) -> int:
        # Of a run that isn't until the order is settled most_replicas has no meaning.
        counts = info.field_name == "replicas" or info.data.get("until_settled") is not None
        if counts and replicas * info.data.get("sessions", 1) > 10**9:
            raise ValueError("times the sessions of a leg it is more than 1,000,000,000")
        return replicas

    def playing(self) -> dict[str, object]:
        """The settings on which games depend: all but files, words, seed, and who plays whom how often."""
        return self.model_dump(
            exclude={"game", "entrants", "adapter", "title", "about", "seed", "tables", *HOW_MANY_REPLICAS}
        )

    def recorded(self) -> dict[str, object]:
        """The settings as the ledger has them: those on which games depend, and whether tables are drawn."""
        return self.playing() | ({} if self.tables is None else {"tables": self.tables})

    def for_workers(self) -> dict[str, object]:
        """Those with which legs are played: of some contests, also limits that no record depends on."""
        return self.playing()

    @property
    def fuel_per_leg(self) -> int:
        """WebAssembly instructions that a bot may take over a whole leg, its starts included."""
        return self.fuel_to_start + self.sessions * self.fuel_per_session


class BankedSettings(ContestSettings):
    """Of a contest whose statement limits only all of a bot's time in a session: the bank is `fuel_per_session`."""

    fuel_per_decision: FuelPerDecision = NO_LIMIT_OF_FUEL
    fuel_to_start: FuelToStart = NO_LIMIT_OF_FUEL

    @property
    def fuel_per_leg(self) -> int:
        return self.fuel_per_session
