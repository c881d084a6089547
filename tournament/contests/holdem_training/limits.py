"""Hands to try bots with before they enter: the lowest and highest cards, and boards on which everything happens."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games.holdem_training.core import HoldemTraining
from engine.kernel.game_core import GameCore
from tournament.contests.contest import CoreSetup

# Alice's two cards: twos, aces, the first and the last card, the lowest and the highest of one suit.
_HOLES = ((0, 13), (38, 51), (0, 51), (0, 1), (50, 51))
_BOARDS = (
    (26, 28, 30, 32, 34),  # a flush
    (34, 35, 36, 37, 25),  # four of a straight flush up to the ace
    (25, 14, 15, 16, 2),  # a straight from the ace to the five
    (11, 24, 37, 50, 12),  # four kings
    (13, 26, 39, 3, 16),  # three twos and two fives
    (49, 48, 47, 46, 45),  # a straight flush: a tie unless one holds the king
)


def hands_at_limits() -> NDArray[np.uint8]:
    """Return card numbers, 0 to 51, shape (hands, 9): each hole with each board that shares no card with it.

    Rows are in the order of the holes, then of the boards. In a row Alice's two cards are followed by Bob's two and the
    board's five. Bob has the two lowest remaining numbers.
    """
    hands = []
    for hole in _HOLES:
        for board in _BOARDS:
            if not {*hole} & {*board}:
                bob = [card for card in range(52) if card not in (*hole, *board)][:2]
                hands.append([*hole, *bob, *board])
    return np.array(hands, dtype=np.uint8)


def new_core_at_limits(setup: CoreSetup[Any]) -> GameCore:
    """Return a core that plays the hands at the limits once, as a single session, whatever the settings are."""
    hands = hands_at_limits()
    return HoldemTraining(
        setup.games, setup.sessions, deals_key=setup.leg.deals_key, sessions=1, hands=len(hands), decks=hands
    )
