"""Strengths from won and lost sessions: i wins a session against j with probability 1 / (1 + e^(s_j − s_i)).

Newton's method maximises the likelihood. Each bot also gets one drawn session against an average bot. So a bot that won
or lost everything has a strength, too, and the maximum is unique. Errors don't follow from the counts. What bots won
beyond their expectation is treated like points, with errors as in `standard_errors`.
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

# Elo points per unit of strength.
ELO = 400 / math.log(10)
_MAX_STEPS = 200


@dataclass(frozen=True)
class Wins:
    """Sessions that x won and sessions that were drawn. The bot at seat 0 of a leg is x, and the one at seat 1 is y.

    Attributes:
        legs: The legs, in order of match and leg numbers.
        won: Number of sessions that x won, by leg and block.
        drawn: Number of drawn sessions, by leg and block.
        legs_per_replica: Number of legs of a replica.
    """

    legs: Legs
    won: Floats
    drawn: Floats
    legs_per_replica: int = 1

    def sides(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the indices of x and y among these names for each leg, or −1 for other names: shape (legs, 2)."""
        index = {name: number for number, name in enumerate(names)}
        pairs = [[index.get(name, -1) for name in leg] for leg in self.legs.seated]
        return np.array(pairs, np.int64).reshape(-1, 2)

    def totals(self, names: Sequence[str]) -> list[tuple[int, int, int]]:
        """Return for each of these names, in order, the number of sessions won, drawn and lost against the others.

        Legs in which another bot plays don't count.
        """
        sides = self.sides(names)
        among = (sides >= 0).all(axis=1)
        totals = np.zeros((len(names), 3), np.int64)
        won, drawn = self.won[among].sum(axis=1), self.drawn[among].sum(axis=1)
        lost = self.legs.sessions[among] - won - drawn
        np.add.at(totals, sides[among, 0], np.stack([won, drawn, lost], axis=1).astype(np.int64))
        np.add.at(totals, sides[among, 1], np.stack([lost, drawn, won], axis=1).astype(np.int64))
        return [(won, drawn, lost) for won, drawn, lost in totals.tolist()]


def read_wins(contest: Contest, storage: Storage, batches: Sequence[Batch], legs_per_replica: int) -> Wins:
    """Return the sessions that x won, and those that were drawn, from all recorded sessions.

    Args:
        contest: Contest of the records. It must score sessions at tables of two.
        storage: Storage of the records.
        batches: Batches that count.
        legs_per_replica: Number of legs of a replica.

    Raises:
        RunError: A part is damaged, has other columns or rows, or can't be opened.
        FileNotFoundError: A part is missing.
    """
    assert contest.scored.table == "sessions"

    def results(points: tuple[Floats, ...]) -> list[Floats]:
        """Return flags for the sessions that x won, and for those that were drawn, given the points by seat."""
        lead = np.subtract(*points)
        return [lead > 0, lead == 0]

    legs, (won, drawn) = by_block(contest, storage, batches, results)
    return Wins(legs, won, drawn, legs_per_replica)


def fitted(names: Sequence[str], wins: Wins) -> tuple[Floats, Floats, Floats]:
    """Return ratings of bots in Elo points about their mean, and their errors.

    Only legs in which both bots have one of the names count.

    Args:
        names: Names of the bots.
        wins: Sessions that they won.

    Returns:
        The ratings, their standard errors (NaN if unknown), and the degrees of freedom of these errors (0 if unknown).
        All are in the order of `names`.
    """
    count = len(names)
    sides = wins.sides(names)
    among = np.flatnonzero((sides >= 0).all(axis=1))
    x, y = sides[among].T
    sizes = block_sizes(wins.legs.sessions[among]).reshape(-1, BLOCK_COUNT)
    scores = wins.won[among] + wins.drawn[among] / 2
    # Number of sessions of each pair.
    totals = np.zeros((count, count))
    np.add.at(totals, (x, y), sizes.sum(axis=1))
    totals += totals.T
    won = np.zeros(count)
    np.add.at(won, x, scores.sum(axis=1))
    np.add.at(won, y, (sizes - scores).sum(axis=1))
    strengths, information = _maximize_likelihood(totals, won)
    ratings = ELO * (strengths - strengths.mean()) if count else strengths
    # The derivative of the likelihood by a strength is what the bot won beyond its expectation.
    surplus = scores - sizes * _win_probability(strengths[x] - strengths[y])[:, np.newaxis]
    return ratings, *_errors(wins.legs.take(among), surplus, wins.legs_per_replica, sides[among], information)


def _errors(
    legs: Legs, surplus: Floats, legs_per_replica: int, sides: npt.NDArray[np.int64], information: Floats
) -> tuple[Floats, Floats]:
    """Return the standard errors of ratings in Elo points (NaN if unknown), and their degrees of freedom.

    An error is unknown, with 0 degrees of freedom, if any match has none.

    Args:
        legs: Legs in order.
        surplus: Number of sessions that x won beyond its expectation, by leg and block.
        legs_per_replica: Number of legs of a replica.
        sides: Indices of x and y among the rated bots, by leg.
        information: Information at the strengths, as a matrix by bot.
    """
    sizes = block_sizes(legs.sessions).reshape(-1, BLOCK_COUNT)
    used = np.count_nonzero(sizes, axis=1)
    residuals = surplus - surplus.sum(axis=1)[:, np.newaxis] * sizes / np.maximum(1, legs.sessions)[:, np.newaxis]
    within = np.einsum("lb,lb->l", residuals, residuals) * used / np.maximum(used - 1, 1)
    values = surplus.sum(axis=1)[:, np.newaxis]
    strata = Strata.from_values(legs, legs_per_replica, values, within[:, np.newaxis, np.newaxis], legs.sessions)
    # Variances of sums over replicas. The surplus of x is a deficit of y.
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


def _maximize_likelihood(totals: Floats, won: Floats) -> tuple[Floats, Floats]:
    """Return the most likely strengths, and the information at them, as a matrix.

    Strengths are in natural units, of which each has `ELO` points. At most `_MAX_STEPS` steps are made.

    Args:
        totals: Number of sessions of each pair, as a symmetric matrix.
        won: Number of sessions that each bot won; a drawn session counts as half.
    """
    strengths = np.zeros(len(won))
    value = _likelihood(strengths, totals, won)
    for _ in range(_MAX_STEPS):
        probabilities = _win_probability(strengths[:, np.newaxis] - strengths)
        average = _win_probability(strengths)
        slope = won - (totals * probabilities).sum(axis=1) + 0.5 - average
        weights = totals * probabilities * (1 - probabilities)
        information = np.diag(weights.sum(axis=1) + average * (1 - average)) - weights
        step = solved(information, slope)
        if float(np.abs(step).max(initial=0.0)) < 1e-10:
            break
        step *= min(1.0, 2 / float(np.abs(step).max()))
        # The likelihood is concave, so some fraction of the step increases it.
        for _ in range(30):
            next_value = _likelihood(strengths + step, totals, won)
            if next_value >= value - 1e-12 * abs(value):
                break
            step /= 2
        strengths, value = strengths + step, next_value
    return strengths, information


def _likelihood(strengths: Floats, totals: Floats, won: Floats) -> float:
    """Return the logarithm of the likelihood, without a constant term."""
    pairs = totals * np.logaddexp(strengths[:, np.newaxis], strengths)
    average = strengths / 2 - np.logaddexp(0, strengths)
    return float((won * strengths).sum() - pairs.sum() / 2 + average.sum())


def _win_probability(lead: Floats) -> Floats:
    """Return the probability that a bot with this lead in strength, in natural units, wins."""
    return np.asarray(1 / (1 + np.exp(-np.clip(lead, -700, 700))))
