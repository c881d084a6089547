"""The built-in contests, as they are made of their rules."""

from __future__ import annotations

from tournament.contests import CONTESTS

VON_NEUMANN_POKER, TWO_CARD_DRAW, HOLDEM_TRAINING, MATRIX_GAME = CONTESTS
# Those that come with bots.
SHIPPED = tuple(contest.named(name) for contest in CONTESTS for name in contest.presets)
