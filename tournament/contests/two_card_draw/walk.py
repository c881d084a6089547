"""Every hand that can happen between a bot and a server, played with the bot as in a session, and their value.

A hand is a path through a tree: the bot's cards, then in turn its answers and the moves of the server or the deck. A
bot that forgets between hands answers alike whenever it has been asked the same in a hand, so one hand for each leaf
shows all that it does.
"""

from __future__ import annotations

import math
import random
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from engine.games.two_card_draw.core import MOST_BETS, situation_of_draw, situation_of_round1, situation_of_round2
from engine.kernel.game_core import ANSWER_WANTED, FAULT, GameCore
from tournament.contests.two_card_draw.hands import CHANCES, EXCHANGES, HANDS, STRENGTHS
from tournament.contests.two_card_draw.strategy_file import ServerStrategy

# At most so many hands visit all leaves: 15 deals, 3 ends of round 1 and 2 folds in it, 3 draws
# of the server, 15 hands after the draw and 4 ends of round 2.
MOST_LEAVES = 15 * (3 * 3 * 15 * 4 + 2)

_INIT, _NEW_HAND, _ROUND1, _DRAW, _ROUND2, _SHOWDOWN = range(6)
_FOLD, _CALL, _RAISE = range(3)

_Result = TypeVar("_Result")
# Yields the (kind, arguments) to ask a bot; its answers are sent in.
Questions = Generator[tuple[int, Sequence[int]], int, _Result]
# What a bot was asked in a hand so far, the winnings aside.
Asked = tuple[tuple[int, ...], ...]


class NotMemoryless(Exception):
    """The bot answered otherwise than before in the same place, or gave no valid answer."""


@dataclass
class Answers:
    """A bot's actions, by what it was asked in the hand so far. Nothing more is noted after a contradiction."""

    actions: dict[Asked, int] = field(default_factory=dict)
    agree: bool = True

    def note(self, asked: Asked, answer: int) -> int:
        """The action of an answer. Raises NotMemoryless unless it is the same as every time before."""
        action = _action(asked[-1], answer)
        if action is None or self.actions.setdefault(asked, action) != action:
            self.agree = False
        if action is None or not self.agree:
            raise NotMemoryless
        return action


def _action(question: tuple[int, ...], answer: int) -> int | None:
    """The action of an answer, None if it is no valid answer."""
    kind, *arguments = question
    if not 0 <= answer <= (1 if kind == _NEW_HAND else 2):
        return None
    if kind == _NEW_HAND:
        return _RAISE if answer else _CALL
    if kind == _DRAW:
        return answer
    bets = arguments[2 if kind == _ROUND1 else 3]
    # Where it opens round 2, folding is a check; after three bets raising is a call.
    return max(answer, _CALL) if bets == 0 else min(answer, _CALL) if bets == MOST_BETS else answer


@dataclass(frozen=True)
class _Turn:
    """A place in a hand: the bot is asked something, or the hand is over (`question` None). `reach` is the chance of
    getting there with each of the server's hands, given the bot's actions."""

    question: tuple[int, ...] | None
    hand: int  # the bot's, as the others an index of HANDS
    reach: npt.NDArray[np.float64]
    bets1: int = 0
    y_opened: bool = False  # in round 1
    x_drew: int = 0
    y_drew: int = 0
    gain: int = 0  # the bot's, at the end
    stake: int = 0  # of each, where the hand ends in a showdown

    @property
    def value(self) -> float:
        """What an end is worth to the bot, times its chance."""
        return math.fsum(r * self.gain_against(other) for other, r in enumerate(self.reach.tolist()))

    def gain_against(self, other: int) -> int:
        """What the bot wins at an end if the server has this hand."""
        return self.gain + self.stake * int(np.sign(STRENGTHS[self.hand] - STRENGTHS[other]))


class _Tree:
    """The rules and a server's strategy: what the bot's actions can lead to."""

    def __init__(self, strategy: ServerStrategy) -> None:
        self._rows = strategy.rows
        self._bet1, self._bet2 = strategy.bet1, strategy.bet2

    def deals(self) -> list[_Turn]:
        return [
            _Turn((_NEW_HAND, *HANDS[hand]), hand, chance * CHANCES) for hand, chance in enumerate(CHANCES.tolist())
        ]

    def after(self, turn: _Turn, action: int) -> list[_Turn]:
        """All turns that can come next."""
        assert turn.question is not None
        found = self._draw(turn, action) if turn.question[0] == _DRAW else self._bet(turn, turn.question, action)
        return [following for following in found if following.reach.any()]

    def _bet(self, turn: _Turn, question: tuple[int, ...], action: int) -> Iterator[_Turn]:
        in_round2 = question[0] == _ROUND2
        faced = 0 if question[0] == _NEW_HAND else question[4] if in_round2 else question[3]
        size = self._bet2 if in_round2 else self._bet1
        before = 1 + turn.bets1 * self._bet1
        if action == _FOLD:
            yield replace(turn, question=None, gain=-(before + (faced - 1) * size))
            return
        if action == _CALL and faced:
            yield self._called(turn, faced, in_round2)
            return
        bets = faced + (action == _RAISE)
        rows = self._rows[[self._situation(turn, other, bets, in_round2) for other in HANDS]]
        folds, calls, raises = (replace(turn, reach=turn.reach * rows[:, theirs]) for theirs in range(3))
        yield replace(folds, question=None, gain=before + (bets - 1) * size)
        yield self._called(calls, bets, in_round2)
        yield self._raised(raises, bets + 1, in_round2)

    def _situation(self, turn: _Turn, other: tuple[int, int], bets: int, in_round2: bool) -> int:
        if in_round2:
            return situation_of_round2(*other, turn.bets1, turn.y_opened, turn.x_drew, turn.y_drew, bets)
        return situation_of_round1(*other, bets)

    def _called(self, turn: _Turn, bets: int, in_round2: bool) -> _Turn:
        if in_round2:
            return replace(turn, question=None, stake=1 + turn.bets1 * self._bet1 + bets * self._bet2)
        return replace(turn, question=(_DRAW, *HANDS[turn.hand], bets), bets1=bets)

    def _raised(self, turn: _Turn, bets: int, in_round2: bool) -> _Turn:
        if in_round2:
            return replace(turn, question=(_ROUND2, *HANDS[turn.hand], turn.bets1, bets, turn.y_drew))
        return replace(turn, question=(_ROUND1, *HANDS[turn.hand], bets), y_opened=turn.y_opened or bets == 1)

    def _draw(self, turn: _Turn, x_draws: int) -> Iterator[_Turn]:
        rows = self._rows[[situation_of_draw(*other, turn.bets1, x_draws, turn.y_opened) for other in HANDS]]
        becomes = EXCHANGES[x_draws][turn.hand]
        for y_draws in range(3):
            reach = (turn.reach * rows[:, y_draws]) @ EXCHANGES[y_draws]
            for hand in np.flatnonzero(becomes).tolist():
                yield replace(
                    turn,
                    question=(_ROUND2, *HANDS[hand], turn.bets1, 0, y_draws),
                    hand=hand,
                    reach=becomes[hand] * reach,
                    x_drew=x_draws,
                    y_drew=y_draws,
                )


@dataclass(eq=False)
class _Node:
    """A turn, and the next ones that still have unvisited leaves; None before the first visit."""

    turn: _Turn | None
    following: list[_Node] | None = None


def introduction(strategy: ServerStrategy) -> Questions[None]:
    """What a bot is asked before anything else."""
    yield _INIT, (strategy.bet1, strategy.bet2)


def visit_leaves(strategy: ServerStrategy, answers: Answers, winnings: int) -> Questions[tuple[float, int]]:
    """Play a hand to each leaf of the tree, in random order; returns (the bot's expectation, hands played). `winnings`:
    what the bot has won before. Raises NotMemoryless."""
    tree = _Tree(strategy)
    chance = random.Random(0)
    root = _Node(None, [_Node(turn) for turn in tree.deals()])
    values = []
    while root.following:
        path = [root, chance.choice(root.following)]
        asked: Asked = ()
        while (turn := path[-1].turn) is not None and turn.question is not None:
            kind, *arguments = turn.question
            answer = yield kind, [*arguments, winnings] if kind == _NEW_HAND else arguments
            asked = (*asked, turn.question)
            action = answers.note(asked, answer)
            if path[-1].following is None:
                path[-1].following = [_Node(following) for following in tree.after(turn, action)]
            path.append(chance.choice(path[-1].following))
        assert turn is not None
        values.append(turn.value)
        (other,) = chance.choices(range(len(HANDS)), turn.reach.tolist())
        if turn.stake:
            yield _SHOWDOWN, (*HANDS[turn.hand], *HANDS[other])
        winnings += turn.gain_against(other)
        while not path[-1].following and len(path) > 1:
            visited = path.pop()
            assert path[-1].following is not None
            path[-1].following.remove(visited)
    return math.fsum(values), len(values)


def play(core: GameCore, answers: Answers) -> Questions[None]:
    """Play a core's session and note the bot's answers. Raises NotMemoryless."""
    asked: Asked = ()
    status = core.play()
    while status == ANSWER_WANTED:
        kind, _, arguments, _ = core.pending()
        answer = yield kind, arguments
        if kind == _NEW_HAND:
            asked = ((kind, *arguments[:2]),)
            answers.note(asked, answer)
        elif kind not in (_INIT, _SHOWDOWN):
            asked = (*asked, (kind, *arguments))
            answers.note(asked, answer)
        status = core.play(answer)
        assert status != FAULT, "what breaks the rules is no action"
