"""Counts exactly how two hole cards fare before the flop, and writes the table of that.

After a change of the hand evaluator: python -m tests.preflop_table > engine/games/holdem_training/preflop_outcomes.py
"""

from __future__ import annotations

import textwrap
from itertools import combinations

import numpy as np
import numpy.typing as npt

from engine.games.holdem_training.hand_strength import strengths

HEADER = '''"""Wins and ties of each class of hole cards against any other two, over all boards: exact counts.

Written by `python -m tests.preflop_table`; `bob.hole_class` numbers the classes.
"""

# Of two hole cards: the opponent's two of 50 cards, and the board's five of the other 48.
SHOWDOWNS = 1225 * 1712304

# fmt: off
OUTCOMES = (
'''
_LEFT, _RIGHT = np.triu_indices(47, 1)


def arrangements(board: tuple[int, ...]) -> int:
    """Return the number of boards like this one with other suits, or 0 unless its suits fall."""
    ranks = [0] * 4
    for card in board:
        ranks[card // 13] |= 1 << card % 13
    if sorted(ranks, reverse=True) != ranks:
        return 0
    return {4: 24, 3: 12, 2: 4 if max(map(ranks.count, ranks)) == 3 else 6, 1: 1}[len(set(ranks))]


def count_outcomes() -> npt.NDArray[np.int64]:
    """Count how often each class of hole cards wins and ties, in two minutes, with shape (169, 2).

    On each board a holding beats those that are weaker, except those that share a card with it.
    """
    totals = np.zeros((169, 2), np.int64)
    hands = np.empty((len(_LEFT), 7), np.uint8)
    of_pair = np.full((47, 47), 1 << 15, np.int32)  # the strength of two of the other cards; more than any of one twice
    for board in combinations(range(52), 5):
        weight = arrangements(board)
        if not weight:
            continue
        others = np.setdiff1d(np.arange(52), board)
        one, other = others[_LEFT], others[_RIGHT]
        hands[:, :5], hands[:, 5], hands[:, 6] = board, one, other
        found = strengths(hands)
        of_pair[_LEFT, _RIGHT] = of_pair[_RIGHT, _LEFT] = found
        weaker, to_here = (np.searchsorted(np.sort(found), found, side) for side in ("left", "right"))
        # Of those with a card of its own, itself among them.
        in_row = np.sort(of_pair, axis=1) + (np.arange(47) << 16)[:, np.newaxis]
        wanted = of_pair + (np.arange(47) << 16)[:, np.newaxis]
        first = 47 * np.arange(47)[:, np.newaxis]
        below = np.searchsorted(in_row.ravel(), wanted, "left") - first
        up_to = np.searchsorted(in_row.ravel(), wanted, "right") - first
        wins = weaker - below[_LEFT, _RIGHT] - below[_RIGHT, _LEFT]
        ties = to_here - up_to[_LEFT, _RIGHT] - up_to[_RIGHT, _LEFT] + 1 - wins
        high, low = np.maximum(one % 13, other % 13), np.minimum(one % 13, other % 13)
        kind = np.where(one // 13 == other // 13, 13 * high + low, 13 * low + high)
        for column, counts in enumerate((wins, ties)):
            totals[:, column] += weight * np.bincount(kind, counts, 169).astype(np.int64)
    sizes = np.array([[6 if i % 13 == i // 13 else 4 if i // 13 > i % 13 else 12] for i in range(169)])
    return np.asarray(totals // sizes)


def table() -> str:
    """Return the module's text."""
    pairs = " ".join(f"({wins},\u00a0{ties})," for wins, ties in count_outcomes().tolist())
    lines = textwrap.fill(pairs, 120, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
    return HEADER + lines.replace("\u00a0", " ") + "\n)\n"


if __name__ == "__main__":
    print(table(), end="")
