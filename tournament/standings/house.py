"""Scores of play against house players.

The score is a function of points. Each leg is a session and a replica. If a leg isn't scored by itself, its points are
scaled by the slope of that function (the delta method).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from tournament.arrays import Floats, Ints
from tournament.contests.scoring import HousePlaySums, HouseScoring
from tournament.standings.standard_errors import PairedErrors, Strata, rounding_errors
from tournament.standings.tally import Tally, integer_sums, round_robin_errors, sums_by_entrant
from tournament.store.legs import Legs

# Index of the first of some legs, and of the first leg after them.
Range = tuple[int, int]


class HousePlay:
    """Legs of entrants against house players."""

    def __init__(self, legs: Legs, scoring: HouseScoring, facts: Mapping[str, Mapping[str, float]]) -> None:
        """Prepare the legs.

        Args:
            legs: Legs in order.
            scoring: Scoring of the contest.
            facts: Facts about each house player, by name. An unknown player has none.
        """
        self._legs = legs
        self._scoring = scoring
        self._sums = legs.seat_columns(0)
        # Single elements of lists are accessed faster than those of arrays.
        self._points = self._sums.points.tolist()
        self._sessions = legs.sessions.tolist()
        self._games = legs.games.tolist()
        self._facts_of = [facts.get(name, {}) for name in legs.houses]
        self._matches: list[Range] = [(first, end) for first, end in legs.matches().tolist()]

    def _played(self, first: int, end: int) -> HousePlaySums:
        """Return the sums over the legs from `first` to before `end`, which are against one opponent."""
        return HousePlaySums(
            math.fsum(self._points[first:end]),
            sum(self._sessions[first:end]),
            sum(self._games[first:end]),
            self._facts_of[first],
        )

    def _scored(self, first: int, end: int) -> list[Range]:
        """Return the units of a match that are scored: the whole match, or each leg."""
        return [(first, end)] if self._scoring.of_match else [(leg, leg + 1) for leg in range(first, end)]

    def _score(self, first: int, end: int) -> float:
        """Return the score of a match, the mean over its scored units, given the range of its legs."""
        scored = self._scored(first, end)
        return math.fsum(self._scoring.score(self._played(*each)) for each in scored) / len(scored)

    def score_and_measures(self, first: int, end: int) -> tuple[float, dict[str, float | None]]:
        """Return a match's score, and its measures by name, of which None is unknown.

        The score is the mean over legs, unless the contest scores whole matches.

        Args:
            first: Index of the first leg of the match.
            end: Index of the first leg after the match.
        """
        sums = self._played(first, end)
        return self._score(first, end), {measure.name: measure.value([sums]) for measure in self._scoring.measures}

    @cached_property
    def strata(self) -> Strata:
        """Strata of the entrant's points, one for each match. Each leg is a replica."""
        return Strata.from_points(self._legs, 1, self._legs.games)

    def _slope(self, match: int, first: int, end: int) -> float:
        """Return the slope of the score in points: the difference quotient over one standard error to either side.

        If that error is 0, one point is the step.
        """
        sums, strata = self._played(first, end), self.strata
        # Variance of the points of these legs, which are some of the match's replicas.
        variance = float(strata.covariances[match, 0, 0]) * int(strata.replicas[match]) * (end - first)
        error = math.sqrt(variance) if variance > 0 else 1.0
        high, low = (
            self._scoring.score(HousePlaySums(sums.points + step, sums.sessions, sums.games, sums.facts))
            for step in (error, -error)
        )
        return (high - low) / (2 * error)

    def tally(self, entrants: Sequence[str]) -> Tally:
        """Return the mean scores of these entrants over the house players that they met, in the same order.

        An entrant without matches has the score 0.0 and no measures. Legs of other entrants don't count.
        """
        legs, count = self._legs, len(entrants)
        numbers, sums = {name: number for number, name in enumerate(entrants)}, self._sums
        entrant_by_match = [numbers.get(legs.seated[first][0], -1) for first, _ in self._matches]
        slopes, values = np.zeros((2, len(legs)))
        ranges: list[list[Range]] = [[] for _ in entrants]
        for match, ((first, end), entrant) in enumerate(zip(self._matches, entrant_by_match)):
            if entrant < 0:
                continue
            ranges[entrant].append((first, end))
            for a, b in self._scored(first, end):
                slopes[a:b] = self._slope(match, a, b)
                values[a:b] = slopes[a:b] * sums.points[a:b] * (b - a) if self._scoring.of_match else self._score(a, b)
        opponents = np.array([len(matches) for matches in ranges], np.int64)
        played = [[self._played(*match) for match in matches] for matches in ranges]
        within = (slopes * slopes * sums.variance)[:, np.newaxis, np.newaxis]
        strata = Strata.from_values(legs, 1, values[:, np.newaxis], within, legs.games)
        seats = np.array(entrant_by_match, np.int64).reshape(-1, 1)
        entrant_by_leg = np.repeat(seats[:, 0], np.diff(legs.matches()).ravel())
        index = np.where(entrant_by_leg < 0, count, entrant_by_leg)
        rounding = (
            np.abs(slopes)
            * rounding_errors(legs.games, sums.squared_points)
            / np.append(np.maximum(opponents, 1), 1)[entrant_by_leg]
        )
        replicas = strata.replicas[seats[:, 0] >= 0]
        return Tally(
            scores=np.array(
                [math.fsum(self._score(*match) for match in matches) / max(1, len(matches)) for matches in ranges]
            ),
            replicas=int(replicas.min(initial=replicas.max(initial=0))),
            errors=PairedErrors(
                round_robin_errors(strata, seats, opponents), self._values(values, entrant_by_leg, opponents)
            ),
            sessions=integer_sums(count, index, legs.sessions),
            games=integer_sums(count, index, legs.games),
            opponents=opponents.tolist(),
            measures=[
                {measure.name: measure.value(matches) for measure in self._scoring.measures} if matches else {}
                for matches in played
            ],
            divisors=np.ones(count, np.int64),
            lengths=[0.0] * count,
            rounding=sums_by_entrant(count, index, rounding),
        )

    def _values(self, values: Floats, entrant_by_leg: Ints, opponents: Ints) -> Floats | None:
        """Return the part of each score by entrant, house player and leg, or None if entrants have played unequally."""
        legs, counted = self._legs, np.flatnonzero(entrant_by_leg >= 0)
        house = {name: number for number, name in enumerate(dict.fromkeys(self._legs.houses))}
        column, replica = legs.house_numbered(house)[counted], legs.number[counted]
        shape = len(opponents), len(house), 1 + int(replica.max(initial=-1))
        if len(counted) != math.prod(shape):
            return None
        parts = np.zeros(shape)
        parts[entrant_by_leg[counted], column, replica] = values[counted] / (shape[1] * shape[2])
        return parts
