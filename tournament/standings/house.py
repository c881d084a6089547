"""Scores of play against house players.

The score is a function of points. Each leg, a session of its own, is a replica. What a leg's games bring the score is
scaled by the slope of that function if it isn't scored by itself (the delta method).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from tournament.arrays import Floats, Whole
from tournament.contests.scoring import HousePlaySums, HouseScoring
from tournament.standings.standard_errors import Paired, Strata, rounding_of
from tournament.standings.tally import Tally, met_of, sums_by_entrant, whole_sums
from tournament.store.legs import Legs

Range = tuple[int, int]  # the first leg of some, and the first one after them


class HousePlay:
    """Legs of entrants against house players, in order, with the facts of these by name."""

    def __init__(self, legs: Legs, scoring: HouseScoring, facts: Mapping[str, Mapping[str, float]]) -> None:
        self._legs = legs
        self._scoring = scoring
        self._own = legs.of_seat(0)
        # Lists are faster to read one by one.
        self._points = self._own.points.tolist()
        self._sessions = legs.sessions.tolist()
        self._games = legs.games.tolist()
        self._facts_of = [facts.get(name, {}) for name in legs.houses]
        self._matches: list[Range] = [(first, end) for first, end in legs.matches().tolist()]

    def _played(self, first: int, end: int) -> HousePlaySums:
        """The sums of some legs against one opponent."""
        return HousePlaySums(
            math.fsum(self._points[first:end]),
            sum(self._sessions[first:end]),
            sum(self._games[first:end]),
            self._facts_of[first],
        )

    def _scored(self, first: int, end: int) -> list[Range]:
        """The units that are scored in a match: all of it, or each leg, a session, by itself."""
        return [(first, end)] if self._scoring.of_match else [(leg, leg + 1) for leg in range(first, end)]

    def _score(self, first: int, end: int) -> float:
        scored = self._scored(first, end)
        return math.fsum(self._scoring.score(self._played(*each)) for each in scored) / len(scored)

    def score_and_measures(self, first: int, end: int) -> tuple[float, dict[str, float | None]]:
        """A match's score and measures."""
        sums = self._played(first, end)
        return self._score(first, end), {measure.name: measure.value([sums]) for measure in self._scoring.measures}

    @cached_property
    def strata(self) -> Strata:
        """Of points."""
        return Strata.of_points(self._legs, 1, self._legs.games)

    def _slope(self, match: int, first: int, end: int) -> float:
        """The slope of the score in points: a difference quotient over one standard error to either side."""
        sums, strata = self._played(first, end), self.strata
        # Of the points of these legs, some of the match's replicas.
        variance = float(strata.covariances[match, 0, 0]) * int(strata.replicas[match]) * (end - first)
        error = math.sqrt(variance) if variance > 0 else 1.0
        high, low = (
            self._scoring.score(HousePlaySums(sums.points + step, sums.sessions, sums.games, sums.facts))
            for step in (error, -error)
        )
        return (high - low) / (2 * error)

    def tally(self, fit: Sequence[str]) -> Tally:
        """Mean scores of these entrants over the house players that they met."""
        legs, count = self._legs, len(fit)
        numbers, own = {name: number for number, name in enumerate(fit)}, self._own
        of_match = [numbers.get(legs.seated[first][0], -1) for first, _ in self._matches]
        slopes, values = np.zeros((2, len(legs)))
        ranges: list[list[Range]] = [[] for _ in fit]
        for match, ((first, end), entrant) in enumerate(zip(self._matches, of_match)):
            if entrant < 0:
                continue
            ranges[entrant].append((first, end))
            for a, b in self._scored(first, end):
                slopes[a:b] = self._slope(match, a, b)
                values[a:b] = slopes[a:b] * own.points[a:b] * (b - a) if self._scoring.of_match else self._score(a, b)
        opponents = np.array([len(some) for some in ranges], np.int64)
        whole = [[self._played(*each) for each in some] for some in ranges]
        within = (slopes * slopes * own.variance)[:, np.newaxis, np.newaxis]
        strata = Strata.of(legs, 1, values[:, np.newaxis], within, legs.games)
        seats = np.array(of_match, np.int64).reshape(-1, 1)
        leg_of = np.repeat(seats[:, 0], np.diff(legs.matches()).ravel())
        index = np.where(leg_of < 0, count, leg_of)
        off = (
            np.abs(slopes)
            * rounding_of(legs.games, own.squared_points)
            / np.append(np.maximum(opponents, 1), 1)[leg_of]
        )
        replicas = strata.replicas[seats[:, 0] >= 0]
        return Tally(
            scores=np.array([math.fsum(self._score(*each) for each in some) / max(1, len(some)) for some in ranges]),
            replicas=int(replicas.min(initial=replicas.max(initial=0))),
            errors=Paired(met_of(strata, seats, opponents), self._values(values, leg_of, opponents)),
            sessions=whole_sums(count, index, legs.sessions),
            games=whole_sums(count, index, legs.games),
            opponents=opponents.tolist(),
            measures=[
                {measure.name: measure.value(some) for measure in self._scoring.measures} if some else {}
                for some in whole
            ],
            divisors=np.ones(count, np.int64),
            lengths=[0.0] * count,
            rounding=sums_by_entrant(count, index, off),
        )

    def _values(self, values: Floats, leg_of: Whole, opponents: Whole) -> Floats | None:
        """What each score has of each house player in each session; None where some have played less."""
        legs, there = self._legs, np.flatnonzero(leg_of >= 0)
        house = {name: number for number, name in enumerate(dict.fromkeys(self._legs.houses))}
        column, replica = legs.house_numbered(house)[there], legs.number[there]
        shape = len(opponents), len(house), 1 + int(replica.max(initial=-1))
        if len(there) != math.prod(shape):
            return None
        found = np.zeros(shape)
        found[leg_of[there], column, replica] = values[there] / (shape[1] * shape[2])
        return found
