"""Exact mean scores of bots of von Neumann poker that remember nothing: a session is a Markov chain of stacks and role.

A bot must depend on its card and on both stacks alone, and change its mind about the card at multiples of 1/cells
only. It is called with the middle of each cell. Within a cell either card is the higher one half the time.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from math import sqrt

from tests.oracles.von_neumann_poker import BetCap, Bot, View, cut


def gains(a: Bot, b: Bot, a_money: int, b_money: int, cells: int, bet_cap: BetCap = "before_ante") -> dict[int, float]:
    """Return the probability of each gain of A's in a game."""
    odds: dict[int, float] = defaultdict(float)
    middles = [(cell + 0.5) / cells for cell in range(cells)]
    calls: dict[int, list[bool]] = {}
    for mine, card in enumerate(middles):
        bet = cut(a.a(View(card, -1.0, a_money, b_money)), a_money, b_money, bet_cap)
        if bet not in calls:
            views = [View(other, -1.0, b_money, a_money) for other in middles]
            calls[bet] = [bet == 0 or b.b(view, bet) != 0 for view in views]
        for theirs, called in enumerate(calls[bet]):
            chance = 1 / cells**2
            if not called:
                odds[10] += chance
                continue
            wins = 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
            odds[10 + bet] += wins * chance
            odds[-10 - bet] += (1 - wins) * chance
    return {gain: chance for gain, chance in odds.items() if chance}


def session_values(x: Bot, y: Bot, cells: int, bet_cap: BetCap = "before_ante") -> list[tuple[float, float]]:
    """Return x's mean points and the probability of an odd number of games, for sessions that x opens, then y."""
    known: dict[tuple[bool, int], dict[int, float]] = {}

    def x_gains(seat_0_is_a: bool, money: int) -> dict[int, float]:
        if (seat_0_is_a, money) not in known:
            if seat_0_is_a:
                known[seat_0_is_a, money] = gains(x, y, money, 200 - money, cells, bet_cap)
            else:
                others = gains(y, x, 200 - money, money, cells, bet_cap)
                known[seat_0_is_a, money] = {-gain: chance for gain, chance in others.items()}
        return known[seat_0_is_a, money]

    values = []
    for x_begins in (True, False):
        stacks = {100: 1.0}
        mean = odd = 0.0
        for played in range(1, 51):
            after: dict[int, float] = defaultdict(float)
            for money, chance in stacks.items():
                for gain, share in x_gains(x_begins == (played % 2 == 1), money).items():
                    after[money + gain] += chance * share
            stacks = {}
            for money, chance in after.items():
                if played == 50 or money < 10 or money > 190:
                    mean += chance * (money - 100) / sqrt(played)
                    odd += chance * (played % 2)
                else:
                    stacks[money] = chance
        values.append((mean, odd))
    return values


def match_value(x: Bot, y: Bot, sessions: int, cells: int, bet_cap: BetCap = "before_ante") -> float:
    """Return x's mean points over a leg of sessions whose first game x opens."""
    (first, first_odd), (second, second_odd) = session_values(x, y, cells, bet_cap)
    # Probability that x opens the session.
    total, begins = 0.0, 1.0
    for _ in range(sessions):
        total += begins * first + (1 - begins) * second
        begins = begins * (1 - first_odd) + (1 - begins) * second_odd
    return total


def true_scores(bots: Sequence[Bot], sessions: int, cells: int, bet_cap: BetCap = "before_ante") -> list[float]:
    """Return the mean score of each bot in a round robin of bots in the order of their names."""
    scores = [0.0] * len(bots)
    for i, j in itertools.combinations(range(len(bots)), 2):
        value = match_value(bots[i], bots[j], sessions, cells, bet_cap)
        scores[i] += value
        scores[j] -= value
    return scores
