"""Rules of a contest, and the contest that is made of them."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, cast

from pydantic import Field, ValidationError, create_model

from engine.kernel.chance import Rng
from engine.kernel.game_core import QUESTION_LIMIT, SEAT_LIMIT, GameCore
from engine.kernel.records import Table
from engine.rules.decisions import LEGAL_ACTIONS, MOST_ANSWER_BYTES, Placement, Question
from engine.rules.session_core import (
    KINDS,
    Session,
    SessionCore,
    bot_columns,
    game_columns,
    names_by_position,
    points_columns,
    seating,
    session_columns,
)
from engine.rules.steps import Steps
from tournament.contests import data_files
from tournament.contests.contest import Contest, Core, CoreSetup, Estimates, Luck, NewCore, NewDrawnCore, Tables
from tournament.contests.interface import CompiledBots, DecisionSpec, Interface, Sdk
from tournament.contests.presentation import Presentation
from tournament.contests.scoring import House, PointsSource
from tournament.contests.settings import ContestSettings, Duplicate
from tournament.decisions.decision import Decision
from tournament.decisions.struct_layout import answer_layout, lay_out, seating_of
from tournament.decisions.value_types import (
    Bool,
    Choice,
    Float,
    Int,
    LegalAction,
    List,
    Maybe,
    Struct,
    Text,
    ValueType,
)
from tournament.leg import LegPlan
from tournament.rules.protocol import Protocol, ProtocolDialogue
from tournament.rules.sdk import write_sdk
from tournament.store.columns import (
    HOUSE,
    NAME,
    ROWS_PER_BUFFER,
    STANDARD,
    Column,
    buffer_fields,
    names_of_seats,
    with_names,
)

# The type of `play`: it yields questions, is sent answers, and returns nothing.
Questions = Generator[Question | Sequence[Question], Any, None]

_MOST_DRAWN = 20_000  # characters of a drawing
_RENDER_FAILED = "render failed: "
_TRIAL_DRAWINGS = 100  # of a session, to see whether it can be drawn
_TRIAL_STREAM = 1 << 63  # above every session's number


_CODE = (".c", ".cpp", ".cc", ".cxx", ".wasm", ".py", ".zip", ".toml", ".md")  # endings of other bots and files
_DECISIONS_KEPT = 64  # sets made of settings, in a process that plays many contests


class Settings(ContestSettings):
    """Keys that the table of every contest with rules in Python has; a contest's own settings are a subclass."""

    duplicate: Duplicate = False
    rules_seconds_per_step: float = Field(
        10.0,
        ge=0.1,
        le=3600,
        description="time that the rules may take from one question to the next; more sets the match aside",
    )

    max_questions: int = Field(
        100_000,
        ge=1,
        le=10**12,
        description="questions of a game, of all seats; more set the match aside",
    )

    def playing(self) -> dict[str, object]:
        played = super().playing()
        del played["rules_seconds_per_step"]
        return played

    def for_workers(self) -> dict[str, object]:
        return self.playing() | {"rules_seconds_per_step": self.rules_seconds_per_step}


class Rules:
    """Rules of a contest: a subclass has these names, and `play` or a `core`. Each leg has an object of its own.

    Attributes:
        name: The contest's name, unless its table has another.
        title: The name as people read it.
        version: Raised when the same settings no longer give the same games.
        seats: How many bots sit at a table. With a range the contest's table has the key `seats`; "all" is everybody.
        teams: The positions of each entrant, equally many. Each position has a bot of its own; a game's points and the
            columns per seat are by team.
        settings_class: The keys of the contest's table.
        decisions: What bots are asked, or a static method that returns it by the settings. `play` asks by
            `self.ask`, which has each decision by its name.
        columns: The contest's own columns of games.
        zero_sum: Whether the points of each game add up to 0.
        points_unit: What a point is.
        description: The rules in a few sentences.
        requires: Packages on whose versions the games depend.
        house: The fixed opponents of a contest of one seat, whom each entrant plays; they have no seat.
        house_content: What the house player of the leg now played is made of, in an object.
        data: By the ending of files, the decision that they answer by their text: entrants that are data.
        protocol: How programs are asked in lines of their own; default JSON.
        luck: The correction of scores for luck, against house players or where two play for the same points.
        presentation: Charts and games step by step for the report, or a function that makes them of the settings.
        core: A state machine of the engine's, played instead of `play`. It comes with an `sdk`.
        sdk: The header and the templates for a core's bots, as a statement fixes them. `decisions` are then
            DecisionSpecs, in the core's order, and a core has its own columns.
        estimates: What is assumed of games before any is played.
        presets: Contests by these rules that come with bots: settings in a new settings file, by name.
        first_by_name: Whether of two seats the first bot by name begins a match, as a statement may say. Otherwise it
            is drawn.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    version: ClassVar[int] = 1
    seats: ClassVar[int | range | Literal["all"]]
    teams: ClassVar[Sequence[Sequence[int]]] = ()
    settings_class: ClassVar[type[ContestSettings]] = Settings
    #: A type that has both forms isn't one by which type checkers take a static method.
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
    first_by_name: ClassVar[bool] = False

    house_content = b""
    #: The bots by position while `render` is called; empty while games are played, which must not depend on names.
    bot_names: Sequence[str] = ()

    def __init__(self, settings: Any) -> None:
        self.settings = settings
        #: The decisions by name, as in `yield self.ask.bid(position, value=3)`.
        self.ask: Any = SimpleNamespace(**{one.name: one for one in decisions_of(type(self), settings)})

    def play(self, session: Session) -> Questions:
        """Play a session: at least one game, each recorded by `session.record(points, column=…)`."""
        raise NotImplementedError

    def render(self) -> str:
        """Return the position as it is now, for a report: a text, or an image as SVG.

        It is called in a replay before each decision and at a session's end. `play` keeps in self what this needs;
        the bots' names by position are in `self.bot_names`.
        """
        return ""


_made: dict[type[Rules], Contest] = {}


def contest_of(rules: type[Rules]) -> Contest:
    """Return the contest that is played by these rules, always the same one. Raises ValueError for invalid rules."""
    if rules not in _made:
        _made[rules] = _make(rules)
    for suffix, decision in rules.data.items():
        data_files.take(suffix, decision.name, cast(Text, decision.answer).max_length or MOST_ANSWER_BYTES)
    return _made[rules]


def _check(rules: type[Rules]) -> None:
    """Raise ValueError for what would fail only in play, and in words that don't name it."""
    if rules.core is None and rules.play is Rules.play:
        raise ValueError("it has no method play(self, session)")
    if (rules.core is None) != (rules.sdk is None):
        raise ValueError("a core comes with an sdk, which says what its bots are told, and an sdk with a core")
    if not hasattr(rules, "seats"):
        raise ValueError('it has no seats: expected seats = 2, or seats = range(3, 7), or seats = "all"')
    if isinstance(rules.seats, range):
        valid = rules.seats.step == 1 and rules.seats and rules.seats[0] >= 1 and rules.seats[-1] <= SEAT_LIMIT
    else:
        valid = rules.seats == "all" or (type(rules.seats) is int and 1 <= rules.seats <= SEAT_LIMIT)
    if not valid:
        raise ValueError(f'seats is {rules.seats!r}; expected 1 to {SEAT_LIMIT}, a range of them, or "all"')
    if rules.teams and (
        rules.seats != len(rules.teams)
        or len({len(team) for team in rules.teams}) != 1
        or sorted(position for team in rules.teams for position in team) != list(range(_most_positions(rules)))
        or not 1 <= _most_positions(rules) <= SEAT_LIMIT
    ):
        raise ValueError(
            f"teams is {rules.teams!r}; expected the positions of each of the {rules.seats} entrants, equally many,"
            " each position from 0 once, as in seats = 2 and teams = ((0, 2), (1, 3))"
        )
    if isinstance(rules.decisions, Decision):
        raise ValueError(f"decisions are a tuple, as in decisions = ({rules.decisions.name.upper()},)")
    if not callable(rules.decisions):
        _check_decisions(rules.decisions)
    settings: object = rules.settings_class
    if not (isinstance(settings, type) and issubclass(settings, ContestSettings if rules.core else Settings)):
        raise ValueError(f"settings_class is {settings!r}, which is no subclass of Settings")
    if rules.house and rules.seats != 1:
        raise ValueError(f"house is for one seat; seats is {rules.seats!r}")
    if rules.luck and not (rules.house or (rules.seats == 2 and (rules.core or rules.zero_sum))):
        raise ValueError("luck is for zero-sum games of two seats, or against a house")
    for suffix, decision in rules.data.items():
        if suffix != suffix.lower() or not suffix.startswith(".") or suffix in _CODE or "/" in suffix:
            raise ValueError(f"data has the ending {suffix!r}; expected one such as .red that no other kind of bot has")
        if not (isinstance(decision, Decision) and isinstance(decision.answer, Text)):
            raise ValueError(f"data[{suffix!r}] is {decision!r}; expected a decision whose answer is Text")
    protocol: object = rules.protocol
    if not (protocol is None or (isinstance(protocol, type) and issubclass(protocol, Protocol))):
        raise ValueError(f"protocol is {protocol!r}, which is no subclass of Protocol")
    most = _seats_at_first(rules) if not isinstance(rules.seats, range) else rules.seats[-1]
    if rules.presentation and most > 2:
        raise ValueError(f"presentation is for at most two seats; seats is {rules.seats!r}")
    if rules.core:
        return
    taken = dict.fromkeys([*game_columns(most, ()), "replica", "house"], "every contest has a column of that name")
    taken |= dict.fromkeys(names_by_position("bot", SEAT_LIMIT), "it is the name of a seat's bot")
    for column in rules.columns:
        if column.dtype not in KINDS:
            raise ValueError(f"unknown column type {column.dtype}; expected one of: {', '.join(KINDS)}")
        for name in names_by_position(column.name, most) if column.per_seat else [column.name]:
            if name in taken:
                raise ValueError(f"no column can be called {name}: {taken[name]}")
            taken[name] = "two of columns are called so"


def _check_decisions(decisions: Sequence[Decision | DecisionSpec]) -> None:
    """Raise ValueError for decisions that a contest can't have."""
    if not 0 < len(decisions) <= QUESTION_LIMIT:
        raise ValueError(f"it has {len(decisions)} decisions; expected 1 to {QUESTION_LIMIT}")
    if all(isinstance(decision, Decision) and decision.only_tells for decision in decisions):
        raise ValueError("it has news only; a bot needs at least one decision")
    names = [decision.name for decision in decisions]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"two decisions are called {twice[0]}")


# Made of settings, by the rules and what is played of the settings.
_decisions_made: dict[tuple[type[Rules], str], tuple[Decision, ...]] = {}


def decisions_of(rules: type[Rules], settings: Any) -> tuple[Decision, ...]:
    """Return what bots are asked with these settings, always the same decisions with the same settings.

    Raises:
        ValueError: The decisions that the rules make of the settings are none that a contest can have.
    """
    declared = rules.decisions
    if not callable(declared):
        return cast(tuple[Decision, ...], declared)
    key = rules, json.dumps(settings.playing(), sort_keys=True, default=str)
    if key not in _decisions_made:
        made = tuple(declared(settings))
        if wrong := [one for one in made if not isinstance(one, Decision)]:
            raise ValueError(f"decisions(settings) returns {wrong[0]!r}; expected decisions")
        _check_decisions(made)
        if len(_decisions_made) >= _DECISIONS_KEPT:
            _decisions_made.pop(next(iter(_decisions_made)))
        _decisions_made[key] = made
    return _decisions_made[key]


def _decisions_at_first(rules: type[Rules]) -> tuple[Decision, ...]:
    """Return what bots are asked before settings are known: with the defaults."""
    if not callable(rules.decisions):
        return decisions_of(rules, None)
    try:
        settings = _settings_of(rules)()
    except ValidationError as error:
        key = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(f"decisions follow from settings, so that each needs a default; {key} has none") from None
    return decisions_of(rules, settings)


def _most_seats(rules: type[Rules]) -> int:
    """Return the most seats that a table of these rules can have."""
    return SEAT_LIMIT if rules.seats == "all" else rules.seats if isinstance(rules.seats, int) else rules.seats[-1]


def _most_positions(rules: type[Rules]) -> int:
    """Return the most positions that a table of these rules can have."""
    return sum(map(len, rules.teams)) if rules.teams else _most_seats(rules)


def _seats_at_first(rules: type[Rules]) -> int:
    """How many seats the contest's tables have before the field is known."""
    if isinstance(rules.seats, range):
        return rules.seats[0]
    return 2 if rules.seats == "all" else int(rules.seats)


def _make(rules: type[Rules]) -> Contest:
    _check(rules)
    present = None if isinstance(rules.presentation, Presentation) else rules.presentation
    make = _with_core if rules.core and rules.sdk else _with_play
    return make(
        rules,
        name=rules.name,
        title=rules.title or rules.name.replace("_", " ").capitalize(),
        version=rules.version,
        settings=_settings_of(rules),
        seats=rules.seats,
        points_unit=rules.points_unit,
        description=rules.description,
        requires=tuple((package, _version(package)) for package in rules.requires),
        house=rules.house,
        luck=rules.luck,
        presentation=None if present else rules.presentation,
        present=present,
        estimates=rules.estimates,
        presets=rules.presets,
        first_by_name=rules.first_by_name,
        members=len(rules.teams[0]) if rules.teams else 1,
    )


def _with_core(rules: type[Rules], **shared: Any) -> Contest:
    """The contest of rules that bring a machine, and what its bots are written with."""
    core = rules.core
    assert core
    names = (*names_of_seats(int(str(rules.seats))), *([HOUSE] if rules.house else []))
    return Contest(
        **shared,
        games=with_names(core.games, names, replica=not rules.house),
        sessions=with_names(core.sessions, names, replica=not rules.house),
        scored=core.scored,
        interface=Interface(**vars(rules.sdk), questions=cast(tuple[DecisionSpec, ...], rules.decisions)),
        new_core=core.new,
        new_core_at_limits=core.at_limits,
    )


def _with_play(rules: type[Rules], **shared: Any) -> Contest:
    """The contest of rules that `play`, with an SDK that is written from their decisions."""

    @lru_cache
    def tables(seats: int) -> Tables:
        return _tables(rules, seats)

    of_few = tables(_seats_at_first(rules))
    return Contest(
        **shared,
        games=of_few.games,
        sessions=of_few.sessions,
        scored=of_few.scored,
        interface=_interface(
            rules.name,
            shared["title"],
            _most_positions(rules),
            _decisions_at_first(rules),
            cast(Any, rules.protocol),  # a class, which can be hashed
        ),
        interface_of=partial(_interface_of, rules, shared["title"]) if callable(rules.decisions) else None,
        new_core=partial(_session_core, rules, _begun),
        new_core_at_limits=_new_core_at_limits(rules),
        new_random_core=partial(_random_core, rules),
        new_drawn_core=None if rules.render is Rules.render else _new_drawn_core(rules),
        render_problem=None if rules.render is Rules.render else partial(_render_problem, rules),
        tables_for=tables,
    )


def _interface_of(rules: type[Rules], title: str, settings: Settings) -> Interface:
    decisions = decisions_of(rules, settings)
    return _interface(rules.name, title, _most_positions(rules), decisions, cast(Any, rules.protocol))


@lru_cache(_DECISIONS_KEPT)
def _interface(
    name: str, title: str, most_seats: int, decisions: tuple[Decision, ...], protocol: type[Protocol] | None
) -> Interface:
    """How bots are asked these decisions, with an SDK that is written from them."""
    view = lay_out(decisions, most_seats)
    names = [(decision.name, decision.only_tells) for decision in decisions]
    return Interface(
        write_sdk(name, title, decisions, view),
        CompiledBots(f"{name}.h", struct_size=view.size + view.answer_size),
        new_dialogue=None if protocol is None else lambda core, key: ProtocolDialogue(core, protocol, names),
        questions=tuple(
            DecisionSpec(
                decision.name,
                seating_of(most_seats) | decision.observation,
                answers=decision.answers,
                description=decision.in_words,
                returns=decision.returns,
                most_json=decision.most_json,
                default=decision.default,
                loses=decision.loses,
                declared=decision,
                only_tells=decision.only_tells,
                is_optional=decision.only_tells,
            )
            for decision in decisions
        ),
        by_name=True,
    )


@lru_cache(_DECISIONS_KEPT)
def placements_of(decisions: tuple[Decision, ...], most_seats: int) -> list[Placement]:
    """Return where the C bots of a contest find each decision's values and leave its answer.

    Args:
        decisions: The contest's decisions.
        most_seats: The most seats of a table.
    """
    view = lay_out(decisions, most_seats)
    left = [answer_layout(decision.answer) for decision in decisions]
    return [
        Placement(decision, kind, view.slots, view.size, answer.slot if answer else None)
        for kind, (decision, answer) in enumerate(zip(decisions, left))
    ]


def _settings_of(rules: type[Rules]) -> type[ContestSettings]:
    """The keys of the contest's table: with `seats` where the rules leave that open."""
    if not isinstance(rules.seats, range) or "seats" in rules.settings_class.model_fields:
        return rules.settings_class
    low, high = rules.seats[0], rules.seats[-1]
    seats = Field(low, ge=low, le=high, description="bots at a table")
    made: Any = create_model(rules.settings_class.__name__, __base__=rules.settings_class, seats=(int, seats))
    made.__doc__ = rules.settings_class.__doc__
    return cast(type[ContestSettings], made)


def _tables(rules: type[Rules], seats: int) -> Tables:
    of = "team" if rules.teams else "position"
    own = [(column.name, column.dtype, column.per_seat) for column in rules.columns]
    described = {column.name: column.description for column in rules.columns if not column.per_seat}
    for column in rules.columns:
        if column.per_seat:
            each = names_by_position(column.name, seats)
            described |= {name: f"{column.description}, of {of} {place}" for place, name in enumerate(each)}
    described |= {name: f"points of {of} {place}" for place, name in enumerate(points_columns(seats))}
    by_position = ["points", *[column.name for column in rules.columns if column.per_seat]]
    position_of = {name: place for column in by_position for place, name in enumerate(names_by_position(column, seats))}
    bots = tuple(
        Column(
            name, NAME, f"the bot {'of' if rules.teams else 'at'} {of} {place}" + ", which comes first" * (place == 0)
        )
        for place, name in enumerate(bot_columns(seats))
    )
    names, is_replicated = (*bots, *([HOUSE] if rules.house else [])), not rules.house
    points, zero_sum = tuple(points_columns(seats)), rules.zero_sum and seats == 2
    return Tables(
        with_names(_described(game_columns(seats, own), described, position_of), names, replica=is_replicated),
        with_names(_described(session_columns(seats), described, position_of), names, replica=is_replicated),
        PointsSource(
            "sessions",
            points[:1] if zero_sum else points,
            zero_sum=zero_sum,
            by_position=True,
            sums_to_zero=rules.zero_sum and seats > 1,
        ),
    )


def _described(columns: dict[str, str], own: dict[str, str], position_of: dict[str, int]) -> list[Column]:
    """Return the columns that cores write, but for those of the bots."""
    described = STANDARD | own
    return [
        Column(name, kind, described[name], seat=position_of.get(name, -1))
        for name, kind in columns.items()
        if name in described
    ]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _session_core(
    rules: type[Rules],
    play: Callable[[Rules, Session], Questions],
    setup: CoreSetup[Settings],
) -> GameCore:
    """The core of a leg by these rules; `play` gives the generator that plays a session."""
    leg = setup.leg
    with Steps(setup.settings.rules_seconds_per_step) as steps:
        played = rules(setup.settings)
    played.house_content = setup.house or b""
    columns = [(column.name, column.dtype, column.per_seat) for column in rules.columns]
    return SessionCore(
        setup.games,
        setup.sessions,
        partial(play, played),
        columns,
        placements_of(decisions_of(rules, setup.settings), _most_positions(rules)),
        **leg.for_core,
        seats=leg.seats,
        rotation=leg.rotation,
        steps=steps,
        teams=rules.teams or None,
        house_seats=setup.settings.house_seats,
        zero_sum=rules.zero_sum,
        max_questions=setup.settings.max_questions,
    )


def _begun(rules: Rules, session: Session) -> Questions:
    """A session about to be played. Raises TypeError where `play` is a plain function: it asks no one."""
    play: Questions | None = rules.play(session)
    if play is None:
        raise TypeError("play yields no question; it asks a bot by: answer = yield DECISION(seat, …)")
    return play


def _new_core_at_limits(rules: type[Rules]) -> NewCore:
    """Return a maker of cores that draw the answers of all bots but the first from all that are legal."""

    def new_core(setup: CoreSetup[Settings]) -> GameCore:
        rng = Rng(setup.leg.deals_key, _TRIAL_STREAM)

        def play(played: Rules, session: Session) -> Questions:
            drawn_for = [place for place, seat in enumerate(seating(session)) if seat]
            return answered_by_chance(_begun(played, session), rng, drawn_for)

        return _session_core(rules, play, setup)

    return new_core


def _random_core(
    rules: type[Rules], setup: CoreSetup[Settings], answer: Callable[[Question], Any] | None = None
) -> GameCore:
    """Return a core that answers for all bots, by default at random from all that is legal."""
    given = answer or partial(drawn_answer, rng=Rng(setup.leg.deals_key, _TRIAL_STREAM))

    def play(played: Rules, session: Session) -> Questions:
        return answered(_begun(played, session), given, range(session.seats))

    return _session_core(rules, play, setup)


def _new_drawn_core(rules: type[Rules]) -> NewDrawnCore:
    """Makes cores for a replay, which draw a session: its number in the leg, and where drawings go."""

    def new_core(setup: CoreSetup[Settings], number: int, drawings: list[str], names: Sequence[str]) -> GameCore:
        def play(played: Rules, session: Session) -> Questions:
            if session.number != number:
                return _begun(played, session)
            return drawn(played, session, drawings, [names[seat] for seat in seating(session)])

        return _session_core(rules, play, setup)

    return new_core


def _render_problem(rules: type[Rules], settings: Settings) -> str:
    """What goes wrong in drawing a session of which the answers are drawn, too; "" for nothing. What else goes wrong in
    it, games tell, and so they do of rules with house players, whose content isn't here."""
    if rules.house:
        return ""
    seats = _seats_at_first(rules) if not isinstance(rules.seats, range) else int(str(settings.playing()["seats"]))
    tables, rng, drawings = _tables(rules, seats), Rng(bytes(32), _TRIAL_STREAM), list[str]()
    positions = _most_positions(rules) if rules.teams else seats
    names = [f"position {place}" for place in range(positions)]

    def play(played: Rules, session: Session) -> Questions:
        some = _first_of(drawn(played, session, drawings, names), _TRIAL_DRAWINGS)
        return answered_by_chance(some, rng, range(positions))

    games, sessions = (Table(buffer_fields(columns), ROWS_PER_BUFFER) for columns in (tables.games, tables.sessions))
    setup = CoreSetup(LegPlan(0, 0, 1, bytes(32), seats), settings, games, sessions)
    _session_core(rules, play, setup).play()
    return next(filter(failed_to_render, drawings), "")


def _first_of(play: Questions, most: int) -> Questions:
    """The first questions of a session."""
    answers = None
    with contextlib.suppress(StopIteration):
        for _ in range(most):
            answers = yield play.send(answers)


def drawn(rules: Rules, session: Session, drawings: list[str], names: Sequence[str]) -> Questions:
    """A session, drawn before each decision and at its end."""
    play = _begun(rules, session)
    try:
        asked = next(play)
        while True:
            drawings += [_drawing(rules, names)] * (len(asked) if isinstance(asked, Sequence) else 1)
            answer = yield asked
            asked = play.send(answer)
    except StopIteration:
        drawings.append(_drawing(rules, names))


def _drawing(rules: Rules, names: Sequence[str]) -> str:
    """What a contest draws; a mistake in it is shown in its place, since no game depends on it."""
    rules.bot_names = names
    try:
        found: object = rules.render()
        if isinstance(found, str) and found.lstrip().startswith("<svg"):
            if len(found) > _MOST_DRAWN:
                raise ValueError(f"SVG of {len(found):,} characters; at most {_MOST_DRAWN:,} are shown")
            # Imported here: a run of rules that draw no SVG needs none of it.
            from xml.etree import ElementTree

            ElementTree.fromstring(found)  # a browser shows nothing of one that isn't well-formed
    except (Exception, SystemExit) as problem:
        return f"{_RENDER_FAILED}{type(problem).__name__}: {' '.join(str(problem).split())}"[:1000]
    finally:
        rules.bot_names = ()
    return found[:_MOST_DRAWN] if isinstance(found, str) else f"{_RENDER_FAILED}it returns {found!r}, which is no text"


def failed_to_render(drawing: str) -> bool:
    """Whether a drawing says why there is none."""
    return drawing.startswith(_RENDER_FAILED)


def answered_by_chance(play: Questions, rng: Rng, positions: Sequence[int]) -> Questions:
    """Play a session with the answers of these positions drawn from all that are legal, often the first or last."""
    return answered(play, partial(drawn_answer, rng=rng), positions)


def answered(play: Questions, answer: Callable[[Question], Any], positions: Sequence[int]) -> Questions:
    """Play a session in which a function answers for these positions."""
    try:
        yielded = next(play)
        while True:
            questions = [yielded] if isinstance(yielded, Question) else list(yielded)
            by_chance = {one.position: answer(one) for one in questions if one.position in positions}
            left = [question for question in questions if question.position not in positions]
            answers = by_chance | ((yield left) if left else {})
            yielded = play.send(answers[yielded.position] if isinstance(yielded, Question) else answers)
    except StopIteration:
        return


def drawn_answer(question: Question, rng: Rng) -> Any:
    """An answer that is legal, often one at the limits."""
    decision = question.decision
    assert isinstance(decision, Decision)
    if decision.only_tells:
        return None
    if isinstance(decision.answer, LegalAction):
        return _one_of(list(question.plain()[LEGAL_ACTIONS]), rng)
    return _drawn(question.answer or decision.answer, rng)


def _drawn(kind: ValueType, rng: Rng) -> Any:
    if isinstance(kind, Int):
        return _one_of(range(kind.low, kind.high + 1), rng)
    if isinstance(kind, Float):
        drawn = _one_of((0.0, rng.random(), -1.0, 1e300, -1e300), rng)
        return min(max(drawn, kind.low), kind.high)
    if isinstance(kind, Choice):
        return _one_of(kind.names, rng)
    if isinstance(kind, Text):
        return "".join(
            rng.choice("abcdefghijklmnopqrstuvwxyz ") for _ in range(_one_of(range((kind.max_length or 0) + 1), rng))
        )
    if isinstance(kind, Bool):
        return rng.randrange(2) == 1
    if isinstance(kind, Maybe):
        return None if rng.randrange(4) == 0 else _drawn(kind.of, rng)
    if isinstance(kind, Struct):
        return {name: _drawn(field, rng) for name, field in kind.fields.items()}
    assert isinstance(kind, List)
    return [_drawn(kind.of, rng) for _ in range(_one_of(range(kind.most + 1), rng))]


def _one_of(legal: Sequence[Any], rng: Rng) -> Any:
    place = rng.randrange(4)
    return legal[0] if place == 0 else legal[-1] if place == 1 else rng.choice(legal)
