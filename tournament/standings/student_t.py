"""Student's t distribution.

For few degrees of freedom it is a finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4), otherwise a normal deviate (G.
Hill, "Algorithm 395: Student's t-Distribution", 1970).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats

# Degrees of freedom, below which fractions are cut off. From here on Hill's relative error is at most 2e-6.
_FEW = 10
# Maximum degrees of freedom: the distribution is then practically normal.
_MAX_DEGREES = 1e9
# Maximum steps of Newton's method. In the far tail of one degree of freedom, a step only doubles the value.
_MAX_STEPS = 60


def two_sided_tail(t: npt.ArrayLike, freedom: npt.ArrayLike) -> Floats:
    """Return the probability of a value at least as far from 0 as each t, in the shape of both arguments broadcast.

    Args:
        t: Values.
        freedom: Degrees of freedom of each or all of them. Below 1 the probability is 1, because nothing is known.
            Below 10 fractions are cut off.
    """
    values, degrees = np.broadcast_arrays(np.abs(np.asarray(t, np.float64)), np.minimum(freedom, _MAX_DEGREES))
    few = degrees < _FEW
    tails = np.ones(values.shape)
    if few.any():
        rounded = np.floor(degrees)
        for number in {*rounded[few & (rounded >= 1)].tolist()}:
            is_equal = rounded == number
            tails[is_equal] = _by_sums(values[is_equal], int(number))
    tails[~few] = _by_normal(values[~few], degrees[~few])
    return tails


def _by_sums(t: Floats, freedom: int) -> Floats:
    """Return the two-sided tails of t, which isn't negative, by a finite sum."""
    angle = np.arctan(t / math.sqrt(freedom))
    sine, cosine = np.sin(angle), np.cos(angle)
    odd = freedom % 2 == 1
    # 1 + 1/2 cos² + 1·3/(2·4) cos⁴ + …, or cos + 2/3 cos³ + 2·4/(3·5) cos⁵ + … if the degrees of freedom are odd.
    term = cosine if odd else np.ones_like(cosine)
    total = np.zeros_like(cosine)
    for power in range(1 if odd else 0, freedom - 1, 2):
        total = total + term
        term = term * cosine * cosine * (power + 1) / (power + 2)
    inside = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return np.asarray(np.clip(1 - inside, 0.0, 1.0))


def _by_normal(t: Floats, freedom: Floats) -> Floats:
    """Return the two-sided tails of t, which isn't negative, by normal deviates, for 10 degrees of freedom or more."""
    near = freedom - 0.5
    b = 48 * near * near
    y = near * np.log1p(t * t / freedom)
    with np.errstate(invalid="ignore"):
        series = ((((-0.4 * y - 3.3) * y - 24.0) * y - 85.5) / (0.8 * y * y + 100.0 + b) + y + 3.0) / b + 1.0
        deviates = np.where(np.isfinite(y), series * np.sqrt(y), np.inf)
    return np.array([math.erfc(value) for value in (deviates / math.sqrt(2)).tolist()], np.float64)


def quantiles(probability: float, freedom: npt.ArrayLike) -> Floats:
    """Return quantiles for a probability from 0.5 to 1 − 1e-13, in the shape of `freedom`.

    Args:
        probability: Value of the distribution function.
        freedom: Degrees of freedom. Below 1 the quantile is infinite. Below 10 fractions are cut off.
    """
    requested = np.asarray(freedom, np.float64)
    degrees = np.sort(requested, axis=None)
    # Not np.unique, which loads numpy.ma.
    degrees = degrees[np.diff(degrees, prepend=-1.0) > 0]
    is_known = degrees >= 1
    finite = degrees[is_known]
    tail, value, density = 2 * (1 - probability), np.zeros(len(finite)), _density(finite)
    # The tail is convex, so Newton's method approaches the solution from one side if it starts at 0.
    for _ in range(_MAX_STEPS):
        step = (two_sided_tail(value, finite) - tail) / (2 * density(value))
        value = value + step
        if (np.abs(step) <= 1e-14 * value).all():
            break
    result = np.full(len(degrees), np.inf)
    result[is_known] = value
    return np.asarray(result[np.searchsorted(degrees, requested)])


def _density(degrees: Floats) -> Callable[[Floats], Floats]:
    """Return the density function for these degrees of freedom, with fractions cut off as in `two_sided_tail`."""
    degrees = np.minimum(np.where(degrees < _FEW, np.floor(degrees), degrees), _MAX_DEGREES)
    logarithms = [math.lgamma((each + 1) / 2) - math.lgamma(each / 2) for each in degrees.tolist()]
    at_zero = np.exp(logarithms) / np.sqrt(math.pi * degrees)
    return lambda t: np.asarray(at_zero * (1 + t * t / degrees) ** (-(degrees + 1) / 2))


@cache
def quantile(probability: float, freedom: float) -> float:
    """Return the quantile for a single number of degrees of freedom, infinite below 1. Results are cached."""
    return float(quantiles(probability, freedom))


def half_width(stderr: float, freedom: float) -> float:
    """Return the half-width of a 95% interval, given a standard error with this number of degrees of freedom.

    Below 1 degree of freedom it is infinite, or NaN if the standard error is 0.
    """
    return quantile(0.975, freedom) * stderr
