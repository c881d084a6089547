"""Strengths from won and lost sessions: the chance that i wins one of j is 1 / (1 + e^(s_j − s_i)).

The likelihood is maximised by Newton's method. Each bot is also given one drawn session with an average one: so a bot
that won or lost everything has a strength, too, and the maximum is unique. Errors don't come from counts: what bots won
above what was expected are points like others, with errors as in `errors`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.kernel.blocks import block_of, block_sizes
from engine.kernel.game_core import BLOCK_COUNT
from tournament.arrays import Floats
from tournament.contests.contest import Contest
from tournament.standings.errors import Replicas
from tournament.standings.linear import solved
from tournament.standings.tally import tally_of_points
from tournament.store.ledger import Batch
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
        pairs = [(index.get(x, -1), index.get(y, -1)) for x, y in zip(self.legs.x, self.legs.y)]
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
    """Who won how many sessions, from all of them. Raises RunFailed where a part is damaged, FileNotFoundError where
    one is gone."""
    from tournament.store.parts import numbers_of  # pyarrow, which reading standings doesn't need

    assert contest.scored.table == "sessions"
    all_legs: list[Legs] = []
    won: list[Floats] = []
    drawn: list[Floats] = []
    for batch in batches:
        legs = batch.legs
        rows_of_part = numbers_of(storage, batch.part("sessions"), contest.sessions, contest.scored.columns)
        pieces = [np.subtract(*contest.scored.points(rows)) for rows in rows_of_part]
        lead = np.concatenate(pieces) if pieces else np.empty(0)
        # Legs lie one after the other.
        lengths = np.repeat(legs.sessions, legs.sessions)
        number = np.arange(len(lengths)) - np.repeat(np.cumsum(legs.sessions) - legs.sessions, legs.sessions)
        cell = np.repeat(np.arange(len(legs)), legs.sessions) * BLOCK_COUNT + block_of(number, lengths)
        for kind, chosen in ((won, lead > 0), (drawn, lead == 0)):
            counts = np.bincount(cell, chosen, len(legs) * BLOCK_COUNT).astype(np.float64)
            kind.append(counts.reshape(len(legs), BLOCK_COUNT))
        all_legs.append(legs)
    joined = Legs.joined(all_legs)
    order = np.lexsort((joined.number, joined.match))
    return Wins(
        joined.chosen(order.tolist()),
        np.concatenate([np.empty((0, BLOCK_COUNT)), *won])[order],
        np.concatenate([np.empty((0, BLOCK_COUNT)), *drawn])[order],
        legs_per_replica,
    )


def fitted(names: Sequence[str], wins: Wins) -> tuple[Floats, list[float | None], int]:
    """Ratings in Elo's points about their mean, their standard errors, None where these can't be told, and the degrees
    of freedom of these."""
    count = len(names)
    sides = wins.sides(names)
    among = (sides >= 0).all(axis=1)
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
    # The likelihood's derivative by a strength: what the bot won above what was expected, summed over replicas.
    legs = wins.legs.chosen(np.flatnonzero(among))
    surplus = scores - sizes * _chance(strengths[x] - strengths[y])[:, np.newaxis]
    surplus *= Replicas.of(legs.match, legs.number, wins.legs_per_replica).of_match[:, np.newaxis]
    sums = np.column_stack([surplus.sum(axis=1), (surplus * surplus).sum(axis=1), surplus])
    tally = tally_of_points(names, replace(legs, sums=np.asfortranarray(sums[:, np.newaxis])), wins.legs_per_replica)
    residuals = tally.measured.residuals * np.maximum(1, tally.divisors)[:, np.newaxis]
    influence = ELO * solved(information, residuals)
    measured = replace(tally.measured, residuals=influence - influence.mean(axis=0))
    return found, measured.errors(), measured.freedom


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
