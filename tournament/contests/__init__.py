"""The contests. Adding one is a folder here, a core in engine/ and a line below; or rules that tournament.toml names.

A contest is imported when it is asked for: with all its imports that takes a large part of a short command's time.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tournament.contests.rules_of_others import loaded_rules
from tournament.errors import InputError, shortened
from tournament.names import did_you_mean

if TYPE_CHECKING:
    from tournament.contests.contest import Contest

    CONTESTS: tuple[Contest, ...]
    # Those that come with bots, some of them by the rules of others.
    SHIPPED: tuple[Contest, ...]

# Each in a module of its name, by its name in capitals.
_BUILT_IN = ("von_neumann_poker", "two_card_draw", "holdem_training", "matrix_game")
_OPEN_SPIEL = "open_spiel"  # which is no contest until a table says which game

# The names of all rules that come with this package.
KNOWN_RULES = (*_BUILT_IN, _OPEN_SPIEL)


class _BuiltIn(Mapping[str, "Contest"]):
    """The built-in contests by name, each imported when it is looked up."""

    def __getitem__(self, name: str) -> Contest:
        if name not in _BUILT_IN:
            raise KeyError(name)
        contest: Contest = getattr(importlib.import_module(f"tournament.contests.{name}"), name.upper())
        return contest

    def __contains__(self, name: object) -> bool:
        return name in _BUILT_IN

    def __iter__(self) -> Iterator[str]:
        return iter(_BUILT_IN)

    def __len__(self) -> int:
        return len(_BUILT_IN)


BUILT_IN = _BuiltIn()


def __getattr__(name: str) -> tuple[Contest, ...]:
    if name == "CONTESTS":
        return tuple(BUILT_IN.values())
    if name == "SHIPPED":
        from tournament.contests.matrix_game import PRISONERS_DILEMMA, ROCK_PAPER_SCISSORS

        return (*[BUILT_IN[name] for name in _BUILT_IN[:-1]], ROCK_PAPER_SCISSORS, PRISONERS_DILEMMA)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def find_contest(name: str, rules: str = "") -> Contest:
    """The contest of that name that is played by the rules of another; without `rules` by its own. Raises InputError
    for rules that are unknown, or that can't be loaded."""
    contest = _by_rules(rules or name)
    if contest is None:
        raise no_contest(rules or name, KNOWN_RULES)
    return contest.named(name)


def _by_rules(rules: str) -> Contest | None:
    if rules in BUILT_IN:
        return BUILT_IN[rules]
    if rules != _OPEN_SPIEL:
        return loaded_rules(rules)
    from tournament.contests.open_spiel import OpenSpiel
    from tournament.rules.rules import contest_of

    return contest_of(OpenSpiel)


def no_contest(name: str, known: Sequence[str]) -> InputError:
    """What is said when none of those that are `known` has this name."""
    return InputError(
        f"no contest is called {shortened(name, 100)}; there are: {', '.join(known)}, and those that tournament.toml of"
        f" this folder names{did_you_mean(name, known)}"
    )
