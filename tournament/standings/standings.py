"""From the ledger's sums to ranked data: scores, errors, the crosstable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import HouseScoring, Played
from tournament.standings.estimates import (
    block_sizes,
    error_of_sum,
    error_over_sessions,
    order_probabilities,
    student_quantile,
)
from tournament.store.ledger import Batch, Fault, Field, FieldEntrant, LegResult


@dataclass(frozen=True)
class Standing:
    """An entrant's line. Score is in points; `rank` is None below the line.

    `order_probability`: bootstrap probability that the entrant ranks ahead of the next one.
    `measures` are the contest's own numbers, by name.
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
    measures: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Match:
    """The sums of one pairing, from x's side. Where y is a house player, x also has a score and measures."""

    match: int
    x: str
    y: str
    legs: int
    sessions: int
    games: int
    x_points: float
    x_points_stderr: float | None
    score: float | None = None
    measures: Mapping[str, float | None] = field(default_factory=dict)

    @property
    def points_per_session(self) -> float:
        return self.x_points / self.sessions if self.sessions else 0.0

    @property
    def stderr_per_session(self) -> float | None:
        return self.x_points_stderr / self.sessions if self.x_points_stderr is not None else None


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


def compute_standings(field: Field, batches: Sequence[Batch], scoring: HouseScoring | None = None) -> Standings:
    """Rank a field by the legs that count: by sums of points, or by a scoring of play against house players.

    Sums are added in the order of match and leg numbers, so the order of commits changes no bit.
    """
    house = {player.name for player in field.house}
    counting = (leg for batch in batches for leg in batch.legs if scoring is None or leg.y in house)
    legs = sorted(counting, key=lambda leg: (leg.match, leg.number))
    faults = tuple((leg, fault) for leg in legs for fault in leg.faults)
    fault_counts: dict[str, int] = {}
    expelled: dict[str, str] = {}
    for leg in legs:
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
    tally = _tally(fit, legs) if scoring is None else _house_tally(fit, legs, scoring, _facts(field))
    order = sorted(
        range(len(fit)), key=lambda index: (not tally.opponents[index], -tally.per_match[index], fit[index].name)
    )
    divisors = np.array([max(1, tally.divisors[index]) for index in order], dtype=np.float64)
    sure = order_probabilities(tally.blocks[order] / divisors[:, np.newaxis])
    lines = []
    for rank, index in enumerate(order, 1):
        error, freedom = error_of_sum(tally.blocks[index], tally.weights[index])
        reach = None if error is None else student_quantile(0.975, freedom) * error
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
                matches=len(tally.opponents[index]),
                sessions=int(tally.sessions[index]),
                games=int(tally.games[index]),
                faults=fault_counts.get(fit[index].name, 0),
                order_probability=sure[rank - 1] if rank < len(order) else None,
                measures=tally.measures[index],
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
    names = tuple(player.name for player in field.house)
    return Standings(tuple(lines), tuple(_matches(legs, scoring, _facts(field))), faults, scoring, names)


@dataclass
class _Tally:
    """Sums of the fit entrants, one index each. A row of `blocks` adds up to that entrant's score.

    `weights` are the sizes of the blocks. `per_match`, the score divided by `divisors`, ranks:
    it compares entrants who have not met equally many opponents yet.
    """

    scores: npt.NDArray[np.float64]
    blocks: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    sessions: npt.NDArray[np.int64]
    games: npt.NDArray[np.int64]
    opponents: list[set[str]]
    measures: list[dict[str, float | None]]
    divisors: list[int]

    @property
    def per_match(self) -> list[float]:
        return [float(score) / max(1, divisor) for score, divisor in zip(self.scores, self.divisors)]


def _new_tally(entrants: int, blocks: int) -> _Tally:
    return _Tally(
        np.zeros(entrants),
        np.zeros((entrants, blocks)),
        np.zeros((entrants, blocks)),
        np.zeros(entrants, dtype=np.int64),
        np.zeros(entrants, dtype=np.int64),
        [set() for _ in range(entrants)],
        [{} for _ in range(entrants)],
        [1] * entrants,
    )


def _tally(fit: Sequence[FieldEntrant], legs: Sequence[LegResult]) -> _Tally:
    """Sums of points over the matches among the fit."""
    indices = {entrant.name: index for index, entrant in enumerate(fit)}
    counted = [leg for leg in legs if leg.x in indices and leg.y in indices]
    tally = _new_tally(len(fit), max((len(leg.blocks) for leg in counted), default=1))
    for leg in counted:
        sizes = block_sizes(leg.sessions, tally.blocks.shape[1])
        for name, opponent, sign in ((leg.x, leg.y, 1.0), (leg.y, leg.x, -1.0)):
            index = indices[name]
            tally.blocks[index] += sign * np.asarray(leg.blocks)
            tally.weights[index] += sizes
            tally.sessions[index] += leg.sessions
            tally.games[index] += leg.games
            tally.opponents[index].add(opponent)
    tally.scores = tally.blocks.sum(axis=1)
    tally.divisors = [len(opponents) for opponents in tally.opponents]
    return tally


def _house_tally(
    fit: Sequence[FieldEntrant],
    legs: Sequence[LegResult],
    scoring: HouseScoring,
    facts: Mapping[str, Mapping[str, float]],
) -> _Tally:
    """Mean scores of the fit over the house players that they met."""
    by_entrant: dict[str, dict[int, list[LegResult]]] = {entrant.name: {} for entrant in fit}
    for leg in legs:
        if leg.x in by_entrant:
            by_entrant[leg.x].setdefault(leg.match, []).append(leg)
    tally = _new_tally(len(fit), max((len(leg.blocks) for leg in legs), default=1))
    for index, entrant in enumerate(fit):
        matches = list(by_entrant[entrant.name].values())
        if not matches:
            continue
        whole = [_sums(played, facts) for played in matches]
        tally.scores[index] = math.fsum(match_score(played, scoring, facts) for played in matches) / len(matches)
        for played in matches:
            # The slope is that of what is scored: the whole match, or each session by itself.
            for group in [played] if scoring.of_match else [[leg] for leg in played]:
                slope = _slope(group, scoring, facts) / len(matches) / (1 if scoring.of_match else len(played))
                for leg in group:
                    tally.blocks[index] += slope * np.asarray(leg.blocks)
                    tally.weights[index] += block_sizes(leg.games, len(leg.blocks))
        # Blocks scaled by the slope add up to the score only if it is linear: spread the difference by weight.
        missing = tally.scores[index] - tally.blocks[index].sum()
        tally.blocks[index] += missing * tally.weights[index] / max(1.0, tally.weights[index].sum())
        tally.sessions[index] = sum(played.sessions for played in whole)
        tally.games[index] = sum(played.games for played in whole)
        tally.opponents[index] = {played[0].y for played in matches}
        tally.measures[index] = {measure.name: measure.value(whole) for measure in scoring.measures}
    return tally


def match_score(legs: Sequence[LegResult], scoring: HouseScoring, facts: Mapping[str, Mapping[str, float]]) -> float:
    """The score of all sessions of an entrant against one house player."""
    if scoring.of_match:
        return scoring.score(_sums(legs, facts))
    return math.fsum(scoring.score(_sums([leg], facts)) for leg in legs) / len(legs)


def _slope(legs: Sequence[LegResult], scoring: HouseScoring, facts: Mapping[str, Mapping[str, float]]) -> float:
    """The slope of the score in points: a difference quotient over one standard error to either side."""
    sums = _sums(legs, facts)
    error = _error_over_blocks(legs) or 1.0
    high, low = (
        scoring.score(Played(sums.points + step, sums.sessions, sums.games, sums.facts)) for step in (error, -error)
    )
    return (high - low) / (2 * error)


def _sums(legs: Sequence[LegResult], facts: Mapping[str, Mapping[str, float]]) -> Played:
    """The sums of one entrant's legs against one house player."""
    return Played(
        math.fsum(leg.points for leg in legs),
        sum(leg.sessions for leg in legs),
        sum(leg.games for leg in legs),
        facts.get(legs[0].y, {}),
        tuple(map(sum, zip(*(leg.counts for leg in legs)))),
    )


def _facts(field: Field) -> dict[str, Mapping[str, float]]:
    return {player.name: player.facts for player in field.house}


def _error_over_blocks(legs: Sequence[LegResult]) -> float | None:
    """Standard error of the sum of legs that are independent of each other, each by the blocks of its games."""
    errors = [error_of_sum(np.asarray(leg.blocks), block_sizes(leg.games, len(leg.blocks)))[0] for leg in legs]
    known = [error for error in errors if error is not None]
    return math.sqrt(math.fsum(error * error for error in known)) if len(known) == len(legs) else None


def _matches(
    legs: Sequence[LegResult], scoring: HouseScoring | None, facts: Mapping[str, Mapping[str, float]]
) -> list[Match]:
    by_number: dict[int, list[LegResult]] = {}
    for leg in legs:
        by_number.setdefault(leg.match, []).append(leg)
    matches = []
    for number, played in sorted(by_number.items()):
        sessions = sum(leg.sessions for leg in played)
        points = math.fsum(leg.points for leg in played)
        error: float | None
        score: float | None = None
        measures: dict[str, float | None] = {}
        if scoring is not None:
            sums = _sums(played, facts)
            score = match_score(played, scoring, facts)
            measures = {measure.name: measure.value([sums]) for measure in scoring.measures}
        if any(leg.ended_by is not None for leg in played):
            error = None  # cut short: no sample of sessions
        elif scoring is not None:
            error = _error_over_blocks(played)
        elif len(played) == 1:
            error = error_over_sessions(sessions, points, played[0].squared_points)
        else:
            # Legs of a duplicate match share their deals: take the pairs of blocks.
            blocks = np.sum([leg.blocks for leg in played], axis=0)
            error, _ = error_of_sum(blocks, block_sizes(played[0].sessions, len(blocks)))
        matches.append(
            Match(
                number,
                played[0].x,
                played[0].y,
                len(played),
                sessions,
                sum(leg.games for leg in played),
                points,
                error,
                score,
                measures,
            )
        )
    return matches
