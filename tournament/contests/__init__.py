"""The contests. Adding one is a folder here, a core in engine/ and a line below; or a package of its own.

A contest is imported when it is asked for: with all its imports that takes a large part of a short command's time.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tournament.contests.installed import load_installed, offers
from tournament.contests.rules_file import loaded_rules

if TYPE_CHECKING:
    from tournament.contests.contest import Contest

    CONTESTS: tuple[Contest, ...]
    # Those that come with bots, some of them by the rules of others.
    SHIPPED: tuple[Contest, ...]

# Each in a module of its name, by its name in capitals.
_BUILT_IN = ("von_neumann_poker", "two_card_draw", "holdem_training", "matrix_game")


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
    """The contest of that name that is played by the rules of another; without `rules` by its own. Raises BadInput for
    rules that are unknown, or of a package that is broken."""
    asked = rules or name
    contest = BUILT_IN[asked] if asked in BUILT_IN else loaded_rules(asked) or load_installed(asked, tuple(BUILT_IN))
    return contest.named(name)


def known_rules() -> list[str]:
    """The names of all rules: those that are built in, then those of packages, which are not imported for that."""
    return [*BUILT_IN, *(name for name in offers() if name not in BUILT_IN)]
