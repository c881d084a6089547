"""Pairs whose result is far from what their results against all others predict: as of entrants who play together.

Each third bot predicts how x does against y: by what x wins of it, and what it wins of y. Where strength is all,
those predicted results scatter about the true one; where bots suit each other, they scatter more. So the result is one
more value of a sample, and lies within Student's t of its mean, with the sample's own spread. All pairs of a field are
tested at once (C. Bonferroni, 1936). Who loses to one bot on purpose, and plays as others do against the rest, shows; a
bot that loses to all doesn't. It is a note, no proof, and changes no place.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from tournament.standings.linear import product
from tournament.standings.standings import Standings
from tournament.standings.student_t import half_width, quantile

_FEWEST_OTHERS = 4  # who predict a result
_FALSE_ALARMS = 0.05  # of fields in which no one plays together


@dataclass(frozen=True)
class OutlierPair:
    """x's points per session against y, in a game that isn't zero-sum half of its lead in them; what was predicted, and
    by how much a result scatters about that, were it one more of those that predict, with its degrees of freedom."""

    x: str
    y: str
    points_per_session: float
    predicted: float
    prediction_sd: float
    freedom: int

    @property
    def ci_half_width(self) -> float:
        """How far an interval of 95% goes to either side of what was predicted."""
        return half_width(self.prediction_sd, self.freedom)

    def from_y(self) -> OutlierPair:
        return OutlierPair(self.y, self.x, -self.points_per_session, -self.predicted, self.prediction_sd, self.freedom)


def outlier_pairs(ranking: Standings) -> list[OutlierPair]:
    """The pairs of ranked bots that nothing predicts, the farthest first; none where not all have met yet."""
    names = [line.name for line in ranking.ranked]
    size, others = len(names), len(names) - 2
    if ranking.scoring is not None or others < _FEWEST_OTHERS or len(ranking.matches) < size * (size - 1) // 2:
        return []
    points_0, _, points_1, *_ = ranking.matches.amounts.T
    with np.errstate(invalid="ignore"):  # a match without sessions is none
        lead = (points_0 - points_1) / (2 * ranking.matches.whole[:, 2])
    won = ranking.spread(names, names, lead, -lead)
    np.fill_diagonal(won, 0.0)
    if np.isnan(won).any():
        return []
    # Over all third bots k: sums of won[x, k] + won[k, y], and of their squares.
    rows, squares = won.sum(axis=1), (won * won).sum(axis=1)
    mean = (rows[:, np.newaxis] - rows - 2 * won) / others
    square = squares[:, np.newaxis] + squares - 2 * won * won + 2 * product(won, won)
    scatter = np.sqrt(np.maximum(0.0, square - others * mean * mean) / (others - 1) * (1 + 1 / others))
    most = quantile(1 - _FALSE_ALARMS / (size * (size - 1)), others - 1)
    found = [
        OutlierPair(names[x], names[y], float(won[x, y]), float(mean[x, y]), float(scatter[x, y]), others - 1)
        for x, y in itertools.combinations(range(size), 2)
        if abs(won[x, y] - mean[x, y]) > most * scatter[x, y] + ranking.rounding
    ]
    return sorted(
        found, key=lambda pair: -abs(pair.points_per_session - pair.predicted) / max(pair.prediction_sd, 1e-300)
    )
