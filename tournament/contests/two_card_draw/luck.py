"""What luck was worth in a session of two-card draw: cards, the server's dice, and which of its hands it had.

The server's strategy is known. So what the bot sees gives the chance of each of the server's hands, of the server's
next action and of the bot's own cards: all but the bot's own actions is chance of known probabilities. An assumed
strategy of the bot gives each place in a hand a value. A hand's profit, less the hand's value and the advantages of the
bot's actions, has mean zero, however the bot really acts: the server is averaged out as far as the bot doesn't see it,
the rest is a martingale (AIVAT: N. Burch, M. Schmid, M. Moravčík, D. Morrill and M. Bowling, "AIVAT: A New Variance
Reduction Technique for Agent Evaluation in Imperfect Information Games", 2018). The assumed strategy is learned from
the bot's earlier hands of the session.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.games.two_card_draw.core import SITUATION_COUNT, situation_of_draw, situation_of_round1, situation_of_round2
from engine.games.two_card_draw.luck import LINES, add_hands, share_actions, value_actions
from tournament.contests.learned_luck import LearnedLuck
from tournament.contests.two_card_draw import LUCK_COLUMNS
from tournament.contests.two_card_draw.hands import CHANCES, EXCHANGES, HANDS, HISTORIES, STRENGTHS
from tournament.contests.two_card_draw.servers import strategy_of
from tournament.contests.two_card_draw.strategy_file import ServerStrategy

# How many of the bot's actions in a place these count for: all allowed ones, and those with such cards in other lines.
_GENERAL, _SPECIAL = 0.5, 2.0

_NO_COUNTS = np.zeros((SITUATION_COUNT, 3), np.int32)

Floats = npt.NDArray[np.float64]


class LegLuck(LearnedLuck):
    def __init__(self, hands: int, server: bytes) -> None:
        super().__init__(hands)
        self._tables = tables_of(server)
        self._counts = _NO_COUNTS  # an own array only while hands come: many legs are read at once
        self._value, self._advantages = self._tables.at_first

    def learn(self) -> None:
        self._value, self._advantages = self._tables.valued(self._counts)

    def add(self, games: Mapping[str, npt.NDArray[Any]]) -> None:
        """The next hands, by column. Raises ValueError for hands that no session has."""
        columns = [np.ascontiguousarray(games[name]) for name in LUCK_COLUMNS]
        if not self.played:
            self._counts = _NO_COUNTS.copy()
        for piece in self.pieces(len(columns[0])):
            add_hands(
                *(column[piece] for column in columns),  # type: ignore[call-arg, arg-type]
                self.played,
                self.hands,
                self._value,
                self._advantages,
                self._counts,
                self.luck,
            )
        if self.played == self.hands:
            self._counts, self._advantages = _NO_COUNTS, self._tables.at_first[1]


@dataclass(frozen=True)
class Tables:
    """A server as the bot meets it: see `value_actions`."""

    acts: Floats
    shows: Floats
    draws: Floats
    bet1: int
    bet2: int

    def valued(self, counts: npt.NDArray[np.int32]) -> tuple[float, Floats]:
        """The value of a hand, and the advantage of each action, to a bot with these counts of actions."""
        shares, advantages = np.zeros((SITUATION_COUNT, 3)), np.zeros((SITUATION_COUNT, 3))
        share_actions(counts, _GENERAL, _SPECIAL, shares)
        value = value_actions(
            self.acts, self.shows, self.draws, EXCHANGES, CHANCES, self.bet1, self.bet2, shares, advantages
        )
        return value, advantages

    @cached_property
    def at_first(self) -> tuple[float, Floats]:
        return self.valued(_NO_COUNTS)


_BETS2 = np.array([bets for bets, _ in HISTORIES])
_WINS = np.sign(STRENGTHS[:, np.newaxis] - STRENGTHS).astype(np.float64)  # of the row's hand


@cache
def tables_of(server: bytes) -> Tables:
    """The tables of the server with this content, made once in a process."""
    return make_tables(strategy_of(server))


def make_tables(strategy: ServerStrategy) -> Tables:
    rows = strategy.rows
    acts, shows = np.zeros((LINES + 1, 4, 3)), np.zeros((LINES, len(HISTORIES), len(HANDS)))
    draws = np.zeros((len(HISTORIES), 3, 3))
    in_round1 = np.array([[rows[situation_of_round1(*hand, bets)] for hand in HANDS] for bets in range(4)])
    acts[LINES], ends = _round(in_round1, CHANCES)
    for history, (bets, y_opened) in enumerate(HISTORIES):
        for x_drew in range(3):
            drawing = np.array([rows[situation_of_draw(*hand, bets, x_drew, y_opened)] for hand in HANDS])
            reach = ends[history][:, np.newaxis] * drawing
            draws[history, x_drew] = _shares(reach.sum(axis=0))
            for y_drew in range(3):
                line = (history * 3 + x_drew) * 3 + y_drew
                in_round2 = np.array(
                    [
                        [rows[situation_of_round2(*hand, bets, y_opened, x_drew, y_drew, faced)] for hand in HANDS]
                        for faced in range(4)
                    ]
                )
                acts[line], reached = _round(in_round2, _times(reach[:, y_drew], EXCHANGES[y_drew]))
                shares = np.array(list(map(_shares, reached)))
                won = np.add.reduce(shares[:, np.newaxis] * _WINS, axis=2)
                shows[line] = (1 + bets * strategy.bet1 + _BETS2 * strategy.bet2)[:, np.newaxis] * won
    return Tables(acts, shows, draws, strategy.bet1, strategy.bet2)


def _round(rows: Floats, reach: Floats) -> tuple[Floats, list[Floats]]:
    """The chances of the server's actions in a betting round facing 0 to 3 bets, and its hands' reach at each end.
    `rows` are its strategy by bets faced and hand, `reach` the chances that it gets there with each hand."""
    fold_call_raise = np.moveaxis(rows, 2, 0)
    _, calls, raises = fold_call_raise
    # Reaches where the server acts, by bets faced: the bot's actions tell nothing of the server's hands.
    at = [reach, reach, reach * raises[0], reach * raises[1]]
    acts = np.array(list(map(_shares, np.add.reduce(np.array(at)[:, :, np.newaxis] * rows, axis=1))))
    opened_by_x = [at[1] * calls[1], at[3], at[3] * calls[3]]
    opened_by_y = [at[2], at[2] * calls[2], at[2] * raises[2]]
    return acts, [at[0] * calls[0], *opened_by_x, *opened_by_y]


def _times(row: Floats, matrix: Floats) -> Floats:
    """The product of a row and a matrix; sums like this are rounded the same everywhere, which `@` is not."""
    return np.asarray(np.add.reduce(row[:, np.newaxis] * matrix, axis=0))


def _shares(reach: Floats) -> Floats:
    """Scaled to add up to 1; all equal where nothing gets there."""
    total = float(reach.sum())
    return reach / total if total > 0 else np.full(len(reach), 1 / len(reach))
