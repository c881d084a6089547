"""Contests as the program runs them. A contest is one folder beside this file and one core in engine/."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from tournament.contests.interface import Interface
from tournament.contests.presentation import Presentation
from tournament.contests.rules_loader import Source
from tournament.contests.scoring import House, PointsSource
from tournament.contests.settings import ContestSettings
from tournament.errors import InputError, RunError
from tournament.leg import LegPlan
from tournament.store.columns import Column
from tournament.store.field import TableName


class LegsLuck(Protocol):
    """Computes the value of luck for seat 0 in legs that follow each other, from their games.

    A leg's luck is a sum of corrections, each with mean zero given all earlier events (control variates).
    """

    def add(
        self, games: Mapping[str, npt.NDArray[Any]], first_rows: Sequence[int], first_sessions: Sequence[int]
    ) -> None:
        """Add the next games, in any pieces.

        Args:
            games: The games, by column.
            first_rows: The rows at which further legs begin. Those before belong to the leg that began last.
            first_sessions: Number of the first session of each of these legs.

        Raises:
            ValueError: No leg has these games.
        """

    def blocks(self) -> npt.NDArray[np.float64]:
        """Return the value of luck for seat 0 in points: a row for each leg as added, with its BLOCK_COUNT blocks."""


@dataclass(frozen=True)
class Luck:
    """A contest's correction of scores for luck.

    The games must be zero-sum: what luck gives seat 0 it takes from seat 1. Scores must be linear in points, so that
    scores without luck have the same means. Records have the corrections: if the same games give other ones, raise the
    contest's version.

    Attributes:
        columns: The columns of games that it reads.
        new: Called with the contest's settings; returns the LegsLuck of legs that are played with them.
    """

    columns: tuple[str, ...]
    new: Callable[[Any], LegsLuck]


# Version of the code that all contests share. It is raised when the same settings no longer give the same games in any
# of them. A contest has its own `version`.
ENGINE_VERSION = 10
_DRAWN_SEATS_VERSION = 11  # version of contests that draw who comes first at a table


@dataclass(frozen=True)
class Tables:
    """The columns of a contest's records for this many seats, and the source of points in them."""

    games: tuple[Column, ...]
    sessions: tuple[Column, ...]
    scored: PointsSource


# A contest's seats: this many, one of several by the settings, or one for each entrant.
SeatCount = int | range | Literal["all"]


OwnSettings = TypeVar("OwnSettings", bound=ContestSettings)


@dataclass(frozen=True)
class CoreSetup(Generic[OwnSettings]):
    """The parts of which a core is made.

    Attributes:
        leg: The leg.
        settings: The contest's settings.
        games: Table of games, which the core fills.
        sessions: Table of sessions, which the core fills.
        house: Content of the leg's house player, None if there is none.
    """

    leg: LegPlan
    settings: OwnSettings
    games: Table
    sessions: Table
    house: bytes | None = None


NewCore = Callable[[CoreSetup[Any]], GameCore]


class NewAnsweredCore(Protocol):
    """Makes the core of a leg that asks no bot: a function answers each question, or chance draws.

    Rules get what `watch` returns instead of a session. Without `answer`, answers are drawn.
    """

    def __call__(
        self,
        setup: CoreSetup[Any],
        answer: Callable[[Any], Any] | None = None,
        watch: Callable[[Any], Any] | None = None,
    ) -> GameCore:
        """Return the core of a leg.

        Args:
            setup: What the core is made of.
            answer: Called with each question; returns the answer. None: answers are drawn.
            watch: Called with each session; returns the object that the rules get instead. None: they get the session.
        """


class NewDrawnCore(Protocol):
    """Makes the core of a leg that appends drawings of one session, text or SVG, for each decision and the end."""

    def __call__(self, setup: CoreSetup[Any], number: int, drawings: list[str], names: Sequence[str]) -> GameCore:
        """Return the core of a leg.

        Args:
            setup: What the core is made of.
            number: Number of the session that is drawn, from 0.
            drawings: List to which the drawings are appended, in order of play.
            names: Names of the bots by seat.
        """


@dataclass(frozen=True)
class Core:
    """A state machine of the engine's that plays legs, where `Rules.play` would be too slow.

    Attributes:
        new: Makes the core of a leg.
        games: The columns of its rows of games.
        sessions: The columns of its rows of sessions.
        scored: Where its rows have points.
        at_limits: Makes the core of a leg to try bots with before they enter, where decisions make sense only in a
            game; without it they are asked at extreme values.
    """

    new: NewCore
    games: tuple[Column, ...]
    sessions: tuple[Column, ...]
    scored: PointsSource
    at_limits: NewCore | None = None


@dataclass(frozen=True)
class Estimates:
    """Estimates before a measurement.

    Attributes:
        games: Called with the settings; returns the expected games of a session. By default 1.
        rate: Games per second of one processor core.
        bytes: Bytes of a recorded game in the stored files.
    """

    games: Callable[[Any], float] = lambda settings: 1.0
    rate: float = 1e5
    bytes: float = 12.0


@dataclass(frozen=True)
class Contest:
    """A contest that is made of a class of rules, or of several contests' common rules.

    Attributes:
        version: Raised when the same settings no longer give the same games. Records are then archived.
        house: House players. With them there is one seat, and entrants don't play each other.
        new_core_at_limits: Makes cores to try bots with before they enter. None: bots get extreme questions without a
            game.
        new_random_core: Makes cores that draw the answers of all bots, or take them from a function. None if the rules
            have a core of the engine's.
        new_drawn_core: Makes cores of replays that are drawn. None: the rules draw nothing.
        render_problem: Returns the error of a drawing with given settings, or "". None: the rules draw nothing.
        luck: The correction of scores for luck. None: they aren't corrected.
        presentation: Charts and games step by step for the report. None: it has neither.
        present: Makes the `presentation` of the settings. None: it doesn't depend on them.
        make_interface: Makes the `interface` of the settings. None: it doesn't depend on them.
        presets: Settings of contests that come with bots, by name, in a new settings file.
        requires: Packages on which its games depend, with their versions, "none" for a missing one.
        tables_for: Returns the columns of records and the source of points for a given number of seats. None if these
            don't depend on it.
        first_by_name: Whether the first of two seats by name begins.
        members: Bots of each entrant at a table.
        hints: Names of values that show bots part of a hidden draw on purpose, such as "shot.hit".
        rules: Name of the rules, which several contests can share. By default it is the contest's name.
        source: Place of rules that are from a user's file or a package; None for the project's own.
        edition: Digest of the user's file and of the parts of its library that it uses; "" for other rules.
    """

    name: str
    title: str
    version: int
    settings: type[ContestSettings]
    games: tuple[Column, ...]
    sessions: tuple[Column, ...]
    scored: PointsSource
    interface: Interface
    new_core: NewCore
    house: House | None = None
    seats: SeatCount = 2
    luck: Luck | None = None
    new_core_at_limits: NewCore | None = None
    new_random_core: NewAnsweredCore | None = None
    new_drawn_core: NewDrawnCore | None = None
    render_problem: Callable[[Any], str] | None = None
    points_unit: str = ""
    description: str = ""
    presentation: Presentation | None = None
    present: Callable[[Any], Presentation] | None = None
    make_interface: Callable[[Any], Interface] | None = None
    estimates: Estimates = field(default_factory=Estimates)
    presets: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    requires: tuple[tuple[str, str], ...] = ()
    tables_for: Callable[[int], Tables] | None = None
    first_by_name: bool = False
    members: int = 1
    hints: tuple[str, ...] = ()
    rules: str = ""
    source: Source | None = None
    edition: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", self.rules or self.name)

    def named(self, name: str) -> Contest:
        """Return a contest of this name with the same rules, and with the title of its preset or of its name.

        It is this object if it has the name already.
        """
        if name == self.name:
            return self
        title = self.presets.get(name, {}).get("title", name.replace("_", " ").capitalize())
        return replace(self, name=name, title=str(title))

    @property
    def preset(self) -> Mapping[str, object]:
        """The contest's settings in a new settings file, empty if it comes without bots."""
        return self.presets.get(self.name, {})

    def seats_of(self, settings: Mapping[str, object]) -> int | None:
        """Return the seats of a match by the settings, or None for all entrants."""
        if self.seats == "all":
            return None
        return self.seats if isinstance(self.seats, int) else int(str(settings["seats"]))

    def fewest_entrants(self, settings: Mapping[str, object]) -> int:
        """Return the minimum number of entrants, at least 1, without the bots that have the house's seats.

        It is 2 if a match has all entrants.
        """
        return max(1, (self.seats_of(settings) or 2) - int(str(settings.get("house_seats", 0))))

    def seated(self, seats: int) -> Contest:
        """Return this contest with records of tables of this many seats, or itself if they don't depend on it."""
        if self.tables_for is None:
            return self
        tables = self.tables_for(seats)
        return replace(self, games=tables.games, sessions=tables.sessions, scored=tables.scored)

    def sessions_per_leg(self, settings: ContestSettings) -> int:
        """Return the sessions of a leg. Against house players each session is a leg of its own."""
        return 1 if self.house else settings.sessions

    def columns(self, table: TableName) -> tuple[Column, ...]:
        """Return the columns of a table of the contest's records."""
        return self.games if table == "games" else self.sessions

    def under(self, settings: ContestSettings) -> Contest:
        """Return this contest with the words and the decisions that follow from its settings.

        Raises:
            InputError: Its rules make no decisions of these settings.
            RunError: The machine is at fault, such as a cache that can't be used.
        """
        presentation = self.presentation if self.present is None else self.present(settings)
        interface = self.interface
        if self.make_interface is not None:
            try:
                interface = self.make_interface(settings)
            except RunError:
                raise  # The machine is at fault, such as a cache that can't be used.
            except Exception as error:
                raise InputError(
                    f"{self.rules}: no decisions with these settings: {type(error).__name__}: {error}"
                ) from error
        return replace(self, presentation=presentation, interface=interface)

    @property
    def engine_version(self) -> str:
        """The shared version, the contest's own and the edition of a file's rules, as digests and records have them."""
        shared = ENGINE_VERSION if self.house or self.first_by_name else _DRAWN_SEATS_VERSION
        return f"{shared}.{self.version}" + (f".{self.edition}" if self.edition else "")
