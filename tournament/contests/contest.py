"""What a contest is made of. A contest is one folder beside this file and one core in engine/."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from engine.kernel.game_core import ARGUMENT_LIMIT, VIEW_LIMIT, GameCore
from engine.kernel.records import Table
from engine.wasm.surroundings import FUEL_PER_SECOND
from tournament.contests.judging import Judge
from tournament.contests.portrait import Portrait
from tournament.contests.telling import Telling
from tournament.keys import Seed
from tournament.leg import LegPlan
from tournament.paths import PathText
from tournament.store.columns import Column
from tournament.store.ledger import TableName


@dataclass(frozen=True)
class Word:
    """A way to answer a question in text: ACTION and this word, then a number unless `value` is the answer."""

    text: str
    value: int | None = None


@dataclass(frozen=True)
class Question:
    """A decision that a bot is asked for.

    `parameters` and `result` are the WebAssembly types of the function of that
    name, each a tuple of those accepted. `arguments` names what it is passed
    after the bot, `extremes` has values at their limits to try bots with. `line`
    asks a program, with the names of arguments and of the view's fields in
    braces; it answers with one of the `words`. Where it `only_tells` something,
    the answer doesn't matter. One that `catches_up` tells only processes, and of Python bots none but their histories.
    """

    name: str
    parameters: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]
    arguments: tuple[str, ...]
    extremes: tuple[tuple[int, ...], ...]
    line: str
    words: tuple[Word, ...]
    only_tells: bool = False
    catches_up: bool = False

    @property
    def python_name(self) -> str:
        """The name in snake case, as a Python bot writes it."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()


@dataclass(frozen=True)
class ViewField:
    """A value in the view that the core writes: its name, where it lies, and its struct code (f, d, q or i).

    `extremes`: values at and between its limits, to try bots with.
    """

    name: str
    offset: int
    code: str
    extremes: tuple[float, ...]


@dataclass(frozen=True)
class Histories:
    """Lists of a game's moves that a Python bot is shown, the last of each from a field of the view.

    `lists`: by the name of each the field that has its next value. `length`: the field with how long they are.
    """

    lists: Mapping[str, str]
    length: str


class Helpers(Protocol):
    """A bot's own set of native functions that it may import; `functions` has their C addresses and first arguments."""

    @property
    def functions(self) -> Mapping[str, tuple[int, int]]: ...


class NewHelpers(Protocol):
    """Makes the helpers of one bot. `key` is for what they draw; the others let them take the bot's fuel, and trap."""

    def __call__(self, key: bytes, *, set_fuel: int, get_fuel: int, new_trap: int, context: int) -> Helpers: ...


@dataclass(frozen=True)
class Import:
    """A native function that a bot may import from "env", and its WebAssembly types."""

    name: str
    parameters: tuple[str, ...]
    result: str


class Dialogue(Protocol):
    """How a program is talked with over a leg, where a decision takes more than one line and its answer."""

    def asked(self) -> Sequence[str]:
        """The lines that put the pending decision, with all that is to be said before."""

    def said(self, line: bytes) -> str | int:
        """What a line of the program's comes to: a line in reply, or its answer to the decision.

        Raises `engine.processes.lanes.Violation`.
        """

    def ended(self) -> Sequence[str]:
        """The last lines, when the leg is over."""


@dataclass(frozen=True)
class PythonSdk:
    """A module that Python bots may import, by the name of its file.

    Its `for_leg(seed)` gives the names that are new for each leg, its
    `answering(function)` makes of a bot's function one that takes the view and
    returns a number. It may import these `modules` of the engine.
    """

    file: Path
    modules: tuple[str, ...]


@dataclass(frozen=True, eq=False)  # an interface equals itself only: it is the key of what is worked out once
class Interface:
    """How the contest's bots are written and how the engine reaches them.

    `sdk` holds the C header, the adapter and the templates of new bots. A bot's
    struct takes `bot_size` bytes of its memory; the view that the core writes
    lies `view_offset` bytes into it, and has `view` for fields. With `bot_size` 0
    there is no struct: all that a bot is told are arguments. `state_size`: elements
    of the list f that a Python bot may keep state in. Questions are in the core's
    order. A C++ bot may also be a class called `bot_class` with the questions as
    its methods. `hints` pair what a compiler's message may contain with the way out.
    `new_helpers` makes what stands behind `imports`, `name_answer` says in the
    rules' words what a refused answer was, `show_view` what a view shows, where
    its fields are too many to be listed. Python bots may import the
    `python_sdk`. `new_dialogue` begins a program's leg, from the core and the key
    of its helpers, if the questions' lines are not used; who breaks off a dialogue does
    not get another in that leg. Python bots have the `histories` as lists; others' moves lie in a WebAssembly
    bot's own memory, after its view, if the core writes them there.
    """

    sdk: Path
    header: str
    questions: tuple[Question, ...]
    bot_size: int
    view_offset: int
    view: tuple[ViewField, ...]
    state_size: int
    bot_class: str | None = None
    hints: tuple[tuple[str, str], ...] = ()
    imports: tuple[Import, ...] = ()
    new_helpers: NewHelpers | None = None
    name_answer: Callable[[int], str] = str
    show_view: Callable[[Mapping[str, float]], str] | None = None
    python_sdk: PythonSdk | None = None
    new_dialogue: Callable[[GameCore, bytes], Dialogue] | None = None
    histories: Histories | None = None
    told_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for more than the engine has room for."""
        for question in self.questions:
            if len(question.arguments) > ARGUMENT_LIMIT:
                raise ValueError(
                    f"{question.name} has {len(question.arguments)} arguments, at most {ARGUMENT_LIMIT} are possible"
                )
        if self.view_size > VIEW_LIMIT:
            raise ValueError(f"the view has {self.view_size} bytes, at most {VIEW_LIMIT} are possible")

    @property
    def answered(self) -> tuple[Question, ...]:
        """The questions that a bot has functions for."""
        return tuple(question for question in self.questions if not question.catches_up)

    @property
    def passes_address(self) -> bool:
        """Whether the first parameter of every function is the address of the bot's struct."""
        return self.bot_size > 0

    @property
    def view_size(self) -> int:
        """Bytes of the view."""
        sizes = {"f": 4, "i": 4, "d": 8, "q": 8}
        return max((field.offset + sizes[field.code] for field in self.view), default=0)

    @property
    def most_arguments(self) -> int:
        """Arguments of the question that has most, the bot's address aside."""
        return max(len(question.parameters) for question in self.questions) - self.passes_address


# The keys that say how many replicas of a match there are: more of them leave those that there were as they are.
HOW_MANY_REPLICAS = ("replicas", "until_settled", "most_replicas", "tie")


# For limits that only the leg's bank is to hold: the most that may be asked for.
NO_LIMIT_OF_FUEL = 10**15


class ContestSettings(BaseModel):
    """The keys that every contest's table in tournament.toml has.

    Limits of WebAssembly bots are in fuel, of which FUEL_PER_SECOND are a second. What counts is the leg's bank. Limits
    of a decision and of a start only end endless loops before that: a contest whose statement has a limit for all of a
    bot's time gives the bank that, and sets neither of the others. Where there is none, both are half a second, as
    much as a call may have without checks of a clock in its code, which would cost a tenth of all games' speed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    game: str | None = Field(None, description="by the rules of which contest it is played; default its own name")
    entrants: PathText | None = Field(None, description="folder of bots; default entrants/<contest>")
    sessions: int = Field(1000, ge=1, le=10**9, description="sessions of a leg")
    replicas: int = Field(
        1, ge=1, le=100_000, description="independent matches of so many sessions that are played of each pairing"
    )
    until_settled: float | None = Field(
        None,
        gt=0.5,
        lt=1,
        description="play more replicas where the order is open, until all of it is right with this chance",
    )
    most_replicas: int = Field(64, ge=1, le=100_000, description="but no more than so many of a match")
    tie: float | None = Field(
        None, gt=0, le=1e12, description="neighbours whose scores differ by less are tied, and so not open any more"
    )
    seed: Seed | None = Field(
        None, description="chooses the deals and all else that is random; None: a secret one is drawn and recorded"
    )
    deals: Literal["common", "independent"] = Field(
        "common", description="common: all pairings see the same deals; independent: each its own"
    )
    faults_allowed: int = Field(3, ge=0, le=1000, description="faults in one leg before disqualification")
    fuel_per_decision: int = Field(
        FUEL_PER_SECOND // 2,
        ge=10_000,
        le=NO_LIMIT_OF_FUEL,
        description="WebAssembly instructions that a decision may take",
    )
    fuel_to_start: int = Field(
        FUEL_PER_SECOND // 2,
        ge=10_000,
        le=NO_LIMIT_OF_FUEL,
        description="WebAssembly instructions that each start of a bot may take",
    )
    fuel_per_session: int = Field(
        50_000_000,
        ge=10_000,
        le=10**15,
        description="a leg's bank of WebAssembly instructions, for a start and all decisions, has so many a session",
    )
    memory_megabytes: int = Field(64, ge=1, le=4096, description="memory of one bot")
    cpu_seconds_per_decision: float = Field(
        1.0, ge=0.01, le=3600, description="processor time that a decision of a Python bot or a program may take"
    )
    wall_seconds_per_decision: float = Field(
        5.0, ge=0.1, le=3600, description="time that it may sleep or wait over a decision"
    )
    wall_seconds_per_leg: float = Field(60.0, ge=0.1, le=1e6, description="time that it may sleep or wait in a leg")
    cpu_seconds_per_leg: float = Field(60.0, ge=0.1, le=1e6, description="processor time that it has for a leg")
    cpu_milliseconds_more: float = Field(
        1.0, ge=0, le=1e6, description="and so much more for each decision of the leg, as on a chess clock"
    )

    @field_validator("replicas", "most_replicas")
    @classmethod
    def _sessions_have_numbers(cls, replicas: int, info: ValidationInfo) -> int:
        if replicas * info.data.get("sessions", 1) > 10**9:
            raise ValueError("times the sessions of a leg it is more than 1,000,000,000")
        return replicas

    def playing(self) -> dict[str, object]:
        """The settings on which the records depend: all but where the entrants lie, and how many replicas there are.

        Without the seed: these go to workers and into the ledger, where it must not be.
        """
        return self.model_dump(exclude={"game", "entrants", "seed", *HOW_MANY_REPLICAS})

    @property
    def fuel_per_leg(self) -> int:
        """WebAssembly instructions that a bot may take over a whole leg, its starts included."""
        return self.fuel_to_start + self.sessions * self.fuel_per_session


@dataclass(frozen=True)
class HousePlayer:
    """A fixed opponent that the contest brings.

    `content` is all that its play depends on besides settings and dice: it goes
    into the digests of its legs and to the core that plays it. `facts` are numbers
    about it that the scoring reads, such as what a perfect opponent wins a game.
    """

    name: str
    content: bytes
    facts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Played:
    """Sums of an entrant's play against one house player, over one leg or a match; `counts` are the core's."""

    points: float
    sessions: int
    games: int
    facts: Mapping[str, float]
    counts: tuple[int, ...] = ()


@dataclass(frozen=True)
class Measure:
    """A number about an entrant's play that leaderboard and crosstable show beside the score.

    `value` takes what was played against some house players, one or all; None
    where it has no meaning. `shown` writes it for a terminal, and the leaderboard has it from so wide a one on.
    """

    name: str
    title: str
    meaning: str
    value: Callable[[Sequence[Played]], float | None]
    shown: Callable[[float], str]
    from_width: int = 60


@dataclass(frozen=True)
class HouseScoring:
    """How play against house players becomes an entrant's score: the mean over them of `score`.

    `score` takes the sums of one session, and a match counts as their mean; or,
    where `of_match`, the sums of all sessions of the match at once. It is shown to so many `decimals`.
    """

    score: Callable[[Played], float]
    of_match: bool = False
    decimals: int = 1
    measures: tuple[Measure, ...] = ()


@dataclass(frozen=True)
class House:
    """The house players of a contest in which entrants play these and not each other.

    `players` gives those of a tournament; it takes the settings, the folder from which relative paths
    start, and someone to tell what takes long, and raises BadInput. `practice` gives one that entrants are tried
    against, chosen by a key. Every player has the `facts`. With a
    `suffix`, their contents are kept beside the records, as files of that ending,
    and so are those of the `examples`, which entrants may know.
    """

    players: Callable[[ContestSettings, Path, Callable[[str], None]], Sequence[HousePlayer]]
    practice: Callable[[bytes], HousePlayer]
    scoring: HouseScoring
    suffix: str | None = None
    facts: tuple[str, ...] = ()
    examples: Callable[[ContestSettings], Sequence[HousePlayer]] | None = None


@dataclass(frozen=True)
class Scored:
    """Where the records have points: columns of a table, by whose rows a leg is cut into blocks.

    `columns` are those of x and y. Of x alone where the game is zero-sum: y has the same with the other sign.
    Of games there are in a leg of one session what the setting called `length` says. `counts` makes a
    core's counts of columns of games, for those that have any.
    """

    table: TableName
    columns: tuple[str, ...]
    length: str = ""
    counts: Callable[[Mapping[str, npt.NDArray[Any]]], npt.NDArray[np.int64]] | None = None

    @property
    def zero_sum(self) -> bool:
        return len(self.columns) == 1

    def points(self, rows: Mapping[str, npt.NDArray[Any]]) -> tuple[npt.NDArray[np.float64], ...]:
        """What each seat has won in these rows of the table."""
        points = tuple(rows[column].astype(np.float64) for column in self.columns)
        return (*points, 0.0 - points[0]) if self.zero_sum else points


class LegLuck(Protocol):
    """Works out what luck was worth to x over one leg, from its games.

    A sum of corrections of mean zero, each of which is known before what it corrects, so that
    subtracting it changes no expectation (control variates). Raises ValueError for what no leg has.
    """

    def add(self, games: Mapping[str, npt.NDArray[Any]]) -> None:
        """The next games, by column, in any pieces."""

    def blocks(self) -> npt.NDArray[np.float64]:
        """In points, for each of the BLOCK_COUNT blocks into which the leg's points are cut."""


@dataclass(frozen=True)
class Luck:
    """A contest's correction for luck: the columns of games that it reads, and a new one for each leg.

    What luck was worth to x it took from y, so the games are zero-sum. `new` takes the settings, the leg's first
    session and the content of the house player in seat y, if one sits there. A new `version` means that the same
    games give other corrections. `keeps_means`: scores without luck have the means of the plain ones, so orders may be
    judged by them; where a score isn't linear in points they haven't.
    """

    columns: tuple[str, ...]
    new: Callable[[ContestSettings, int, bytes | None], LegLuck]
    version: int = 1
    keeps_means: bool = True


# Raised when the same settings no longer give the same games in any contest: it is of what they share. A
# contest's own is its `version`.
ENGINE_VERSION = 4


class NewCore(Protocol):
    """Makes the core of a leg; `house` is the content of the house player in seat y, if one sits there."""

    def __call__(
        self, leg: LegPlan, settings: ContestSettings, games: Table, sessions: Table, house: bytes | None = None
    ) -> GameCore: ...


@dataclass(frozen=True)
class Contest:
    """A contest: names, settings, records, bot interface and the core that plays it.

    Several may be played by the same `rules`, which are known by the name of the contest that brings them.
    Its `version` is raised when the same settings no longer give the same games in this contest: then its
    records are archived, and no other's. Without a `house` all entrants play all. With `luck` there is a score that
    is corrected for it beside the plain one. A `judge`, where the statement has
    one for programs, starts a program and plays one match with it alone. Before bots enter, they are tried
    with every question at extreme values; or, where a question makes sense in a game only, in the games of
    `new_core_at_limits`. The `portrait` is what a report shows beside scores. Without a `telling`, games are told by
    their columns; `shown_by` makes both where their words are settings. `unit` says in a few words what a point
    is. Three are guesses, until something is measured: the games of a session by the settings, how many one core
    plays in a second, and the bytes of one in the records. `commands` are what it adds to the command line: by
    name, where a Typer app is to be found, as "module:attribute"; it is imported when the command is called. The
    `preset` are settings with which a new settings file has it. `requires`: packages that its games depend on,
    with their versions; a node without just these does not play it.
    """

    name: str
    title: str
    version: int
    settings: type[ContestSettings]
    games: tuple[Column, ...]
    sessions: tuple[Column, ...]
    scored: Scored
    interface: Interface
    new_core: NewCore
    house: House | None = None
    judge: Judge | None = None
    luck: Luck | None = None
    new_core_at_limits: NewCore | None = None
    portrait: Portrait | None = None
    telling: Telling | None = None
    shown_by: Callable[[ContestSettings], tuple[Portrait, Telling]] | None = None
    unit: str = ""
    expected_games: Callable[[Any], float] = lambda settings: 25.0
    expected_rate: float = 3e6
    expected_bytes: float = 12.0
    commands: Mapping[str, str] = field(default_factory=dict)
    preset: Mapping[str, object] = field(default_factory=dict)
    requires: tuple[tuple[str, str], ...] = ()
    rules: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", self.rules or self.name)

    def named(self, name: str) -> Contest:
        """A contest of this name with the same rules."""
        if name == self.name:
            return self
        return replace(self, name=name, title=name.replace("_", " ").capitalize())

    def under(self, settings: ContestSettings) -> Contest:
        """This contest, shown in the words of its settings if these have any."""
        if self.shown_by is None:
            return self
        portrait, telling = self.shown_by(settings)
        return replace(self, portrait=portrait, telling=telling)

    @property
    def engine_version(self) -> str:
        """The shared version and the contest's own, as digests and records have them."""
        return f"{ENGINE_VERSION}.{self.version}"
