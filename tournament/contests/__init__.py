"""The contests. Adding one is a folder here, a core in engine/ and a line below; or a package of its own."""

from __future__ import annotations

from tournament.contests.contest import Contest
from tournament.contests.holdem_training import HOLDEM_TRAINING
from tournament.contests.installed import load_installed, offers
from tournament.contests.matrix_game import MATRIX_GAME, PRISONERS_DILEMMA, ROCK_PAPER_SCISSORS
from tournament.contests.two_card_draw import TWO_CARD_DRAW
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER

CONTESTS: tuple[Contest, ...] = (VON_NEUMANN_POKER, TWO_CARD_DRAW, HOLDEM_TRAINING, MATRIX_GAME)
# Those that come with bots, some of them by the rules of others.
SHIPPED: tuple[Contest, ...] = (
    VON_NEUMANN_POKER,
    TWO_CARD_DRAW,
    HOLDEM_TRAINING,
    ROCK_PAPER_SCISSORS,
    PRISONERS_DILEMMA,
)


def find_contest(name: str, rules: str = "") -> Contest:
    """The contest of that name that is played by the rules of another; without `rules` by its own.

    Raises BadInput for rules that are unknown, or of a package that is broken.
    """
    asked = rules or name
    for contest in CONTESTS:
        if contest.name == asked:
            return contest.named(name)
    return load_installed(asked, tuple(contest.name for contest in CONTESTS)).named(name)


def known_rules() -> list[str]:
    """The names of all rules: those that are built in, then those of packages, which are not imported for that."""
    built_in = [contest.name for contest in CONTESTS]
    return [*built_in, *(name for name in offers() if name not in built_in)]
