"""The mix of bots against which none gains anything: the equilibrium of greatest entropy of an antisymmetric game.

Two players each choose a bot and are paid what it wins of the other's. This game has equilibria in which both mix
alike. Where there are several, the one of greatest entropy is the limit, as t → 0, of the mixes p that are the best
against themselves when t times their entropy is paid besides: p ∝ exp(A p / t). For p gains at least as much by
playing itself as by playing any equilibrium q, which p can't beat: t·H(p) ≥ t·H(q) + q·A p ≥ t·H(q). Each t has one
such p, since the game less the entropy is strictly monotone; Newton's method follows it from a large t to a tiny one.
"""

from __future__ import annotations

import math

import numpy as np

from tournament.arrays import Floats
from tournament.standings.linear import product, solved

_FIRST, _LAST = 4.0, 1e-8  # the weight of entropy, as a share of the largest payoff
_ROUNDING = 1e-14  # the rounding of shares, times the weight of entropy
_NOTHING = 1e-20  # of a share, times the weight of entropy: far below rounding
_NOTE = -5.0  # the logarithm of a share that isn't small
_MOST_STEPS = 40
_LARGE, _NEARLY = 1e-3, 0.1  # above this weight a mix is only where the next one starts: so near, as a part of a share


def maximum_entropy_equilibrium(payoffs: Floats) -> Floats:
    """The shares of the mix, adding up to 1; `payoffs` are what the row wins of the column, antisymmetric.

    No row gains more against it than a millionth of the largest payoff. Raises ArithmeticError if rounding prevents
    that, which is known of no game.
    """
    count = len(payoffs)
    largest = float(np.abs(payoffs).max(initial=0.0))
    if not largest:
        return np.full(count, 1 / max(1, count))
    game = payoffs / largest
    logs, weight, factor = np.full(count, -math.log(count)), _FIRST, 0.25
    while weight > _LAST:
        smaller = max(_LAST, weight * factor)
        found = _newton(game, logs, smaller)
        if found is None:  # too large a step
            factor = math.sqrt(factor)
            if factor > 0.9999:
                raise ArithmeticError("no equilibrium found")
            continue
        logs, weight, factor = found, smaller, max(0.25, factor * factor)
    shares = np.exp(logs)
    return np.asarray(shares / shares.sum())


def _newton(game: Floats, logs: Floats, weight: float) -> Floats | None:
    """The logarithms of the mix for this weight of entropy, from those for a larger one; None if they diverge."""
    logs = logs.copy()
    for _ in range(_MOST_STEPS):
        shares = np.exp(logs)
        wrong = product(game, shares) - weight * logs
        # Those without a share move none of the others.
        some = np.flatnonzero(shares > _NOTHING * weight)
        jacobian = np.zeros((len(some) + 1, len(some) + 1))
        jacobian[:-1, :-1] = weight * np.eye(len(some)) - game[np.ix_(some, some)] * shares[some]
        jacobian[:-1, -1] = 1.0
        jacobian[-1, :-1] = shares[some]
        *steps, shift = solved(jacobian, np.append(wrong[some], 1 - shares.sum()))
        step = (wrong - shift + product(game[:, some], shares[some] * steps)) / weight
        step[some] = steps
        if not np.isfinite(step).all():
            return None
        # Logarithms may fall freely; shares that aren't small grow e times at most.
        wanted = logs + step
        logs = np.minimum(wanted, np.maximum(logs + 1, _NOTE))
        near = _NEARLY * shares.max() if weight > _LARGE else _ROUNDING / weight
        if (logs == wanted).all() and np.abs(np.exp(logs) - shares).max() <= near:
            return logs
    return None
