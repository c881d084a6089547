"""The contest that is played by a class of rules."""

from __future__ import annotations

import importlib.metadata
from functools import lru_cache, partial
from typing import Any, cast

from pydantic import Field, ValidationError, create_model

from engine.kernel.game_core import SEAT_LIMIT
from engine.rules.decisions import MAX_ANSWER_BYTES
from engine.rules.session_core import (
    KINDS,
    bot_columns,
    game_columns,
    names_by_position,
    points_columns,
    session_columns,
)
from tournament.contests import data_files
from tournament.contests.bots import CompiledBots
from tournament.contests.contest import Contest, Tables
from tournament.contests.interface import Interface
from tournament.contests.presentation import Presentation
from tournament.contests.scoring import PointsSource
from tournament.contests.settings import ContestSettings
from tournament.decisions.decision import Decision
from tournament.decisions.struct_layout import build_view, seating_types
from tournament.decisions.value_types import Text
from tournament.rules.drawings import drawn_core, render_problem
from tournament.rules.protocol import Protocol, ProtocolDialogue
from tournament.rules.rules import (
    MAX_CACHED_DECISIONS,
    Rules,
    Settings,
    check_decisions,
    get_decisions,
    max_positions,
    seats_at_first,
)
from tournament.rules.sdk import write_sdk
from tournament.rules.sessions import answered_core, core_by_chance, session_core, start_session
from tournament.store.columns import HOUSE, NAME, STANDARD, Column, seat_name_columns, with_names

# Endings of other bots and of other files.
_CODE = (".c", ".cpp", ".cc", ".cxx", ".wasm", ".py", ".zip", ".toml", ".md")
_contests: dict[type[Rules], Contest] = {}


def get_contest(rules: type[Rules]) -> Contest:
    """Return the contest that is played by these rules, always the same object.

    Each call also registers the endings of the rules' data files for this process.

    Raises:
        ValueError: The rules are invalid. The message says which attribute is, and what is expected.
        RunError: The cache can't be used, in which the SDK is written.
    """
    if rules not in _contests:
        _contests[rules] = _make(rules)
    for suffix, decision in rules.data.items():
        data_files.register(suffix, decision.name, cast(Text, decision.answer).max_length or MAX_ANSWER_BYTES)
    return _contests[rules]


def _check(rules: type[Rules]) -> None:
    """Check that a contest can have these rules.

    Raises:
        ValueError: An attribute is missing or wrong, attributes contradict each other, or a column's name is taken.
    """
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
        or sorted(position for team in rules.teams for position in team) != list(range(max_positions(rules)))
        or not 1 <= max_positions(rules) <= SEAT_LIMIT
    ):
        raise ValueError(
            f"teams is {rules.teams!r}; expected the positions of each of the {rules.seats} entrants, equally many,"
            " each position from 0 once, as in seats = 2 and teams = ((0, 2), (1, 3))"
        )
    if isinstance(rules.decisions, Decision):
        raise ValueError(f"decisions are a tuple, as in decisions = ({rules.decisions.name.upper()},)")
    if not callable(rules.decisions):
        check_decisions(rules.decisions)
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
    max_count = seats_at_first(rules) if not isinstance(rules.seats, range) else rules.seats[-1]
    if rules.presentation and max_count > 2:
        raise ValueError(f"presentation is for at most two seats; seats is {rules.seats!r}")
    if rules.core:
        return
    taken = dict.fromkeys([*game_columns(max_count, ()), "replica", "house"], "every contest has a column of that name")
    taken |= dict.fromkeys(names_by_position("bot", SEAT_LIMIT), "it is the name of a seat's bot")
    for column in rules.columns:
        if column.dtype not in KINDS:
            raise ValueError(f"unknown column type {column.dtype}; expected one of: {', '.join(KINDS)}")
        for name in names_by_position(column.name, max_count) if column.per_seat else [column.name]:
            if name in taken:
                raise ValueError(f"no column can be called {name}: {taken[name]}")
            taken[name] = "two of columns are called so"


def _decisions_at_first(rules: type[Rules]) -> tuple[Decision, ...]:
    """Return the decisions before settings are known, with the default of each setting.

    Raises:
        ValueError: The decisions follow from settings, and one of these has no default, or the decisions are invalid.
    """
    if not callable(rules.decisions):
        return get_decisions(rules, None)
    try:
        settings = _settings_class(rules)()
    except ValidationError as error:
        key = ".".join(map(str, error.errors()[0]["loc"]))
        raise ValueError(f"decisions follow from settings, so that each needs a default; {key} has none") from None
    return get_decisions(rules, settings)


def _make(rules: type[Rules]) -> Contest:
    """Check rules and make their contest.

    Raises:
        ValueError: The rules are invalid.
        RunError: The cache can't be used.
    """
    _check(rules)
    present = None if isinstance(rules.presentation, Presentation) else rules.presentation
    make = _with_core if rules.core and rules.sdk else _with_play
    return make(
        rules,
        name=rules.name,
        title=_title(rules),
        version=rules.version,
        settings=_settings_class(rules),
        seats=rules.seats,
        points_unit=rules.points_unit,
        description=rules.description,
        requires=tuple((package, _version(package)) for package in rules.requires),
        house=rules.house,
        luck=rules.luck,
        presentation=None if present else rules.presentation,
        present=present,
        interface=_interface_for(rules, None),
        make_interface=partial(_interface_for, rules) if callable(rules.decisions) else None,
        estimates=rules.estimates,
        presets=rules.presets,
        hints=tuple(rules.hints),
        first_by_name=rules.first_by_name,
        members=len(rules.teams[0]) if rules.teams else 1,
    )


def _title(rules: type[Rules]) -> str:
    """Return the contest's title, by default its name as words."""
    return rules.title or rules.name.replace("_", " ").capitalize()


def _with_core(rules: type[Rules], **shared: Any) -> Contest:
    """Return the contest of rules that have a core.

    Args:
        rules: The rules, with a fixed number of seats.
        **shared: Arguments of Contest that don't depend on the core.
    """
    core = rules.core
    assert core
    names = (*seat_name_columns(int(str(rules.seats))), *([HOUSE] if rules.house else []))
    return Contest(
        **shared,
        games=with_names(core.games, names, replica=not rules.house),
        sessions=with_names(core.sessions, names, replica=not rules.house),
        scored=core.scored,
        new_core=core.new,
        new_core_at_limits=core.at_limits,
    )


def _with_play(rules: type[Rules], **shared: Any) -> Contest:
    """Return the contest of rules that `play`.

    Args:
        rules: The rules.
        **shared: Arguments of Contest that don't depend on the core.
    """

    @lru_cache
    def tables(seats: int) -> Tables:
        """Return the tables of games and sessions for this number of seats, always the same object."""
        return _tables(rules, seats)

    first_tables = tables(seats_at_first(rules))
    return Contest(
        **shared,
        games=first_tables.games,
        sessions=first_tables.sessions,
        scored=first_tables.scored,
        new_core=partial(session_core, rules, start_session),
        new_core_at_limits=partial(core_by_chance, rules, lambda seat: seat > 0),
        new_random_core=partial(answered_core, rules),
        new_drawn_core=None if rules.render is Rules.render else partial(drawn_core, rules),
        render_problem=None if rules.render is Rules.render else partial(render_problem, rules, tables),
        tables_for=tables,
    )


def _interface_for(rules: type[Rules], settings: ContestSettings | None) -> Interface:
    """Return the bots' interface with these settings, or for None with the defaults.

    Raises:
        ValueError: The decisions are invalid, their values have no place in the struct of C bots, or a setting that
            they need has no default.
        RunError: The cache can't be used.
    """
    decisions = get_decisions(rules, settings) if settings else _decisions_at_first(rules)
    return _interface(cast(Any, rules), decisions)  # a class, which can be hashed


@lru_cache(MAX_CACHED_DECISIONS)
def _interface(rules: type[Rules], decisions: tuple[Decision, ...]) -> Interface:
    """Return the interface for these decisions, with an SDK written from them unless the rules have one.

    It is always the same object for the last 64 pairs of rules and decisions, so callers don't change it.

    Raises:
        ValueError: The decisions' values have no place in the struct of C bots.
        RunError: The cache can't be used.
    """
    if rules.sdk:
        return Interface(**vars(rules.sdk), questions=decisions)
    name, protocol, most_seats = rules.name, rules.protocol, max_positions(rules)
    view = build_view(decisions, most_seats)
    names = [(decision.name, decision.is_news) for decision in decisions]
    return Interface(
        write_sdk(name, _title(rules), decisions, view),
        CompiledBots(f"{name}.h", struct_size=view.size + view.answer_size),
        new_dialogue=None if protocol is None else lambda core, key: ProtocolDialogue(core, protocol, names),
        questions=decisions,
        seating=seating_types(most_seats),
    )


def _settings_class(rules: type[Rules]) -> type[ContestSettings]:
    """Return the keys of the contest's table, with `seats` added if the rules have a range of them.

    The default is the lowest number.
    """
    if not isinstance(rules.seats, range) or "seats" in rules.settings_class.model_fields:
        return rules.settings_class
    low, high = rules.seats[0], rules.seats[-1]
    seats = Field(low, ge=low, le=high, description="bots at a table")
    model: Any = create_model(rules.settings_class.__name__, __base__=rules.settings_class, seats=(int, seats))
    model.__doc__ = rules.settings_class.__doc__
    return cast(type[ContestSettings], model)


def _tables(rules: type[Rules], seats: int) -> Tables:
    """Return the columns of games and sessions, and the source of points, for this number of seats.

    In a zero-sum game of two seats only the first seat's points are a source. The others follow from them.
    """
    kind = "team" if rules.teams else "position"
    own = [(column.name, column.dtype, column.per_seat) for column in rules.columns]
    described = {column.name: column.description for column in rules.columns if not column.per_seat}
    for column in rules.columns:
        if column.per_seat:
            each = names_by_position(column.name, seats)
            described |= {name: f"{column.description}, of {kind} {place}" for place, name in enumerate(each)}
    described |= {name: f"points of {kind} {place}" for place, name in enumerate(points_columns(seats))}
    by_position = ["points", *[column.name for column in rules.columns if column.per_seat]]
    position_by_column = {
        name: place for column in by_position for place, name in enumerate(names_by_position(column, seats))
    }
    bots = tuple(
        Column(
            name, NAME, f"the bot {'of' if rules.teams else 'at'} {kind} {place}" + ", which comes first" * (place == 0)
        )
        for place, name in enumerate(bot_columns(seats))
    )
    names, is_replicated = (*bots, *([HOUSE] if rules.house else [])), not rules.house
    points, zero_sum = tuple(points_columns(seats)), rules.zero_sum and seats == 2
    return Tables(
        with_names(_described(game_columns(seats, own), described, position_by_column), names, replica=is_replicated),
        with_names(_described(session_columns(seats), described, position_by_column), names, replica=is_replicated),
        PointsSource(
            "sessions",
            points[:1] if zero_sum else points,
            zero_sum=zero_sum,
            by_position=True,
            sums_to_zero=rules.zero_sum and seats > 1,
        ),
    )


def _described(columns: dict[str, str], own: dict[str, str], position_by_column: dict[str, int]) -> list[Column]:
    """Return the columns that have a description, in the order in which cores write them. Bots' columns have none.

    Args:
        columns: Type of each column by name.
        own: Descriptions besides those of standard columns, by name.
        position_by_column: Position of each column of which there is one per position. Others get -1.
    """
    described = STANDARD | own
    return [
        Column(name, kind, described[name], seat=position_by_column.get(name, -1))
        for name, kind in columns.items()
        if name in described
    ]


def _version(package: str) -> str:
    """Return the version of an installed package, or "none"."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"
