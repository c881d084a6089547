"""Student's t distribution for whole degrees of freedom, as finite sums (Abramowitz and Stegun, 26.7.3 and 26.7.4)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats

_MOST_FREEDOM = 1000  # terms of the sum; the quantile is then 0.1% above that of the normal distribution


def two_sided_tail(t: npt.ArrayLike, freedom: int) -> Floats:
    """The chance of a value at least as far from 0 as each t, with so many degrees of freedom, 1 or more.

    The absolute error is about 1e-15. More than 1,000 degrees count as 1,000.
    """
    freedom = min(freedom, _MOST_FREEDOM)
    angle = np.arctan(np.abs(np.asarray(t, np.float64)) / math.sqrt(freedom))
    sine, cosine = np.sin(angle), np.cos(angle)
    odd = freedom % 2 == 1
    # 1 + 1/2 cos² + 1·3/(2·4) cos⁴ + …, or cos + 2/3 cos³ + 2·4/(3·5) cos⁵ + … where the freedom is odd.
    term = cosine if odd else np.ones_like(cosine)
    total = np.zeros_like(cosine)
    for power in range(1 if odd else 0, freedom - 1, 2):
        total = total + term
        term = term * cosine * cosine * (power + 1) / (power + 2)
    inside = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return np.asarray(np.clip(1 - inside, 0.0, 1.0))


@cache
def quantile(probability: float, freedom: int) -> float:
    """Where the distribution function reaches a probability from 0.5 to 1 − 1e-13; infinite with no freedom."""
    if freedom < 1:
        return math.inf
    low, high = 0.0, 1.0
    while _distribution(high, freedom) < probability:
        low, high = high, 2 * high
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if _distribution(middle, freedom) < probability else (low, middle)
    return middle


def reach(stderr: float, freedom: int) -> float:
    """How far an interval of 95% goes to either side, by a standard error with so many degrees of freedom."""
    return quantile(0.975, freedom) * stderr


def _distribution(t: float, freedom: int) -> float:
    return 1 - float(two_sided_tail(t, freedom)) / 2
