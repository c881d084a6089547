"""The built-in contests, as they are made of their rules."""

from __future__ import annotations

from tournament.contests import CONTESTS, find_contest

VON_NEUMANN_POKER, TWO_CARD_DRAW, HOLDEM_TRAINING, MATRIX_GAME = CONTESTS
ROCK_PAPER_SCISSORS = find_contest("rock_paper_scissors", "matrix_game")
PRISONERS_DILEMMA = find_contest("prisoners_dilemma", "matrix_game")
# Those that come with bots.
SHIPPED = tuple(contest.named(name) for contest in CONTESTS for name in contest.presets)
