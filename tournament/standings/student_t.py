"""Student's t distribution: finite sums for few degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4), and a
normal deviate for more (G. Hill, "Algorithm 395: Student's t-Distribution", 1970)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats

_FEW = 10  # degrees, below which fractions are cut off; Hill's relative error is 2e-6 at most starting here
_MOST = 1e9  # degrees, as good as none
_MOST_STEPS = 60  # of Newton's method: towards the end of one degree's tail a value but doubles in each


def two_sided_tail(t: npt.ArrayLike, freedom: npt.ArrayLike) -> Floats:
    """Return the probability of a value at least as far from 0 as each t, with this many degrees of freedom.

    Args:
        t: Values.
        freedom: Degrees for each or all of them. Below 1 nothing is known: the probability is 1.
    """
    values, degrees = np.broadcast_arrays(np.abs(np.asarray(t, np.float64)), np.minimum(freedom, _MOST))
    few = degrees < _FEW
    found = np.ones(values.shape)
    if few.any():
        whole = np.floor(degrees)
        for number in {*whole[few & (whole >= 1)].tolist()}:
            there = whole == number
            found[there] = _by_sums(values[there], int(number))
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
        series = ((((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b) + y + 3.0) / b + 1.0
        deviates = np.where(np.isfinite(y), series * np.sqrt(y), np.inf)
    return np.array([math.erfc(value) for value in (deviates / math.sqrt(2)).tolist()], np.float64)


def quantiles(probability: float, freedom: npt.ArrayLike) -> Floats:
    """Return where the distribution functions with these degrees of freedom reach a probability from 0.5 to 1 − 1e-13;
    infinite with less than one degree."""
    wanted = np.asarray(freedom, np.float64)
    degrees = np.sort(wanted, axis=None)
    degrees = degrees[np.diff(degrees, prepend=-1.0) > 0]  # np.unique loads numpy.ma
    known = degrees >= 1
    reached = degrees[known]
    tail, value, density = 2 * (1 - probability), np.zeros(len(reached)), _density(reached)
    # Newton's method: the tail is convex, so starting at 0 it comes nearer from one side.
    for _ in range(_MOST_STEPS):
        step = (two_sided_tail(value, reached) - tail) / (2 * density(value))
        value = value + step
        if (np.abs(step) <= 1e-14 * value).all():
            break
    found = np.full(len(degrees), np.inf)
    found[known] = value
    return np.asarray(found[np.searchsorted(degrees, wanted)])


def _density(degrees: Floats) -> Callable[[Floats], Floats]:
    """The density for these degrees, of which fractions are cut off as in `two_sided_tail`."""
    degrees = np.minimum(np.where(degrees < _FEW, np.floor(degrees), degrees), _MOST)
    logarithms = [math.lgamma((each + 1) / 2) - math.lgamma(each / 2) for each in degrees.tolist()]
    at_zero = np.exp(logarithms) / np.sqrt(math.pi * degrees)
    return lambda t: np.asarray(at_zero * (1 + t * t / degrees) ** (-(degrees + 1) / 2))


@cache
def quantile(probability: float, freedom: float) -> float:
    """Return the same for one number of degrees."""
    return float(quantiles(probability, freedom))


def half_width(stderr: float, freedom: float) -> float:
    """Return how far a 95% interval goes to either side, by a standard error with this many degrees of freedom."""
    return quantile(0.975, freedom) * stderr
