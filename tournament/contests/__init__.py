"""The contests: classes of rules, each in the file rules.py of a folder, or those that tournament.toml names.

A contest is imported when it is used: with all its imports that takes a large part of a short command's time.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tournament.contests.rules_loader import loaded_rules
from tournament.errors import InputError, truncate
from tournament.names import did_you_mean

if TYPE_CHECKING:
    from tournament.contests.contest import Contest

    CONTESTS: tuple[Contest, ...]  # the built-in ones

# Contests without a table of their own. The class of each has its folder's name, in capitals and without _.
BUILT_IN = ("von_neumann_poker", "two_card_draw", "holdem_training", "matrix_game")

# The names of all rules that come with this package. OpenSpiel is no contest until a table says which game.
SHIPPED_RULES = (*BUILT_IN, "open_spiel")


def __getattr__(name: str) -> tuple[Contest, ...]:
    if name == "CONTESTS":
        return tuple(map(find_contest, BUILT_IN))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def find_contest(name: str, rules: str = "") -> Contest:
    """Return a contest by this name, with its preset's title if there is one.

    Args:
        name: Name of the contest.
        rules: Name of the rules by which it is played, or "" for its own.

    Raises:
        InputError: The rules are unknown, or can't be loaded.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    rules_name = rules or name
    contest = _built_in(rules_name) if rules_name in SHIPPED_RULES else loaded_rules(rules_name)
    if contest is None:
        raise no_contest(rules_name, SHIPPED_RULES)
    return contest.named(name)


def _built_in(rules: str) -> Contest:
    """Import rules that come with this package, and return their contest.

    Raises:
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    from tournament.rules.contests import get_contest

    module = importlib.import_module(f"tournament.contests.{rules}.rules")
    return get_contest(getattr(module, "".join(word.capitalize() for word in rules.split("_"))))


def no_contest(name: str, expected: Sequence[str]) -> InputError:
    """Return the error for a contest whose name isn't among the known ones. It isn't raised here."""
    return InputError(
        f"no contest is called {truncate(name, 100)}; expected one of: {', '.join(expected)}, and those that"
        f" tournament.toml of this folder names{did_you_mean(name, expected)}"
    )
