"""Scores of a mean profit: the terminal form's points, and the function form's two tasks."""

from __future__ import annotations

import math

SMALL_TASK = 11.0
LARGE_TASK = 16.0


def points(mean_profit: float) -> int:
    """Return the points for W, the mean profit of a hand: 0 up to 8, then three slopes. Half a point is rounded up."""
    if mean_profit <= 8:
        return 0
    if mean_profit <= 11:
        return _rounded(13.3 * (mean_profit - 8))
    if mean_profit <= 14:
        return 40 + _rounded(14 * (mean_profit - 11))
    return 82 + _rounded(3 * (mean_profit - 14))


def _rounded(positive: float) -> int:
    """Round half up. Floats slightly below a half count as the half."""
    return math.floor(positive + 0.5 + 1e-9)


def tasks(mean_profit: float) -> tuple[bool, bool]:
    """Return whether W passes the small and the large task."""
    return mean_profit >= SMALL_TASK, mean_profit >= LARGE_TASK
