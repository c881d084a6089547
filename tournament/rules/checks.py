"""Checks of a class of rules: what would fail only in play, or in words that don't name it."""

from __future__ import annotations

from engine.kernel.game_core import SEAT_LIMIT
from engine.rules.session_core import KINDS, game_columns, names_by_position
from tournament.contests.settings import ContestSettings
from tournament.decisions.decision import Decision
from tournament.rules.protocol import Protocol
from tournament.rules.rules import Rules, Settings, check_decisions, most_positions, seats_at_first


def check_rules(rules: type[Rules]) -> None:
    """Raise ValueError for rules that no contest can have."""
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
        or sorted(position for team in rules.teams for position in team) != list(range(most_positions(rules)))
        or not 1 <= most_positions(rules) <= SEAT_LIMIT
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
    protocol: object = rules.protocol
    if not (protocol is None or (isinstance(protocol, type) and issubclass(protocol, Protocol))):
        raise ValueError(f"protocol is {protocol!r}, which is no subclass of Protocol")
    most = seats_at_first(rules) if not isinstance(rules.seats, range) else rules.seats[-1]
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
