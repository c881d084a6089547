"""The contests. Adding one is a folder here, a core in engine/ and a line below."""

from __future__ import annotations

from tournament.contests.contest import Contest
from tournament.contests.holdem_training import HOLDEM_TRAINING
from tournament.contests.matrix_game import MATRIX_GAME, PRISONERS_DILEMMA, ROCK_PAPER_SCISSORS
from tournament.contests.two_card_draw import TWO_CARD_DRAW
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.errors import BadInput
from tournament.names import did_you_mean

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

    Raises BadInput for rules that are unknown.
    """
    for contest in CONTESTS:
        if contest.name == (rules or name):
            return contest.named(name)
    names = [contest.name for contest in CONTESTS]
    asked = rules or name
    raise BadInput(f"no contest is called {asked}; there are: {', '.join(names)}{did_you_mean(asked, names)}")
