"""Scores of a mean profit: the terminal form's points, and the function form's two tasks."""

from __future__ import annotations

import math

SMALL_TASK = 11.0
LARGE_TASK = 16.0


def points(mean_profit: float) -> int:
    """Return the points for W, the mean profit of a hand in chips. Half a point is rounded up.

    They are 0 up to 8 chips, 40 for 11, 82 for 14, and 3 more for each further chip, with lines between.
    """
    if mean_profit <= 8:
        return 0
    if mean_profit <= 11:
        return _rounded(13.3 * (mean_profit - 8))
    if mean_profit <= 14:
        return 40 + _rounded(14 * (mean_profit - 11))
    return 82 + _rounded(3 * (mean_profit - 14))


def _rounded(positive: float) -> int:
    """Return a number that isn't negative rounded half up. Floats within 1e-9 below a half count as the half."""
    return math.floor(positive + 0.5 + 1e-9)


def tasks(mean_profit: float) -> tuple[bool, bool]:
    """Return whether W, in chips, passes the small task and the large one, which need at least 11 and 16 chips."""
    return mean_profit >= SMALL_TASK, mean_profit >= LARGE_TASK
