"""From the ledger's sums to ranked data: scores, errors, the crosstable."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tournament.contests.scoring import HouseScoring, Played
from tournament.leg import legs_per_replica
from tournament.standings import replicas
from tournament.standings.estimates import (
    block_sizes,
    error_of_sum,
    error_over_sessions,
    errors_of_sums,
    joint_residuals,
)
from tournament.standings.places import nearest_behind, order_probabilities, rank_bounds, surely_ahead
from tournament.standings.student import quantile
from tournament.standings.without_luck import LuckOfLegs, corrected_legs
from tournament.store.ledger import Batch, Field, FieldEntrant
from tournament.store.legs import Fault, LegResult, Legs


@dataclass(frozen=True)
class Standing:
    """An entrant's line. Score is in points; `rank` is None below the line.

    `order_probability`: how probable it is that the entrant is better than the next one.
    `rank_low` and `rank_high` bound its true rank, all bounds at once with 95%: who has
    the same `rank_low` shares a place. The adjusted score is corrected for luck, None
    where that isn't worked out yet. `order`, of the entrant and the next one, is settled,
    tied or open where that was the question. `surely_ahead_of` names the nearest of those who are surely behind it:
    the others follow from theirs. `measures` are the contest's own numbers, by name.
    """

    name: str
    kind: str
    sha256: str
    rank: int | None = None
    score: float = 0.0
    stderr: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    matches: int = 0
    sessions: int = 0
    games: int = 0
    faults: int = 0
    status: str = "ok"
    reason: str | None = None
    order_probability: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    adjusted_score: float | None = None
    adjusted_stderr: float | None = None
    adjusted_ci_low: float | None = None
    adjusted_ci_high: float | None = None
    measures: Mapping[str, float | None] = field(default_factory=dict)
    points_per_session: float | None = None
    order: str | None = None
    surely_ahead_of: tuple[str, ...] = ()


class Match(NamedTuple):
    """The sums of one pairing. Where y is a house player, x also has a score and measures.

    A tuple, since there are half a million in a field of a thousand.
    """

    match: int
    x: str
    y: str
    legs: int
    sessions: int
    games: int
    x_points: float
    x_points_stderr: float | None
    y_points: float
    y_points_stderr: float | None
    score: float | None = None
    measures: Mapping[str, float | None] = MappingProxyType({})

    @property
    def points_per_session(self) -> float:
        return self.x_points / self.sessions if self.sessions else 0.0

    @property
    def stderr_per_session(self) -> float | None:
        return self.x_points_stderr / self.sessions if self.x_points_stderr is not None else None

    def from_y(self) -> Match:
        """The same match with the sides changed."""
        return self._replace(
            x=self.y,
            y=self.x,
            x_points=self.y_points,
            x_points_stderr=self.y_points_stderr,
            y_points=self.x_points,
            y_points_stderr=self.x_points_stderr,
        )


@dataclass(frozen=True)
class Standings:
    """The ranking, the matches in order of their numbers, and every fault with its leg.

    `scoring` and `house`, the names of the house players, are set where entrants play those.
    """

    entrants: tuple[Standing, ...]
    matches: tuple[Match, ...]
    faults: tuple[tuple[LegResult, Fault], ...]
    scoring: HouseScoring | None = None
    house: tuple[str, ...] = ()

    @property
    def games(self) -> int:
        return sum(match.games for match in self.matches)


def compute_standings(
    field: Field, batches: Sequence[Batch], scoring: HouseScoring | None = None, luck: LuckOfLegs | None = None
) -> Standings:
    """Rank a field by the legs that count: by sums of points, or by a scoring of play against house players.

    Of a match that was played in several replicas the mean of their points counts. `luck` is what is known of it;
    None where the contest has no correction for it.
    Sums are added in the order of match and leg numbers, so the order of commits changes no bit.
    """
    facts = {player.name: player.facts for player in field.house}
    legs = Legs.joined(Legs.of(batch.legs) for batch in batches)
    if scoring is not None and not all(map(facts.__contains__, legs.y)):
        legs = legs.chosen([place for place, name in enumerate(legs.y) if name in facts])
    legs = legs.in_order()
    matches = _Matches.of(legs)
    faulty = [legs[place] for place, rest in enumerate(legs.rest) if rest.faults or rest.faults_left_out != (0, 0)]
    fault_counts: dict[str, int] = {}
    expelled: dict[str, str] = {}
    for leg in faulty:
        for seat, name in enumerate((leg.x, leg.y)):
            fault_counts[name] = fault_counts.get(name, 0) + leg.fault_count(seat)
        if leg.ended_by is not None:
            name, opponent = (leg.x, leg.y) if leg.ended_by == 0 else (leg.y, leg.x)
            last = [fault for fault in leg.faults if fault.seat == leg.ended_by][-1]
            expelled.setdefault(
                name,
                f"{last.what}, in {last.question} against {opponent}, session {last.session}, game {last.game}",
            )
    fit = [e for e in field.entrants if e.problem is None and e.name not in expelled]
    per_replica = legs_per_replica(field.settings)
    tally = _tally(fit, legs, per_replica) if scoring is None else _house_tally(fit, matches, scoring, facts)
    per_match = tally.per_match()
    order = sorted(range(len(fit)), key=lambda index: (not tally.opponents[index], -per_match[index], fit[index].name))
    divisors = np.array([max(1, tally.divisors[index]) for index in order], dtype=np.float64)
    residuals, freedom, estimates = _errors(tally, order)
    residuals = residuals / divisors[:, np.newaxis]
    met = [place for place, index in enumerate(order) if tally.opponents[index]]
    ranked_by = np.array([per_match[index] for index in order])
    sure = order_probabilities(ranked_by, residuals, freedom)
    ahead = surely_ahead(ranked_by[met], residuals[met], freedom)
    bounds = dict(zip(met, rank_bounds(ahead)))
    nearest = dict(zip(met, nearest_behind(ahead)))
    adjusted = _adjusted(fit, legs, scoring, facts, per_replica, luck) if luck is not None else tally
    adjusted_estimates = estimates
    if adjusted is not None and adjusted is not tally:
        _, _, adjusted_estimates = _errors(adjusted, order)
    lines = []
    for rank, index in enumerate(order, 1):
        error, own_freedom = estimates[rank - 1]
        reach = None if error is None else quantile(0.975, own_freedom) * error
        rank_low, rank_high = bounds.get(rank - 1, (None, None))
        own = _adjusted_values(adjusted, index, adjusted_estimates[rank - 1])
        score = float(tally.scores[index])
        lines.append(
            Standing(
                fit[index].name,
                fit[index].kind,
                fit[index].sha256,
                rank=rank,
                score=score,
                stderr=error,
                ci_low=None if reach is None else score - reach,
                ci_high=None if reach is None else score + reach,
                matches=tally.opponents[index],
                sessions=int(tally.sessions[index]),
                games=int(tally.games[index]),
                faults=fault_counts.get(fit[index].name, 0),
                order_probability=sure[rank - 1] if rank < len(order) else None,
                adjusted_score=own[0],
                adjusted_stderr=own[1],
                adjusted_ci_low=own[2],
                adjusted_ci_high=own[3],
                rank_low=rank_low,
                rank_high=rank_high,
                surely_ahead_of=tuple(fit[order[met[place]]].name for place in nearest.get(rank - 1, ())),
                measures=tally.measures[index],
                points_per_session=score / tally.lengths[index] if tally.lengths[index] else None,
            )
        )
    indices = {entrant.name for entrant in fit}
    for entrant in sorted(field.entrants, key=lambda e: e.name):
        if entrant.name not in indices:
            reason = entrant.problem or expelled[entrant.name]
            status = "broken" if entrant.problem is not None else "disqualified"
            count = fault_counts.get(entrant.name, 0)
            lines.append(
                Standing(entrant.name, entrant.kind, entrant.sha256, faults=count, status=status, reason=reason)
            )
    faults = tuple((leg, fault) for leg in faulty for fault in leg.faults)
    return Standings(
        tuple(lines), tuple(_match_lines(matches, scoring, facts, per_replica)), faults, scoring, tuple(facts)
    )


def _adjusted(
    fit: Sequence[FieldEntrant],
    legs: Legs,
    scoring: HouseScoring | None,
    facts: Mapping[str, Mapping[str, float]],
    legs_per_replica: int,
    luck: LuckOfLegs,
) -> _Tally | None:
    """The tally of the legs less luck; None while luck isn't known of a leg that counts."""
    names = {entrant.name for entrant in fit} | facts.keys()
    counted = [place for place, (x, y) in enumerate(zip(legs.x, legs.y)) if x in names and y in names]
    corrected = corrected_legs(legs if len(counted) == len(legs) else legs.chosen(counted), luck)
    if corrected is None:
        return None
    if scoring is None:
        return _tally(fit, corrected, legs_per_replica)
    return _house_tally(fit, _Matches.of(corrected), scoring, facts)


def _adjusted_values(
    tally: _Tally | None, index: int, estimate: tuple[float | None, int]
) -> tuple[float | None, float | None, float | None, float | None]:
    """Score, standard error and both ends of the interval."""
    if tally is None:
        return None, None, None, None
    score, (error, freedom) = float(tally.scores[index]), estimate
    reach = None if error is None else quantile(0.975, freedom) * error
    return score, error, None if reach is None else score - reach, None if reach is None else score + reach


@dataclass
class _Tally:
    """Sums of the fit entrants, one index each. A row of `blocks` adds up to that entrant's score.

    `weights` are the sizes of the blocks, `lengths` the sessions of one replica of each
    match; `residuals`, where there are several replicas, what tells the errors instead
    of the blocks, with its degrees of freedom. `per_match`, the score divided by
    `divisors`, ranks: it compares entrants who have not met equally many opponents yet.
    """

    scores: npt.NDArray[np.float64]
    blocks: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    sessions: npt.NDArray[np.int64]
    games: npt.NDArray[np.int64]
    opponents: list[int]
    measures: list[dict[str, float | None]]
    divisors: list[int]
    lengths: list[float]
    residuals: tuple[npt.NDArray[np.float64], int] | None = None

    def per_match(self) -> list[float]:
        return [float(score) / max(1, divisor) for score, divisor in zip(self.scores, self.divisors)]


def _errors(tally: _Tally, order: list[int]) -> tuple[npt.NDArray[np.float64], int, list[tuple[float | None, int]]]:
    """In this order, residuals whose products are covariances of the scores, and their degrees of freedom; and each
    score's standard error, with its own."""
    if tally.residuals is None:
        residuals = joint_residuals(tally.blocks[order], tally.weights[order])
        met = [index for index in order if tally.opponents[index]]
        freedom = int(np.maximum((tally.weights[met] > 0).sum(axis=1) - 1, 0).min()) if met else 0
        return residuals, freedom, [error_of_sum(tally.blocks[index], tally.weights[index]) for index in order]
    residuals, freedom = tally.residuals
    residuals = residuals[order]
    errors = np.sqrt(np.einsum("ij,ij->i", residuals, residuals)).tolist()
    return (
        residuals,
        freedom,
        [
            (error, freedom) if freedom > 0 and tally.opponents[index] else (None, 0)
            for error, index in zip(errors, order)
        ],
    )


def _sums_by_entrant(
    entrants: int, index: npt.NDArray[np.int64], values: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Of each entrant the sum of the rows that have its index, added one after the other in their order."""
    sums = np.zeros((entrants, values.shape[1]))
    for block, column in enumerate(values.T):
        sums[:, block] = np.bincount(index, column, entrants)
    return sums


def _tally(fit: Sequence[FieldEntrant], legs: Legs, legs_per_replica: int) -> _Tally:
    """Sums of points over the matches among the fit, of each match the mean over its replicas."""
    count, width = len(fit), legs.blocks.shape[1]
    indices = {entrant.name: index for index, entrant in enumerate(fit)}
    # Both sides of each leg, one after the other, so that sums are added leg by leg.
    sides = np.array([[indices.get(name, -1) for name in names] for names in (legs.x, legs.y)], np.int64).T
    counted = (sides >= 0).all(axis=1)
    sides = sides[counted]
    index = sides.ravel()
    played = replicas.PlayedReplicas.of(legs.match[counted], legs.number[counted], legs_per_replica)
    sessions = np.repeat(legs.sessions[counted], 2)
    weights = np.zeros((count, width))
    for length in sorted(set(sessions.tolist())):  # np.unique loads numpy.ma
        weights += np.outer(np.bincount(index[sessions == length], minlength=count), block_sizes(length, width))
    blocks = np.zeros((count, width))
    signed = np.empty(len(index))
    y_sums = legs.y_sums
    of_y = y_sums[:, 2:]
    for block in range(width):
        signed[::2] = legs.blocks[counted, block] / played.of_match
        signed[1::2] = of_y[counted, block] / played.of_match
        blocks[:, block] = np.bincount(index, signed, count)
    met = np.zeros((count, count), bool)
    met[sides[:, 0], sides[:, 1]] = met[sides[:, 1], sides[:, 0]] = True
    opponents = met.sum(axis=1).tolist()
    return _Tally(
        scores=blocks.sum(axis=1),
        blocks=blocks,
        weights=weights,
        sessions=_whole_sums(count, index, sessions),
        games=_whole_sums(count, index, np.repeat(legs.games[counted], 2)),
        opponents=opponents,
        measures=[{} for _ in fit],
        divisors=opponents,
        lengths=np.bincount(index, sessions / np.repeat(played.of_match, 2), count).tolist(),
        residuals=replicas.residuals(
            played, sides, count, (legs.sums[counted], y_sums[counted]), legs.sessions[counted]
        )
        if played.several
        else None,
    )


def _whole_sums(entrants: int, index: npt.NDArray[np.int64], values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    sums = np.zeros(entrants, np.int64)
    np.add.at(sums, index, values)
    return sums


@dataclass(frozen=True)
class _Matches:
    """Legs in order, and the first and the end of each match among them. What has no end are lists, quick to read."""

    legs: Legs
    ranges: list[tuple[int, int]]
    points: list[float]
    sessions: list[int]
    games: list[int]

    @classmethod
    def of(cls, legs: Legs) -> _Matches:
        edges = [0, *(np.flatnonzero(np.diff(legs.match)) + 1).tolist(), len(legs)] if len(legs) else []
        return cls(
            legs, list(itertools.pairwise(edges)), legs.points.tolist(), legs.sessions.tolist(), legs.games.tolist()
        )

    def played(self, first: int, end: int, facts: Mapping[str, Mapping[str, float]]) -> Played:
        """The sums of some legs against one opponent."""
        counts = [self.legs.rest[place].counts for place in range(first, end)]
        return Played(
            math.fsum(self.points[first:end]),
            sum(self.sessions[first:end]),
            sum(self.games[first:end]),
            facts.get(self.legs.y[first], {}),
            tuple(map(sum, zip(*counts))),
        )

    def score(self, first: int, end: int, scoring: HouseScoring, facts: Mapping[str, Mapping[str, float]]) -> float:
        """The score of all sessions of an entrant against one house player."""
        if scoring.of_match:
            return scoring.score(self.played(first, end, facts))
        scores = (scoring.score(self.played(leg, leg + 1, facts)) for leg in range(first, end))
        return math.fsum(scores) / (end - first)

    def errors_of_legs(self) -> list[float]:
        """The standard error of x's points in each leg by the blocks of its games, NaN where it can't be told."""
        width = self.legs.blocks.shape[1]
        errors, _ = errors_of_sums(self.legs.blocks, block_sizes(self.legs.games, width))
        return list(map(float, errors))


def _house_tally(
    fit: Sequence[FieldEntrant],
    matches: _Matches,
    scoring: HouseScoring,
    facts: Mapping[str, Mapping[str, float]],
) -> _Tally:
    """Mean scores of the fit over the house players that they met."""
    legs = matches.legs
    count, width = len(fit), legs.blocks.shape[1]
    own: dict[str, list[tuple[int, int]]] = {entrant.name: [] for entrant in fit}
    for first, end in matches.ranges:
        if legs.x[first] in own:
            own[legs.x[first]].append((first, end))
    errors = matches.errors_of_legs()
    index, slopes = np.full(len(legs), -1), np.zeros(len(legs))
    scores = np.zeros(count)
    measures: list[dict[str, float | None]] = []
    for number, ranges in enumerate(own.values()):
        scores[number] = math.fsum(matches.score(*each, scoring, facts) for each in ranges) / max(1, len(ranges))
        whole = [matches.played(*each, facts) for each in ranges]
        measures.append({measure.name: measure.value(whole) for measure in scoring.measures} if whole else {})
        for first, end in ranges:
            index[first:end] = number
            # The slope is that of what is scored: the whole match, or each session by itself.
            for a, b in [(first, end)] if scoring.of_match else [(leg, leg + 1) for leg in range(first, end)]:
                slope = _slope(matches.played(a, b, facts), _joint_error(errors[a:b]) or 1.0, scoring)
                slopes[a:b] = slope / len(ranges) / (1 if scoring.of_match else end - first)
    counted = index >= 0
    index = index[counted]
    blocks = _sums_by_entrant(count, index, slopes[counted, np.newaxis] * legs.blocks[counted])
    weights = _sums_by_entrant(count, index, block_sizes(legs.games[counted], width))
    # Blocks scaled by the slope add up to the score only if it is linear: spread the difference by weight.
    missing = scores - blocks.sum(axis=1)
    blocks += missing[:, np.newaxis] * weights / np.maximum(1.0, weights.sum(axis=1))[:, np.newaxis]
    return _Tally(
        scores=scores,
        blocks=blocks,
        weights=weights,
        sessions=_whole_sums(count, index, legs.sessions[counted]),
        games=_whole_sums(count, index, legs.games[counted]),
        opponents=[len({legs.y[first] for first, _ in ranges}) for ranges in own.values()],
        measures=measures,
        divisors=[1] * count,
        lengths=[0.0] * count,
    )


def _slope(sums: Played, error: float, scoring: HouseScoring) -> float:
    """The slope of the score in points: a difference quotient over one standard error to either side."""
    high, low = (
        scoring.score(Played(sums.points + step, sums.sessions, sums.games, sums.facts)) for step in (error, -error)
    )
    return (high - low) / (2 * error)


def _joint_error(errors: Sequence[float]) -> float | None:
    """Standard error of the sum of legs that are independent of each other, from that of each."""
    return None if any(map(math.isnan, errors)) else math.sqrt(math.fsum(error * error for error in errors))


def _match_lines(
    matches: _Matches, scoring: HouseScoring | None, facts: Mapping[str, Mapping[str, float]], legs_per_replica: int
) -> Iterator[Match]:
    legs = matches.legs
    errors = matches.errors_of_legs() if scoring is not None else []
    several = scoring is None and len(matches.ranges) < len(legs)
    y_sums = None if legs.own_y is None else legs.own_y[:, :2].tolist()
    x_errors = replicas.errors_of_matches(legs, legs.sums, matches.ranges, legs_per_replica) if several else []
    y_errors = x_errors
    if several and legs.own_y is not None:
        y_errors = replicas.errors_of_matches(legs, legs.own_y, matches.ranges, legs_per_replica)
    cut_short = {place for place, rest in enumerate(legs.rest) if rest.ended_by is not None}
    squares, numbers = legs.squared_points.tolist(), legs.match.tolist()
    for place, (first, end) in enumerate(matches.ranges):
        sessions = sum(matches.sessions[first:end])
        points = math.fsum(matches.points[first:end])
        y_points = 0.0 - points if y_sums is None else math.fsum(of_y for of_y, _ in y_sums[first:end])
        error: float | None
        y_error: float | None
        score: float | None = None
        measures: dict[str, float | None] = {}
        if scoring is not None:
            sums = matches.played(first, end, facts)
            score = matches.score(first, end, scoring, facts)
            measures = {measure.name: measure.value([sums]) for measure in scoring.measures}
        if cut_short and not cut_short.isdisjoint(range(first, end)):
            error = y_error = None  # no sample of sessions
        elif scoring is not None:
            error = y_error = _joint_error(errors[first:end])
        elif end - first == 1:
            error = y_error = error_over_sessions(sessions, points, squares[first])
            if y_sums is not None:
                y_error = error_over_sessions(sessions, *y_sums[first])
        else:
            error, y_error = x_errors[place], y_errors[place]
        yield Match(
            numbers[first],
            legs.x[first],
            legs.y[first],
            end - first,
            sessions,
            sum(matches.games[first:end]),
            points,
            error,
            y_points,
            y_error,
            score,
            measures,
        )
