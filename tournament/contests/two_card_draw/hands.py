"""The hands of two-card draw, and the ways in which round 1 goes on."""

from __future__ import annotations

from engine.games.two_card_draw.core import MAX_BETS

HANDS = tuple((low, high) for low in range(5) for high in range(low, 5))
# Number of bets, and whether y opened.
HISTORIES = ((0, False), *((bets, y_opened) for y_opened in (False, True) for bets in range(1, MAX_BETS + 1)))
