"""From the ledger's sums to ranked data: scores, errors, the crosstable.

Errors. All pairings see the same deals by default and bots keep their memory
over a leg, so neither an entrant's matches nor his sessions are independent.
A leg's sessions are therefore cut into equal blocks; an entrant's sums over
all his matches, block by block, are nearly independent, and their spread gives
the error of his score (the method of batch means: Law and Carson, "A sequential
procedure for determining the length of a steady-state simulation", 1979).

Against house players the same holds with the blocks of a leg's games, and the
score is no longer a sum: blocks count by the slope of the contest's score at
what was played (the delta method).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import HouseScoring, Played
from tournament.store.ledger import Batch, Fault, Field, FieldEntrant, LegResult

_BOOTSTRAPS = 4000


@dataclass(frozen=True)
class Standing:
    """An entrant's line. Score is in points; `rank` is None below the line.

    `order_probability`: how sure it is that he ranks before the next one, by bootstrap.
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
    """A pairing's sums, from x's side. Against a house player, who is y, x also has a score and measures."""

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
    """The ranking, the matches by number, and every fault with the leg in which it happened.

    `scoring` and the names of the `house` players are there when entrants play these.
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

    Sums are added by match and leg number, whatever the order of commits.
    """
    legs = sorted((leg for batch in batches for leg in batch.legs), key=lambda leg: (leg.match, leg.number))
    faults = tuple((leg, fault) for leg in legs for fault in leg.faults)
    fault_counts: dict[str, int] = {}
    expelled: dict[str, str] = {}
    for leg in legs:
        for fault in leg.faults:
            name = (leg.x, leg.y)[fault.seat]
            fault_counts[name] = fault_counts.get(name, 0) + 1
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
        range(len(fit)), key=lambda place: (not tally.opponents[place], -tally.per_match[place], fit[place].name)
    )
    divisors = np.array([max(1, tally.divisors[place]) for place in order], dtype=np.float64)
    sure = _order_probabilities(tally.blocks[order] / divisors[:, np.newaxis])
    lines = []
    for rank, place in enumerate(order, 1):
        error, freedom = _error_of_sum(tally.blocks[place], tally.weights[place])
        reach = None if error is None else _student(0.975, freedom) * error
        score = float(tally.scores[place])
        lines.append(
            Standing(
                fit[place].name,
                fit[place].kind,
                fit[place].sha256,
                rank=rank,
                score=score,
                stderr=error,
                ci_low=None if reach is None else score - reach,
                ci_high=None if reach is None else score + reach,
                matches=len(tally.opponents[place]),
                sessions=int(tally.sessions[place]),
                games=int(tally.games[place]),
                faults=fault_counts.get(fit[place].name, 0),
                order_probability=sure[rank - 1] if rank < len(order) else None,
                measures=tally.measures[place],
            )
        )
    places = {entrant.name for entrant in fit}
    for entrant in sorted(field.entrants, key=lambda e: e.name):
        if entrant.name not in places:
            reason = entrant.problem or expelled[entrant.name]
            status = "broken" if entrant.problem is not None else "disqualified"
            count = fault_counts.get(entrant.name, 0)
            lines.append(
                Standing(entrant.name, entrant.kind, entrant.sha256, faults=count, status=status, reason=reason)
            )
    house = tuple(player.name for player in field.house)
    return Standings(tuple(lines), tuple(_matches(legs, scoring, _facts(field))), faults, scoring, house)


@dataclass
class _Tally:
    """What the fit entrants have, a place each. The rows of `blocks` spread as their scores do.

    `per_match` ranks; `divisors` make scores comparable while some have met more opponents than others.
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
    places = {entrant.name: place for place, entrant in enumerate(fit)}
    counted = [leg for leg in legs if leg.x in places and leg.y in places]
    tally = _new_tally(len(fit), max((len(leg.blocks) for leg in counted), default=1))
    for leg in counted:
        sizes = _block_sizes(leg.sessions, tally.blocks.shape[1])
        for name, opponent, sign in ((leg.x, leg.y, 1.0), (leg.y, leg.x, -1.0)):
            place = places[name]
            tally.blocks[place] += sign * np.asarray(leg.blocks)
            tally.weights[place] += sizes
            tally.sessions[place] += leg.sessions
            tally.games[place] += leg.games
            tally.opponents[place].add(opponent)
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
    for place, entrant in enumerate(fit):
        matches = list(by_entrant[entrant.name].values())
        if not matches:
            continue
        whole = [_sums(played, facts) for played in matches]
        tally.scores[place] = math.fsum(match_score(played, scoring, facts) for played in matches) / len(matches)
        for played in matches:
            # A match that is scored as a whole spreads as its whole does, else each session does by itself.
            for group in [played] if scoring.of_match else [[leg] for leg in played]:
                slope = _slope(group, scoring, facts) / len(matches) / (1 if scoring.of_match else len(played))
                for leg in group:
                    tally.blocks[place] += slope * np.asarray(leg.blocks)
                    tally.weights[place] += _block_sizes(leg.games, len(leg.blocks))
        # Where the score bends, blocks add up to something else: what is missing goes to all alike, by weight.
        missing = tally.scores[place] - tally.blocks[place].sum()
        tally.blocks[place] += missing * tally.weights[place] / max(1.0, tally.weights[place].sum())
        tally.sessions[place] = sum(played.sessions for played in whole)
        tally.games[place] = sum(played.games for played in whole)
        tally.opponents[place] = {played[0].y for played in matches}
        tally.measures[place] = {measure.name: measure.value(whole) for measure in scoring.measures}
    return tally


def match_score(legs: Sequence[LegResult], scoring: HouseScoring, facts: Mapping[str, Mapping[str, float]]) -> float:
    """The score of all sessions of an entrant against one house player."""
    if scoring.of_match:
        return scoring.score(_sums(legs, facts))
    return math.fsum(scoring.score(_sums([leg], facts)) for leg in legs) / len(legs)


def _slope(legs: Sequence[LegResult], scoring: HouseScoring, facts: Mapping[str, Mapping[str, float]]) -> float:
    """By how much the score of these legs rises with a point, over a standard error to either side."""
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
    errors = [_error_of_sum(np.asarray(leg.blocks), _block_sizes(leg.games, len(leg.blocks)))[0] for leg in legs]
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
            error = _error_over_sessions(sessions, points, played[0].squared_points)
        else:
            # Legs of a duplicate match share their deals: take the pairs of blocks.
            blocks = np.sum([leg.blocks for leg in played], axis=0)
            error, _ = _error_of_sum(blocks, _block_sizes(played[0].sessions, len(blocks)))
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


def _error_over_sessions(sessions: int, points: float, squared_points: float) -> float | None:
    """Standard error of a sum of `sessions` independent values."""
    if sessions < 2:
        return None
    variance = max(0.0, squared_points - points * points / sessions) / (sessions - 1)
    return math.sqrt(sessions * variance)


def _block_sizes(sessions: int, blocks: int) -> npt.NDArray[np.float64]:
    """How many of so many sessions, or games, are in each block: number s of n is in block ⌊s·blocks/n⌋."""
    edges = -(-np.arange(blocks + 1) * sessions // blocks)
    return np.diff(edges).astype(np.float64)


def _error_of_sum(blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> tuple[float | None, int]:
    """Standard error of the sum of blocks of these weights, and its degrees of freedom."""
    used = weights > 0
    count = int(used.sum())
    if count < 2:
        return None, 0
    residuals = blocks[used] - weights[used] * (blocks.sum() / weights.sum())
    return float(math.sqrt(count / (count - 1) * float(np.einsum("i,i->", residuals, residuals)))), count - 1


def _student(probability: float, freedom: int) -> float:
    """Quantile of Student's t, to 0.1%, from 5 degrees of freedom on, 0.975 from 1 (Abramowitz and Stegun, 26.7.5)."""
    if probability == 0.975 and freedom < 5:
        return (math.inf, 12.7062, 4.3027, 3.1824, 2.7764)[freedom]
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))


def _order_probabilities(points: npt.NDArray[np.float64]) -> list[float]:
    """For each row and the next: the share of resamplings of the blocks in which the first has more (a tie is half)."""
    count = points.shape[1]
    chance = np.random.default_rng(1)
    draws = chance.multinomial(count, np.full(count, 1 / count), size=_BOOTSTRAPS)
    # Not by @, whose library has threads of its own that stop for good when a process is started in the middle.
    differences = np.einsum("bk,rk->br", draws.astype(np.float64), points[:-1] - points[1:])
    return [float(p) for p in ((differences > 0) + 0.5 * (differences == 0)).mean(axis=0)]
