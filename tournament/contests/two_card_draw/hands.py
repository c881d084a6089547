"""The hands of two-card draw, what exchanging cards makes of them, and the ways in which round 1 goes on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.games.two_card_draw.core import MOST_BETS

HANDS = tuple((low, high) for low in range(5) for high in range(low, 5))
# The greater, the better: pairs before high cards.
STRENGTHS = np.array([10 + low if low == high else high * (high - 1) // 2 + low for low, high in HANDS])
# The bets, and whether y opened.
HISTORIES = ((0, False), *((bets, y_opened) for y_opened in (False, True) for bets in range(1, MOST_BETS + 1)))


def _exchanged(count: int) -> npt.NDArray[np.float64]:
    """The chance of each hand (column) after exchanging so many cards of a hand (row)."""
    if count == 0:
        return np.eye(len(HANDS))
    chances = np.zeros((len(HANDS), len(HANDS)))
    for hand, (_, high) in enumerate(HANDS):
        for new in range(25):
            cards = (high, new % 5) if count == 1 else divmod(new, 5)
            chances[hand, HANDS.index((min(cards), max(cards)))] += 1 / 25
    return chances


EXCHANGES = np.array([_exchanged(count) for count in range(3)])
CHANCES = np.ascontiguousarray(EXCHANGES[2, 0])  # of each hand as dealt
