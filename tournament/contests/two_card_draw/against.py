"""What a bot can expect against a server: exactly where it forgets between hands, else by play."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.game_core import FAULT, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.records import Table
from engine.two_card_draw import (
    MOST_BETS,
    ReadyServer,
    TwoCardDraw,
    situation_of_draw,
    situation_of_round1,
    situation_of_round2,
)
from tournament import runtime
from tournament.contests.contest import Contest, ContestSettings, buffer_fields
from tournament.contests.two_card_draw.strategy_file import ServerStrategy

_HANDS = [(low, high) for low in range(5) for high in range(low, 5)]
_STRENGTH = [(low == high, high, low) for low, high in _HANDS]
_CHANCE = np.array([0.04 if low == high else 0.08 for low, high in _HANDS])
_INIT, _NEW_HAND, _ROUND1, _DRAW, _ROUND2 = range(5)
_PLAYED_HANDS = 10_000

Ask = Callable[[int, Sequence[int]], int]
Reach = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Expectation:
    """What a bot wins a hand. `error` is its standard error, None where the value is exact; `hands` were played."""

    profit: float
    error: float | None
    hands: int
    faults: int = 0


class _NotWalkable(Exception):
    """A bot that answers the same question differently, or with what is no answer: only play can tell."""


def expectation(
    contest: Contest, settings: ContestSettings, bot: runtime.LoadedBot, strategy: ServerStrategy, sessions: int
) -> Expectation:
    """What a bot wins a hand against a server.

    The bot is asked for all that can happen in a hand, many times over; then, with
    another rand(), it plays a session and is asked again. If it always answers the same, it
    is taken to forget between hands, and the value is exact; else it plays `sessions` sessions.
    Raises BotUnfit when it is at fault too often for that.
    """
    seating = _seat(contest, settings, bot, strategy, 0, 0)
    try:
        found = _Walk(strategy, seating.ask)
        found.value()
        again = _Walk(strategy, _played(contest, settings, bot, strategy).ask)
        again.value()
        if found.answers == again.answers:
            return Expectation(found.value(), None, 0)
    except (_NotWalkable, runtime.BotUnfit):
        pass
    return _simulated(contest, settings, bot, strategy, sessions)


def _seat(
    contest: Contest,
    settings: ContestSettings,
    bot: runtime.LoadedBot,
    strategy: ServerStrategy,
    session: int,
    seed: int,
) -> runtime.Seating:
    tables = [Table(buffer_fields(columns), _PLAYED_HANDS + 1) for columns in (contest.games, contest.sessions)]
    core = TwoCardDraw(
        *tables,
        deals_key=1,
        hands=_PLAYED_HANDS,
        bet1=strategy.bet1,
        bet2=strategy.bet2,
        server=ReadyServer(strategy.rows),
        session=session,
    )
    seating = runtime.Seating(
        core,
        contest.interface,
        [bot, None],
        fuel=settings.fuel_per_decision,
        memory_megabytes=settings.memory_megabytes,
        fuel_per_leg=settings.fuel_per_leg,
    )
    seating.seat(0, seed)
    return seating


def _play(seating: runtime.Seating, settings: ContestSettings, seed: int) -> int:
    """Play a session to its end; how many faults there were. Raises BotUnfit when they are too many for a contest."""
    answer = faults = 0
    while (status := seating.referee.play(answer)) != LEG_IS_OVER:
        assert status != RECORDS_ARE_FULL
        if status == FAULT:
            faults += 1
            reason = seating.take_failure()
            if faults > settings.faults_allowed:
                raise runtime.BotUnfit(f"{reason}; a bot may not be at fault so often")
            seating.seat(0, seed + faults)
            seating.core.note_restart(0)
            answer = seating.core.default()
    return faults


def _played(
    contest: Contest, settings: ContestSettings, bot: runtime.LoadedBot, strategy: ServerStrategy
) -> runtime.Seating:
    seating = _seat(contest, settings, bot, strategy, 0, 12345)
    _play(seating, settings, 12345)
    return seating


def _simulated(
    contest: Contest, settings: ContestSettings, bot: runtime.LoadedBot, strategy: ServerStrategy, sessions: int
) -> Expectation:
    faults = 0
    blocks: list[float] = []
    for session in range(sessions):
        seating = _seat(contest, settings, bot, strategy, session, session)
        faults += _play(seating, settings, session)
        blocks += seating.core.blocks().tolist()
    hands = _PLAYED_HANDS * sessions
    spread = float(np.std(blocks, ddof=1)) * math.sqrt(len(blocks))
    return Expectation(sum(blocks) / hands, spread / hands, hands, faults)


class _Walk:
    """All that can happen in a hand, with the bot asked at every turn.

    It may remember the hand so far, so each question comes after those before it. A
    value is the bot's, times the server's reach, which is a vector over the server's hands.
    """

    def __init__(self, strategy: ServerStrategy, ask: Ask) -> None:
        self._strategy = strategy
        self._ask = ask
        self.answers: dict[tuple[tuple[int, ...], ...], int] = {}
        self._value: float | None = None
        ask(_INIT, (strategy.bet1, strategy.bet2))

    def value(self) -> float:
        """What the bot wins a hand."""
        if self._value is None:
            self._value = math.fsum(p * self._dealt(hand) for p, hand in zip(_CHANCE, _HANDS))
        return self._value

    def _answer(self, asked: tuple[tuple[int, ...], ...], most: int) -> int:
        if asked not in self.answers:
            for count, question in enumerate(asked, 1):
                answer = self._ask(question[0], question[1:])
                if self.answers.setdefault(asked[:count], answer) != answer:
                    raise _NotWalkable
            if not 0 <= answer <= most:
                raise _NotWalkable
        return self.answers[asked]

    def _dealt(self, hand: tuple[int, int]) -> float:
        asked = ((_NEW_HAND, *hand, 0),)
        bets = self._answer(asked, 1)
        return self._round1(hand, asked, _CHANCE, bets, bets == 0)

    def _round1(
        self, hand: tuple[int, int], asked: tuple[tuple[int, ...], ...], reach: Reach, bets: int, checked: bool
    ) -> float:
        """The server answers so many bets."""
        rows = self._strategy.rows[[situation_of_round1(*other, bets) for other in _HANDS]]
        fold, call, more = (reach * rows[:, action] for action in range(3))
        value = (1 + max(0, bets - 1) * self._strategy.bet1) * float(fold.sum())
        value += self._drawing(hand, asked, call, bets, checked)
        if not more.any():
            return value
        asked = (*asked, (_ROUND1, *hand, bets + 1))
        answer = self._answer(asked, 2)
        if answer == 0:
            return value - (1 + bets * self._strategy.bet1) * float(more.sum())
        if answer == 1 or bets + 1 == MOST_BETS:
            return value + self._drawing(hand, asked, more, bets + 1, checked)
        return value + self._round1(hand, asked, more, bets + 2, checked)

    def _drawing(
        self, hand: tuple[int, int], asked: tuple[tuple[int, ...], ...], reach: Reach, bets: int, checked: bool
    ) -> float:
        if not reach.any():
            return 0.0
        asked = (*asked, (_DRAW, *hand, bets))
        mine = self._answer(asked, 2)
        y_opened = checked and bets > 0
        rows = self._strategy.rows[[situation_of_draw(*other, bets, mine, y_opened) for other in _HANDS]]
        value = 0.0
        for other in range(3):
            drawn = sum(share * _after_draw(theirs, other) for share, theirs in zip(reach * rows[:, other], _HANDS))
            assert isinstance(drawn, np.ndarray)
            for chance, held in zip(_after_draw(hand, mine), _HANDS):
                if chance and drawn.any():
                    value += chance * self._round2(held, asked, drawn, (bets, mine, other, y_opened))
        return value

    def _round2(
        self,
        hand: tuple[int, int],
        asked: tuple[tuple[int, ...], ...],
        reach: Reach,
        history: tuple[int, int, int, bool],
    ) -> float:
        bets1, _, other, _ = history
        asked = (*asked, (_ROUND2, *hand, bets1, 0, other))
        return self._server2(hand, asked, reach, history, int(self._answer(asked, 2) == 2))

    def _server2(
        self,
        hand: tuple[int, int],
        asked: tuple[tuple[int, ...], ...],
        reach: Reach,
        history: tuple[int, int, int, bool],
        bets: int,
    ) -> float:
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
        answer = self._answer(asked, 2)
        if answer == 0:
            return value - (before + bets * self._strategy.bet2) * float(more.sum())
        if answer == 1 or bets + 1 == MOST_BETS:
            return value + (before + (bets + 1) * self._strategy.bet2) * _shown(hand, more)
        return value + self._server2(hand, asked, more, history, bets + 2)


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
