"""Student's t distribution: finite sums for few degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4), and a
normal deviate for more (G. Hill, "Algorithm 395: Student's t-Distribution", 1970)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats

_FEW = 10  # degrees, below which fractions are cut off; Hill's relative error is 2e-6 at most starting here
_MOST = 1e9  # degrees, as good as none
_STEPS = 12  # from a deviate to its value: each is at least ten times as near


def two_sided_tail(t: npt.ArrayLike, freedom: npt.ArrayLike) -> Floats:
    """Return the probability of a value at least as far from 0 as each t, with this many degrees of freedom.

    Args:
        t: Values.
        freedom: Degrees for each or all of them. Below 1 nothing is known: the probability is 1.
    """
    values, degrees = np.broadcast_arrays(np.abs(np.asarray(t, np.float64)), np.minimum(freedom, _MOST))
    few = degrees < _FEW
    found = np.ones(values.shape)
    for number in range(1, _FEW):
        there = few & (np.floor(degrees) == number)
        if there.any():
            found[there] = _by_sums(values[there], number)
    found[~few] = _by_normal(values[~few], degrees[~few])
    return found


def _by_sums(t: Floats, freedom: int) -> Floats:
    angle = np.arctan(t / math.sqrt(freedom))
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


def _by_normal(t: Floats, freedom: Floats) -> Floats:
    near = freedom - 0.5
    b = 48 * near * near
    y = near * np.log1p(t * t / freedom)
    with np.errstate(invalid="ignore"):
        deviates = np.where(np.isfinite(y), _series(y, b) * np.sqrt(y), np.inf)
    return np.array([math.erfc(value) for value in (deviates / math.sqrt(2)).tolist()], np.float64)


def _series(y: Floats, b: Floats) -> Floats:
    return ((((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b) + y + 3.0) / b + 1.0


def quantiles(probability: float, freedom: npt.ArrayLike) -> Floats:
    """Return where the distribution functions with these degrees of freedom reach a probability from 0.5 to 1 − 1e-13;
    infinite with less than one degree."""
    wanted = np.minimum(np.asarray(freedom, np.float64), _MOST)
    found = np.full(wanted.shape, np.inf)
    few = wanted < _FEW
    for number in range(1, _FEW):
        there = few & (np.floor(wanted) == number)
        if there.any():
            found[there] = _bisected(probability, number)
    found[~few] = _of_normal(_bisected(probability, 0), wanted[~few])
    return found


@cache
def _bisected(probability: float, freedom: int) -> float:
    """Where the distribution function with few degrees, or the normal one for 0, reaches a probability."""
    low, high, tail = 0.0, 1.0, 2 * (1 - probability)

    def is_short(t: float) -> bool:
        return bool((_by_sums(np.array(t), freedom) if freedom else math.erfc(t / math.sqrt(2))) > tail)

    while is_short(high):
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if is_short(middle) else (low, middle)
    return high


def _of_normal(deviate: float, freedom: Floats) -> Floats:
    """The values that `_by_normal` takes for this normal deviate."""
    near = freedom - 0.5
    b = 48 * near * near
    y = np.full(freedom.shape, deviate * deviate)
    for _ in range(_STEPS):
        y = (deviate / _series(y, b)) ** 2
    return np.sqrt(freedom * np.expm1(y / near))


@cache
def quantile(probability: float, freedom: float) -> float:
    """Return the same for one number of degrees."""
    return float(quantiles(probability, freedom))


def half_width(stderr: float, freedom: float) -> float:
    """Return how far a 95% interval goes to either side, by a standard error with this many degrees of freedom."""
    return quantile(0.975, freedom) * stderr
