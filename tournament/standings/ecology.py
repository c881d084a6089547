"""Which bots a population comes to, when who scores more has more offspring: by the crosstable alone.

`replicator`: shares grow by what a bot scores a session above the population's mean (P. Taylor and L. Jonker,
"Evolutionary Stable Strategies and Game Dynamics", 1978). `moran`: in a population of a fixed size one is chosen by its
fitness to have a child, which takes the place of anyone (P. Moran, 1958; M. Nowak, A. Sasaki, C. Taylor and D.
Fudenberg, 2004), with fitness exponential in payoff (A. Traulsen, N. Shoresh and M. Nowak, 2008). Mutants are so rare
that one has taken over, or is gone, before the next comes (D. Fudenberg and L. Imhof, 2006).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

POPULATION = 20  # of the Moran process
_STEP, _MOST_STEPS = 0.1, 20_000  # in units of the largest difference of payoffs; the steps of the replicator dynamics
_TIME_BETWEEN = 0.05  # two rows of a course, as a part of the time so far
_STILL = 1e-10  # a share that changes less in a step stands still


def scaled(payoffs: Floats) -> Floats:
    """Payoffs of rows against columns in units of their largest difference: those of one scale have one dynamics."""
    spread = float(np.ptp(payoffs)) if payoffs.size else 0.0
    return payoffs / spread if spread > 0 else np.zeros_like(payoffs)


def replicator(payoffs: Floats) -> Floats:
    """The shares to which equal ones come, or where they are after 2,000 units of time."""
    return np.asarray(replicator_course(payoffs)[1][-1])


def replicator_course(payoffs: Floats) -> tuple[Floats, Floats]:
    """Times, closer at first, and a row of shares for each; by steps of Runge and Kutta. The first shares are equal."""
    count = len(payoffs)
    shares = np.full(count, 1 / count) if count else np.zeros(0)

    def growth(at: Floats) -> Floats:
        fitness = (payoffs * at).sum(axis=1)
        return np.asarray(at * (fitness - (at * fitness).sum()))

    times, course = [0.0], [shares]
    for step in range(1, _MOST_STEPS + 1):
        first = growth(shares)
        second = growth(shares + _STEP / 2 * first)
        third = growth(shares + _STEP / 2 * second)
        change = _STEP / 6 * (first + 2 * second + 2 * third + growth(shares + _STEP * third))
        shares = np.maximum(0.0, shares + change)
        shares = shares / shares.sum()
        still = np.abs(change).max(initial=0.0) < _STILL
        if still or step == _MOST_STEPS or step * _STEP >= times[-1] + max(_STEP, _TIME_BETWEEN * times[-1]):
            times.append(step * _STEP)
            course.append(shares)
        if still:
            break
    return np.array(times), np.array(course)


def fixation(payoffs: Floats, size: int = POPULATION) -> Floats:
    """The probability that one of the row's kind takes over a population of the column's; 1 / size where equal."""
    own = np.diagonal(payoffs)
    products, total = np.ones_like(payoffs), np.ones_like(payoffs)
    for there in range(1, size):
        # Payoffs of a member of either kind against the others.
        of_row = ((there - 1) * own[:, np.newaxis] + (size - there) * payoffs) / (size - 1)
        of_column = (there * payoffs.T + (size - there - 1) * own) / (size - 1)
        products = products * np.exp(of_column - of_row)
        total = total + products
    return np.asarray(1 / total)


def moran(payoffs: Floats, size: int = POPULATION) -> Floats:
    """How much of the time the population is of each kind, with mutants of all kinds equally frequent and rare."""
    count = len(payoffs)
    if count < 2:
        return np.ones(count)
    taking_over = fixation(payoffs, size).T / (count - 1)  # from the row's kind to the column's
    np.fill_diagonal(taking_over, 0.0)
    return _stationary(taking_over)


def _stationary(rates: Floats) -> Floats:
    """The stationary distribution of a chain with these rates, without subtractions, so that small ones are right
    (W. Grassmann, M. Taksar and D. Heyman, 1985)."""
    rates = rates.copy()
    for last in range(len(rates) - 1, 0, -1):
        rates[:last, last] /= rates[last, :last].sum()
        rates[:last, :last] += rates[:last, last, np.newaxis] * rates[last, :last]
    found = np.ones(len(rates))
    for place in range(1, len(rates)):
        found[place] = (found[:place] * rates[:place, place]).sum()
    return np.asarray(found / found.sum())
