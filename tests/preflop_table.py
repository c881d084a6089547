"""Writes the exact counts before the flop anew, after a change of the hand evaluator or of the counting:

python -m tests.preflop_table > engine/games/holdem_training/preflop_outcomes.py
"""

from __future__ import annotations

import textwrap

from engine.games.holdem_training.preflop import count_outcomes

HEADER = '''"""Wins and ties of each class of hole cards by `preflop.count_outcomes`, kept since counting takes seconds.

Written by `python -m tests.preflop_table`.
"""

# fmt: off
OUTCOMES = (
'''


def table() -> str:
    """The module's text."""
    pairs = " ".join(f"({wins},\u00a0{ties})," for wins, ties in count_outcomes().tolist())
    lines = textwrap.fill(pairs, 120, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
    return HEADER + lines.replace("\u00a0", " ") + "\n)\n"


if __name__ == "__main__":
    print(table(), end="")
