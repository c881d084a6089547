"""Scores of play against house players.

The score is a function of points. Its error comes from blocks of games, each scaled by the slope of that function
(the delta method).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.kernel.game_core import BLOCK_COUNT
from tournament.contests.scoring import HouseScoring, Played
from tournament.standings.estimates import block_sizes, errors_of_sums
from tournament.standings.tally import Tally, sums_by_entrant, whole_sums
from tournament.store.ledger import FieldEntrant
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

    def errors_of_matches(self) -> npt.NDArray[np.float64]:
        """The standard error of the points of either side over each match, NaN where it can't be told."""
        return np.array([self._error(*match) for match in self._matches], np.float64)

    def _error(self, first: int, end: int) -> float | None:
        """The standard error of the sum of legs that are independent of each other."""
        errors = self._errors_of_legs[first:end]
        return None if any(map(math.isnan, errors)) else math.sqrt(math.fsum(error * error for error in errors))

    @cached_property
    def _errors_of_legs(self) -> list[float]:
        """From the blocks of their games, NaN where it can't be told."""
        errors, _ = errors_of_sums(self._own.blocks, block_sizes(self._legs.games, BLOCK_COUNT))
        return list(map(float, errors))

    def _slope(self, first: int, end: int) -> float:
        """The slope of the score in points: a difference quotient over one standard error to either side."""
        sums, error = self._played(first, end), self._error(first, end) or 1.0
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

    def tally(self, fit: Sequence[FieldEntrant]) -> Tally:
        """Mean scores of the fit entrants over the house players that they met."""
        legs, count = self._legs, len(fit)
        own = self._matches_of([entrant.name for entrant in fit])
        index, slopes = np.full(len(legs), -1), np.zeros(len(legs))
        scores = np.array(self.scores(list(own)), np.float64)
        measures: list[dict[str, float | None]] = []
        for number, ranges in enumerate(own.values()):
            whole = [self._played(*each) for each in ranges]
            measures.append({measure.name: measure.value(whole) for measure in self._scoring.measures} if whole else {})
            for first, end in ranges:
                index[first:end] = number
                scored = self._scored(first, end)
                for a, b in scored:
                    slopes[a:b] = self._slope(a, b) / len(ranges) / len(scored)
        counted = index >= 0
        index = index[counted]
        blocks = sums_by_entrant(count, index, slopes[counted, np.newaxis] * self._own.blocks[counted])
        weights = sums_by_entrant(count, index, block_sizes(legs.games[counted], BLOCK_COUNT))
        # Blocks scaled by the slope add up to the score only if it is linear: spread the difference by weight.
        missing = scores - blocks.sum(axis=1)
        blocks += missing[:, np.newaxis] * weights / np.maximum(1.0, weights.sum(axis=1))[:, np.newaxis]
        return Tally(
            scores=scores,
            blocks=blocks,
            weights=weights,
            sessions=whole_sums(count, index, legs.sessions[counted]),
            games=whole_sums(count, index, legs.games[counted]),
            opponents=[len({legs.y[first] for first, _ in ranges}) for ranges in own.values()],
            measures=measures,
            divisors=[1] * count,
            lengths=[0.0] * count,
        )
