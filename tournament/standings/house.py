"""Scores of play against house players.

The score is a function of points. Each leg, a session of its own, is a replica. What a leg's games bring the score is
scaled by the slope of that function where it isn't scored by itself (the delta method).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from engine.kernel.blocks import block_sizes
from engine.kernel.game_core import BLOCK_COUNT
from tournament.contests.scoring import HouseScoring, Played
from tournament.standings.errors import Replicas, errors_of_matches, moments_of, rounding_of
from tournament.standings.tally import Tally, sums_by_entrant, whole_sums
from tournament.store.legs import Legs

Range = tuple[int, int]  # the first leg of some, and the first one after them


class HousePlay:
    """Legs of entrants at x against house players at y, in order, with the facts of these by name."""

    def __init__(self, legs: Legs, scoring: HouseScoring, facts: Mapping[str, Mapping[str, float]]) -> None:
        self._legs = legs
        self._scoring = scoring
        self._own = legs.of_seat(0)
        # Lists are faster to read one by one.
        self._points = self._own.points.tolist()
        self._sessions = legs.sessions.tolist()
        self._games = legs.games.tolist()
        self._facts_of = [facts.get(name, {}) for name in legs.y]
        self._matches: list[Range] = [(first, end) for first, end in legs.matches().tolist()]

    def _played(self, first: int, end: int) -> Played:
        """The sums of some legs against one opponent."""
        return Played(
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
    def replicas(self) -> Replicas:
        return Replicas.of(self._legs.match, self._legs.number, 1)

    @cached_property
    def _errors(self) -> list[float]:
        """The standard error of x's points over each match, NaN where it can't be told."""
        found: list[float] = errors_of_matches(self._legs, self._own, self.replicas, self._legs.games)[0].tolist()
        return found

    def _slope(self, first: int, end: int) -> float:
        """The slope of the score in points: a difference quotient over one standard error to either side."""
        sums, match = self._played(first, end), self.replicas.match[first]
        error = self._errors[match] * math.sqrt((end - first) / self.replicas.of_match[first])
        error = error if error > 0 else 1.0
        high, low = (
            self._scoring.score(Played(sums.points + step, sums.sessions, sums.games, sums.facts))
            for step in (error, -error)
        )
        return (high - low) / (2 * error)

    def _matches_of(self, names: Sequence[str]) -> dict[str, list[Range]]:
        own: dict[str, list[Range]] = {name: [] for name in names}
        for first, end in self._matches:
            if self._legs.x[first] in own:
                own[self._legs.x[first]].append((first, end))
        return own

    def scores(self, names: Sequence[str]) -> list[float]:
        """The mean score of each of these entrants over the house players that it met."""
        own = self._matches_of(names).values()
        return [math.fsum(self._score(*match) for match in matches) / max(1, len(matches)) for matches in own]

    def tally(self, fit: Sequence[str]) -> Tally:
        """Mean scores of these entrants over the house players that they met."""
        legs, count = self._legs, len(fit)
        own = self._matches_of(fit)
        index, slopes, values = np.full(len(legs), -1), np.zeros(len(legs)), np.zeros(len(legs))
        scores = np.array(self.scores(list(own)), np.float64)
        house = {name: column for column, name in enumerate(dict.fromkeys(legs.y))}
        brought = np.zeros((count, len(house)))
        measures: list[dict[str, float | None]] = []
        for number, ranges in enumerate(own.values()):
            whole = [self._played(*each) for each in ranges]
            measures.append({measure.name: measure.value(whole) for measure in self._scoring.measures} if whole else {})
            for first, end in ranges:
                index[first:end] = number
                brought[number, house[legs.y[first]]] = self._score(first, end) / len(ranges)
                for a, b in (scored := self._scored(first, end)):
                    slopes[a:b] = self._slope(a, b) / len(ranges) / len(scored)
                    values[a:b] = self._score(a, b) / len(ranges)
                if self._scoring.of_match:
                    values[first:end] = (end - first) * slopes[first:end] * self._own.points[first:end]
        counted = index >= 0
        places, index = np.where(counted, index, count), index[counted]
        blocks, sizes = np.zeros((2, count, BLOCK_COUNT))
        np.add.at(blocks, index, slopes[counted, np.newaxis] * self._own.blocks[counted])
        np.add.at(sizes, index, block_sizes(legs.games[counted]))
        # Blocks scaled by the slope add up to the score only if it is linear: spread the difference by size.
        missing = scores - blocks.sum(axis=1)
        blocks += missing[:, np.newaxis] * sizes / np.maximum(1.0, sizes.sum(axis=1))[:, np.newaxis]
        replicas = Replicas.of(legs.match[counted], legs.number[counted], 1)
        off = np.abs(slopes[counted]) * rounding_of(legs.games[counted], self._own.squared_points[counted])
        opponents = [len(ranges) for ranges in own.values()]
        return Tally(
            scores=scores,
            blocks=blocks,
            sizes=sizes,
            replicas=replicas.fewest,
            of_replicas=None
            if replicas.fewest < 2
            else replicas.residuals(index, values[counted], legs.games[counted], count),
            brought=brought,
            common=len(house),
            sessions=whole_sums(count, index, legs.sessions[counted]),
            games=whole_sums(count, index, legs.games[counted]),
            opponents=opponents,
            measures=measures,
            divisors=np.ones(count, np.int64),
            lengths=[0.0] * count,
            rounding=sums_by_entrant(count, index, off),
            moments=lambda: np.array(
                [np.bincount(places, values, count + 1)[:count] for values in moments_of(self._own, legs.games)]
            ),
        )
