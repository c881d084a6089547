"""The class that authors of contests subclass, and the decisions that it declares."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, cast

from pydantic import Field

from engine.kernel.game_core import QUESTION_LIMIT, SEAT_LIMIT
from engine.rules.decisions import Question
from engine.rules.session_core import Session
from tournament.contests.bots import Sdk
from tournament.contests.contest import Core, Estimates, Luck
from tournament.contests.presentation import Presentation
from tournament.contests.scoring import House
from tournament.contests.settings import ContestSettings, Duplicate
from tournament.decisions.decision import Decision
from tournament.rules.protocol import Protocol
from tournament.store.columns import Column

# The type of `play`: it yields questions, is sent answers, and returns nothing.
Questions = Generator[Question | Sequence[Question], Any, None]

MAX_CACHED_DECISIONS = 64  # sets made of settings, in a process that plays many contests


class Settings(ContestSettings):
    """Keys that every contest with rules in Python has. A contest's own settings are a subclass."""

    duplicate: Duplicate = False
    rules_seconds_per_step: float = Field(
        10.0,
        ge=0.1,
        le=3600,
        description="time that the rules may take from one question to the next; more sets the match aside",
    )

    max_questions: int = Field(
        100_000, ge=1, le=10**12, description="questions of a game, of all seats; more set the match aside"
    )

    def playing(self) -> dict[str, object]:
        """Return the settings that the games depend on, by key, as a new dict. The limit of a step isn't one."""
        played = super().playing()
        del played["rules_seconds_per_step"]
        return played

    def for_workers(self) -> dict[str, object]:
        """Return the settings that workers need, by key: those of `playing`, and the limit of a step in seconds."""
        return self.playing() | {"rules_seconds_per_step": self.rules_seconds_per_step}


class Rules:
    """Rules of a contest: a subclass has these names, and `play` or a `core`. Each leg has an object of its own.

    Attributes:
        name: The contest's name, unless its table has another.
        title: The name as people read it; "" makes it of `name`.
        version: Raised when the same settings no longer give the same games.
        seats: How many bots sit at a table. With a range the contest's table has the key `seats`. "all" seats every
            entrant at one table.
        teams: The positions of each entrant, equally many; empty: each entrant has one. Each position has a bot of its
            own. A game's points and the columns per seat are by team.
        settings_class: The keys of the contest's table.
        decisions: Tuple of the decisions that bots make, or a static method that returns it by the settings. `play`
            asks by `self.ask`, which has each decision by its name.
        columns: The contest's own columns of games, in their order.
        zero_sum: Whether the points of each game add up to 0.
        points_unit: What a point is.
        description: The rules in a few sentences.
        requires: Packages on whose versions the games depend.
        house: The fixed opponents of a contest of one seat, whom each entrant plays. They have no seat. None: there are
            none.
        house_content: In an object, the content of the leg's house player, b"" without one.
        data: Decision that files of an ending answer by their text, by the ending, such as ".red". Such an entrant is
            data.
        protocol: How programs are asked in lines of their own; None: in JSON.
        luck: The correction of scores for luck, against house players or in zero-sum games of two seats. None: scores
            aren't corrected.
        presentation: Charts and games step by step for the report, or a function that makes them of the settings.
            Only for at most two seats. None: the report has neither.
        core: A state machine of the engine's, played instead of `play`. It comes with an `sdk`. None: `play` plays.
        sdk: The header and the templates for a core's bots, as a statement fixes them. `decisions` are then in the
            core's order, and a core has its own columns. None: they are written from the decisions.
        estimates: What is assumed of games before any is played.
        presets: Contests by these rules that come with bots: settings in a new settings file, by name.
        hints: Values that tell a bot, on purpose, part of a draw that it is shown in full later, as in ("shot.hit",):
            of the decision `shot` the value `hit`. An audit takes others for mistakes.
        first_by_name: Whether of two seats the first bot by name begins a match, as a statement may say. Otherwise it
            is drawn.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    version: ClassVar[int] = 1
    seats: ClassVar[int | range | Literal["all"]]
    teams: ClassVar[Sequence[Sequence[int]]] = ()
    settings_class: ClassVar[type[ContestSettings]] = Settings
    #: Any, because type checkers accept a static method for no type that has both forms.
    decisions: ClassVar[Any]
    columns: ClassVar[tuple[Column, ...]] = ()
    zero_sum: ClassVar[bool] = True
    points_unit: ClassVar[str] = ""
    description: ClassVar[str] = ""
    requires: ClassVar[tuple[str, ...]] = ()
    house: ClassVar[House | None] = None
    data: ClassVar[Mapping[str, Decision]] = {}
    protocol: ClassVar[type[Protocol] | None] = None
    luck: ClassVar[Luck | None] = None
    presentation: ClassVar[Presentation | Callable[[Any], Presentation] | None] = None
    core: ClassVar[Core | None] = None
    sdk: ClassVar[Sdk | None] = None
    estimates: ClassVar[Estimates] = Estimates()
    presets: ClassVar[Mapping[str, Mapping[str, object]]] = {}
    hints: ClassVar[Sequence[str]] = ()
    first_by_name: ClassVar[bool] = False

    house_content = b""
    #: The bots by position while `render` is called; empty while games are played, which must not depend on names.
    bot_names: Sequence[str] = ()

    def __init__(self, settings: Any) -> None:
        self.settings = settings

    @cached_property
    def ask(self) -> Any:
        """The decisions by name, as in `yield self.ask.bid(position, value=3)`, unless a subclass redefines `ask`."""
        return SimpleNamespace(**{one.name: one for one in get_decisions(type(self), self.settings)})

    def play(self, session: Session) -> Questions:
        """Play a session: at least one game, each recorded by `session.record(points, column=…)`.

        Each step to the next question may take `rules_seconds_per_step` seconds. An exception sets the match aside.

        Yields:
            A question, whose answer it receives, or a list of questions to different positions. Their answers come as a
            dict by position, in the order of the questions.
        """
        raise NotImplementedError

    def render(self) -> str:
        """Return the current position for a report, as text or as an SVG image.

        A replay calls it before each decision and at a session's end. `play` stores in self what it needs, and
        `self.bot_names` has the bots' names by position. A text is cut at 20,000 characters, and a longer SVG image
        isn't shown. An exception is shown instead of the drawing and changes no game.
        """
        return ""


def max_seats(rules: type[Rules]) -> int:
    """Return the most seats that a table of these rules can have. A team is one seat."""
    return SEAT_LIMIT if rules.seats == "all" else rules.seats if isinstance(rules.seats, int) else rules.seats[-1]


def max_positions(rules: type[Rules]) -> int:
    """Return the most positions that a table of these rules can have, counting each member of a team."""
    return sum(map(len, rules.teams)) if rules.teams else max_seats(rules)


def seats_at_first(rules: type[Rules]) -> int:
    """Return how many seats the contest's tables have before the field is known: the fewest, or 2 for "all"."""
    if isinstance(rules.seats, range):
        return rules.seats[0]
    return 2 if rules.seats == "all" else int(rules.seats)


def check_decisions(decisions: Sequence[Decision]) -> None:
    """Check that a contest can have these decisions.

    Raises:
        ValueError: There are none or too many, all are news, or two have the same name.
    """
    if not 0 < len(decisions) <= QUESTION_LIMIT:
        raise ValueError(f"it has {len(decisions)} decisions; expected 1 to {QUESTION_LIMIT}")
    if all(decision.is_news for decision in decisions):
        raise ValueError("it has news only; a bot needs at least one decision")
    names = [decision.name for decision in decisions]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two decisions are called {twice[0]}")


# Decisions made from settings, by the rules and the settings on which games depend.
_decisions_cache: dict[tuple[type[Rules], str], tuple[Decision, ...]] = {}


def get_decisions(rules: type[Rules], settings: Any) -> tuple[Decision, ...]:
    """Return the decisions with these settings, in the order in which the rules declare them.

    They are the same objects with the same settings, unless 64 other sets were made since. Settings matter only if
    a method makes the decisions, otherwise they can be None.

    Raises:
        ValueError: The decisions that the rules make of the settings are none that a contest can have.
    """
    declared = rules.decisions
    if not callable(declared):
        return cast(tuple[Decision, ...], declared)
    key = rules, json.dumps(settings.playing(), sort_keys=True, default=str)
    if key not in _decisions_cache:
        decisions = tuple(declared(settings))
        if wrong := [one for one in decisions if not isinstance(one, Decision)]:
            raise ValueError(f"decisions(settings) returns {wrong[0]!r}; expected decisions")
        check_decisions(decisions)
        if len(_decisions_cache) >= MAX_CACHED_DECISIONS:
            _decisions_cache.pop(next(iter(_decisions_cache)))
        _decisions_cache[key] = decisions
    return _decisions_cache[key]
