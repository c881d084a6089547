"""The contests. Adding one is a folder here, a core in engine/ and a line below."""

from __future__ import annotations

from tournament.contests.contest import Contest
from tournament.contests.holdem_training import HOLDEM_TRAINING
from tournament.contests.two_card_draw import TWO_CARD_DRAW
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.errors import BadInput

CONTESTS: tuple[Contest, ...] = (VON_NEUMANN_POKER, TWO_CARD_DRAW, HOLDEM_TRAINING)


def find_contest(name: str) -> Contest:
    """The contest of that name. Raises BadInput for an unknown one."""
    for contest in CONTESTS:
        if contest.name == name:
            return contest
    raise BadInput(f"no contest is called {name}; there are: {', '.join(c.name for c in CONTESTS)}")
