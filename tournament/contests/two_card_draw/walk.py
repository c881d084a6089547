"""What a bot without memory wins a hand: all that can happen in one, asked for and added up."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from engine.two_card_draw import MOST_BETS, situation_of_draw, situation_of_round1, situation_of_round2
from tournament.contests.two_card_draw.strategy_file import ServerStrategy

_HANDS = [(low, high) for low in range(5) for high in range(low, 5)]
_STRENGTH = [(low == high, high, low) for low, high in _HANDS]
_CHANCE = np.array([0.04 if low == high else 0.08 for low, high in _HANDS])
_INIT, _NEW_HAND, _ROUND1, _DRAW, _ROUND2 = range(5)

_Result = TypeVar("_Result")
# (kind, arguments) to ask a bot, whose answers are sent in.
Questions = Generator[tuple[int, Sequence[int]], int, _Result]
Asked = tuple[tuple[int, ...], ...]
Answers = dict[Asked, int]
Reach = npt.NDArray[np.float64]


class NotWalkable(Exception):
    """A bot that answers the same question differently, or with what is no answer: only play can tell."""


def introduction(strategy: ServerStrategy) -> Questions[None]:
    """What a bot is asked before anything else."""
    yield _INIT, (strategy.bet1, strategy.bet2)


class Walk:
    """All that can happen in a hand, with the bot asked at every turn.

    It may remember the hand so far, so each question comes after those before it. `answers`
    fills on the way. Values are the bot's, times the server's reach, which is a vector over the server's hands.
    """

    def __init__(self, strategy: ServerStrategy, winnings: int = 0) -> None:
        self._strategy = strategy
        self._winnings = winnings  # as the bot is told
        self.answers: Answers = {}

    def value(self) -> Questions[float]:
        """Ask for everything; returns what the bot wins a hand. Raises NotWalkable."""
        value = 0.0
        for chance, hand in zip(_CHANCE, _HANDS):
            value += chance * (yield from self._dealt(hand))
        return value

    def _answer(self, asked: Asked, most: int) -> Questions[int]:
        if asked not in self.answers:
            for count, question in enumerate(asked, 1):
                told = (*question[1:], self._winnings) if question[0] == _NEW_HAND else question[1:]
                answer = yield question[0], told
                if self.answers.setdefault(asked[:count], answer) != answer:
                    raise NotWalkable
            if not 0 <= answer <= most:
                raise NotWalkable
        return self.answers[asked]

    def _dealt(self, hand: tuple[int, int]) -> Questions[float]:
        asked = ((_NEW_HAND, *hand),)
        bets = yield from self._answer(asked, 1)
        return (yield from self._round1(hand, asked, _CHANCE, bets, bets == 0))

    def _round1(self, hand: tuple[int, int], asked: Asked, reach: Reach, bets: int, checked: bool) -> Questions[float]:
        """The server answers so many bets."""
        rows = self._strategy.rows[[situation_of_round1(*other, bets) for other in _HANDS]]
        fold, call, more = (reach * rows[:, action] for action in range(3))
        value = (1 + max(0, bets - 1) * self._strategy.bet1) * float(fold.sum())
        value += yield from self._drawing(hand, asked, call, bets, checked)
        if not more.any():
            return value
        asked = (*asked, (_ROUND1, *hand, bets + 1))
        answer = yield from self._answer(asked, 2)
        if answer == 0:
            return value - (1 + bets * self._strategy.bet1) * float(more.sum())
        if answer == 1 or bets + 1 == MOST_BETS:
            return value + (yield from self._drawing(hand, asked, more, bets + 1, checked))
        return value + (yield from self._round1(hand, asked, more, bets + 2, checked))

    def _drawing(self, hand: tuple[int, int], asked: Asked, reach: Reach, bets: int, checked: bool) -> Questions[float]:
        if not reach.any():
            return 0.0
        asked = (*asked, (_DRAW, *hand, bets))
        mine = yield from self._answer(asked, 2)
        y_opened = checked and bets > 0
        rows = self._strategy.rows[[situation_of_draw(*other, bets, mine, y_opened) for other in _HANDS]]
        value = 0.0
        for other in range(3):
            drawn = sum(share * _after_draw(theirs, other) for share, theirs in zip(reach * rows[:, other], _HANDS))
            assert isinstance(drawn, np.ndarray)
            for chance, held in zip(_after_draw(hand, mine), _HANDS):
                if chance and drawn.any():
                    value += chance * (yield from self._round2(held, asked, drawn, (bets, mine, other, y_opened)))
        return value

    def _round2(
        self,
        hand: tuple[int, int],
        asked: Asked,
        reach: Reach,
        history: tuple[int, int, int, bool],
    ) -> Questions[float]:
        bets1, _, other, _ = history
        asked = (*asked, (_ROUND2, *hand, bets1, 0, other))
        opened = (yield from self._answer(asked, 2)) == 2
        return (yield from self._server2(hand, asked, reach, history, int(opened)))

    def _server2(
        self,
        hand: tuple[int, int],
        asked: Asked,
        reach: Reach,
        history: tuple[int, int, int, bool],
        bets: int,
    ) -> Questions[float]:
        """The server answers so many bets."""
        bets1, mine, other, y_opened = history
        rows = self._strategy.rows[
            [situation_of_round2(*theirs, bets1, y_opened, mine, other, bets) for theirs in _HANDS]
        ]
        fold, call, more = (reach * rows[:, action] for action in range(3))
        before = 1 + bets1 * self._strategy.bet1
        value = (before + max(0, bets - 1) * self._strategy.bet2) * float(fold.sum())
        value += (before + bets * self._strategy.bet2) * _shown(hand, call)
        if not more.any():
            return value
        asked = (*asked, (_ROUND2, *hand, bets1, bets + 1, other))
        answer = yield from self._answer(asked, 2)
        if answer == 0:
            return value - (before + bets * self._strategy.bet2) * float(more.sum())
        if answer == 1 or bets + 1 == MOST_BETS:
            return value + (before + (bets + 1) * self._strategy.bet2) * _shown(hand, more)
        return value + (yield from self._server2(hand, asked, more, history, bets + 2))


def _shown(hand: tuple[int, int], reach: Reach) -> float:
    """The share of showdowns won less the share lost, times their reach."""
    mine = _STRENGTH[_HANDS.index(hand)]
    return float(sum(r * ((mine > theirs) - (mine < theirs)) for r, theirs in zip(reach, _STRENGTH)))


def _after_draw(hand: tuple[int, int], count: int) -> Reach:
    """The chance of each hand after exchanging so many cards."""
    if count == 2:
        return _CHANCE
    chances = np.zeros(len(_HANDS))
    if count == 0:
        chances[_HANDS.index(hand)] = 1
    else:
        for card in range(5):
            chances[_HANDS.index((min(card, hand[1]), max(card, hand[1])))] += 0.2
    return chances
