"""Strengths from won and lost sessions: the chance that i wins one of j is 1 / (1 + e^(s_j − s_i)).

The likelihood is maximised by Newton's method. Each bot is also given one drawn session with an average one: so a bot
that won or lost everything has a strength, too, and the maximum is unique. Errors don't come from counts: what bots won
above what was expected are points like others, with errors as in `errors`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.kernel.blocks import block_sizes
from engine.kernel.game_core import BLOCK_COUNT
from tournament.arrays import Floats
from tournament.contests.contest import Contest
from tournament.standings.by_block import by_block
from tournament.standings.linear import solved
from tournament.standings.standard_errors import Strata, degrees_of_freedom
from tournament.store.field import Batch
from tournament.store.legs import Legs
from tournament.store.storage import Storage

ELO = 400 / math.log(10)  # Elo's points in a unit of strength
_MOST_STEPS = 200


@dataclass(frozen=True)
class Wins:
    """By block of sessions, how many x won and how many were drawn; a row for each leg, in order."""

    legs: Legs
    won: Floats
    drawn: Floats
    legs_per_replica: int = 1

    def sides(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """The places of x and y among these names, a row a leg, −1 for others."""
        index = {name: place for place, name in enumerate(names)}
        pairs = [[index.get(name, -1) for name in leg] for leg in self.legs.seated]
        return np.array(pairs, np.int64).reshape(-1, 2)

    def totals(self, names: Sequence[str]) -> list[tuple[int, int, int]]:
        """For each of these names the sessions won, drawn and lost against the others."""
        sides = self.sides(names)
        among = (sides >= 0).all(axis=1)
        found = np.zeros((len(names), 3), np.int64)
        won, drawn = self.won[among].sum(axis=1), self.drawn[among].sum(axis=1)
        lost = self.legs.sessions[among] - won - drawn
        np.add.at(found, sides[among, 0], np.stack([won, drawn, lost], axis=1).astype(np.int64))
        np.add.at(found, sides[among, 1], np.stack([lost, drawn, won], axis=1).astype(np.int64))
        return [(won, drawn, lost) for won, drawn, lost in found.tolist()]


def read_wins(contest: Contest, storage: Storage, batches: Sequence[Batch], legs_per_replica: int) -> Wins:
    """Who won how many sessions, from all of them. Raises as `by_block`."""
    assert contest.scored.table == "sessions"

    def results(points: tuple[Floats, ...]) -> list[Floats]:
        lead = np.subtract(*points)
        return [lead > 0, lead == 0]

    legs, (won, drawn) = by_block(contest, storage, batches, results)
    return Wins(legs, won, drawn, legs_per_replica)


def fitted(names: Sequence[str], wins: Wins) -> tuple[Floats, Floats, Floats]:
    """Ratings in Elo's points about their mean, their standard errors, NaN where these can't be told, and the degrees
    of freedom of these."""
    count = len(names)
    sides = wins.sides(names)
    among = np.flatnonzero((sides >= 0).all(axis=1))
    x, y = sides[among].T
    sizes = block_sizes(wins.legs.sessions[among]).reshape(-1, BLOCK_COUNT)
    scores = wins.won[among] + wins.drawn[among] / 2
    totals = np.zeros((count, count))  # sessions of each pair
    np.add.at(totals, (x, y), sizes.sum(axis=1))
    totals += totals.T
    own = np.zeros(count)
    np.add.at(own, x, scores.sum(axis=1))
    np.add.at(own, y, (sizes - scores).sum(axis=1))
    strengths, information = _most_likely(totals, own)
    found = ELO * (strengths - strengths.mean()) if count else strengths
    # The likelihood's derivative by a strength: what the bot won above what was expected.
    surplus = scores - sizes * _chance(strengths[x] - strengths[y])[:, np.newaxis]
    return found, *_errors(wins.legs.chosen(among), surplus, wins.legs_per_replica, sides[among], information)


def _errors(
    legs: Legs, surplus: Floats, legs_per_replica: int, sides: npt.NDArray[np.int64], information: Floats
) -> tuple[Floats, Floats]:
    """The errors of ratings, with their degrees of freedom, from what x won above what was expected: by leg and
    block."""
    sizes = block_sizes(legs.sessions).reshape(-1, BLOCK_COUNT)
    used = np.count_nonzero(sizes, axis=1)
    apart = surplus - surplus.sum(axis=1)[:, np.newaxis] * sizes / np.maximum(1, legs.sessions)[:, np.newaxis]
    within = np.einsum("lb,lb->l", apart, apart) * used / np.maximum(used - 1, 1)
    values = surplus.sum(axis=1)[:, np.newaxis]
    strata = Strata.of(legs, legs_per_replica, values, within[:, np.newaxis, np.newaxis], legs.sessions)
    # Of the sum over replicas; what x has won above y hasn't.
    variances = strata.covariances[:, 0, 0] * strata.replicas**2
    count = len(information)
    influence = ELO * solved(information, np.eye(count))
    influence -= influence.mean(axis=0)
    x, y = sides[strata.first].T
    sums, squares = np.zeros((2, count))
    for row, weights in enumerate(influence):
        each = variances * (weights[x] - weights[y]) ** 2
        sums[row], squares[row] = each.sum(), (each * each / (strata.freedom + 2)).sum()
    fewest = int(strata.freedom.min(initial=strata.freedom.max(initial=0)))
    freedom = degrees_of_freedom(sums, squares, np.full(count, fewest)) * (fewest > 0)
    return np.where(freedom > 0, np.sqrt(sums), np.nan), freedom


def _most_likely(totals: Floats, own: Floats) -> tuple[Floats, Floats]:
    """The strengths, and the information at them; `own` are the sessions that each bot won."""
    strengths = np.zeros(len(own))
    value = _likelihood(strengths, totals, own)
    for _ in range(_MOST_STEPS):
        chances = _chance(strengths[:, np.newaxis] - strengths)
        average = _chance(strengths)
        slope = own - (totals * chances).sum(axis=1) + 0.5 - average
        weights = totals * chances * (1 - chances)
        information = np.diag(weights.sum(axis=1) + average * (1 - average)) - weights
        step = solved(information, slope)
        if float(np.abs(step).max(initial=0.0)) < 1e-10:
            break
        step *= min(1.0, 2 / float(np.abs(step).max()))
        # The likelihood is concave: some part of the step makes it greater.
        for _ in range(30):
            further = _likelihood(strengths + step, totals, own)
            if further >= value - 1e-12 * abs(value):
                break
            step /= 2
        strengths, value = strengths + step, further
    return strengths, information


def _likelihood(strengths: Floats, totals: Floats, own: Floats) -> float:
    """The logarithm of the likelihood, but for a constant."""
    pairs = totals * np.logaddexp(strengths[:, np.newaxis], strengths)
    average = strengths / 2 - np.logaddexp(0, strengths)
    return float((own * strengths).sum() - pairs.sum() / 2 + average.sum())


def _chance(lead: Floats) -> Floats:
    """The chance that a bot with such a lead in strength wins."""
    return np.asarray(1 / (1 + np.exp(-np.clip(lead, -700, 700))))
