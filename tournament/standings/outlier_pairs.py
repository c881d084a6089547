"""Pairs whose result differs significantly from what their results against all others predict, as if they colluded.

Each third bot predicts the result of x against y: what x wins against it, plus what it wins against y. If strength
alone matters, these predictions scatter about the true result. If some bots suit each other, they scatter more. So the
result is one more value of a sample. It is within Student's t of the sample's mean, with the sample's own standard
deviation.

All pairs of a field are tested simultaneously (C. Bonferroni, 1936). A bot that loses to one bot on purpose, and plays
normally against the rest, is found. One that loses to all bots isn't. The result is a note, not a proof, and changes no
rank.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from tournament.standings.linear import product
from tournament.standings.standings import Standings
from tournament.standings.student_t import half_width, quantile

# Minimum number of bots that predict a result.
_MIN_PREDICTORS = 4
# Share of fields without collusion in which a pair is found.
_FALSE_ALARMS = 0.05


@dataclass(frozen=True)
class OutlierPair:
    """A pair whose result differs from what their results against others predict.

    Attributes:
        x: Name of the first bot, which has the better rank unless `from_y` swapped the bots.
        y: Name of the second bot.
        points_per_session: Points of x against y; in a game that isn't zero-sum, half of x's lead.
        predicted: Mean of the predictions, in the same unit.
        prediction_sd: Standard deviation of one further result about that mean, in the same unit.
        freedom: Degrees of freedom of `prediction_sd`.
    """

    x: str
    y: str
    points_per_session: float
    predicted: float
    prediction_sd: float
    freedom: int

    @property
    def ci_half_width(self) -> float:
        """Half-width of the 95% prediction interval."""
        return half_width(self.prediction_sd, self.freedom)

    def from_y(self) -> OutlierPair:
        """Return the same pair with x and y swapped, and both results negated."""
        return OutlierPair(self.y, self.x, -self.points_per_session, -self.predicted, self.prediction_sd, self.freedom)


def outlier_pairs(ranking: Standings) -> list[OutlierPair]:
    """Return the outlier pairs of ranked bots, the most significant first.

    There are none if some bots haven't met yet, fewer than six bots are ranked, or bots play house players. The same
    holds if a match has no sessions.
    """
    names = [line.name for line in ranking.ranked]
    size, others = len(names), len(names) - 2
    if ranking.scoring is not None or others < _MIN_PREDICTORS or len(ranking.matches) < size * (size - 1) // 2:
        return []
    points_0, _, points_1, *_ = ranking.matches.amounts.T
    # A match without sessions gives NaN.
    with np.errstate(invalid="ignore"):
        lead = (points_0 - points_1) / (2 * ranking.matches.integers[:, 2])
    won = ranking.spread(names, names, lead, -lead)
    np.fill_diagonal(won, 0.0)
    if np.isnan(won).any():
        return []
    # Sums over all third bots k of won[x, k] + won[k, y], and of its square.
    rows, squares = won.sum(axis=1), (won * won).sum(axis=1)
    mean = (rows[:, np.newaxis] - rows - 2 * won) / others
    square = squares[:, np.newaxis] + squares - 2 * won * won + 2 * product(won, won)
    scatter = np.sqrt(np.maximum(0.0, square - others * mean * mean) / (others - 1) * (1 + 1 / others))
    critical_value = quantile(1 - _FALSE_ALARMS / (size * (size - 1)), others - 1)
    pairs = [
        OutlierPair(names[x], names[y], float(won[x, y]), float(mean[x, y]), float(scatter[x, y]), others - 1)
        for x, y in itertools.combinations(range(size), 2)
        if abs(won[x, y] - mean[x, y]) > critical_value * scatter[x, y] + ranking.rounding
    ]
    return sorted(
        pairs, key=lambda pair: -abs(pair.points_per_session - pair.predicted) / max(pair.prediction_sd, 1e-300)
    )
