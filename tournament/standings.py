"""From the ledger's sums to ranked data: scores, errors, the crosstable.

Errors. All pairings see the same deals by default and bots keep their memory
over a leg, so neither an entrant's matches nor his sessions are independent.
A leg's sessions are therefore cut into equal blocks; an entrant's sums over
all his matches, block by block, are nearly independent, and their spread gives
the error of his score (the method of batch means: Law and Carson, "A sequential
procedure for determining the length of a steady-state simulation", 1979).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from tournament.store.ledger import Batch, Fault, Field, LegResult

_BOOTSTRAPS = 4000


@dataclass(frozen=True)
class Standing:
    """An entrant's line. Score is in points; `rank` is None below the line.

    `order_probability`: how sure it is that he ranks before the next one, by bootstrap.
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


@dataclass(frozen=True)
class Match:
    """A pairing's sums, from x's side."""

    match: int
    x: str
    y: str
    legs: int
    sessions: int
    games: int
    x_points: float
    x_points_stderr: float | None

    @property
    def points_per_session(self) -> float:
        return self.x_points / self.sessions if self.sessions else 0.0

    @property
    def stderr_per_session(self) -> float | None:
        return self.x_points_stderr / self.sessions if self.x_points_stderr is not None else None


@dataclass(frozen=True)
class Standings:
    """The ranking, the matches by number, and every fault with the leg in which it happened."""

    entrants: tuple[Standing, ...]
    matches: tuple[Match, ...]
    faults: tuple[tuple[LegResult, Fault], ...]

    @property
    def games(self) -> int:
        return sum(match.games for match in self.matches)


def work_out(field: Field, batches: Sequence[Batch]) -> Standings:
    """Rank a field by the legs that count. Sums are added by match and leg number, whatever the order of commits."""
    legs = sorted((leg for batch in batches for leg in batch.legs), key=lambda leg: (leg.match, leg.number))
    matches = _matches(legs)
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
    places = {entrant.name: place for place, entrant in enumerate(fit)}
    counted = [leg for leg in legs if leg.x in places and leg.y in places]
    block_count = max((len(leg.blocks) for leg in counted), default=1)
    points = np.zeros((len(fit), block_count))
    weights = np.zeros((len(fit), block_count))
    sessions = np.zeros(len(fit), dtype=np.int64)
    games = np.zeros(len(fit), dtype=np.int64)
    pairings: list[set[str]] = [set() for _ in fit]
    for leg in counted:
        sizes = _block_sizes(leg.sessions, block_count)
        for name, opponent, sign in ((leg.x, leg.y, 1.0), (leg.y, leg.x, -1.0)):
            place = places[name]
            points[place] += sign * np.asarray(leg.blocks)
            weights[place] += sizes
            sessions[place] += leg.sessions
            games[place] += leg.games
            pairings[place].add(opponent)
    scores = points.sum(axis=1)
    per_match = [score / max(1, len(pairings[place])) for place, score in enumerate(scores)]
    order = sorted(range(len(fit)), key=lambda place: (not pairings[place], -per_match[place], fit[place].name))
    sure = _order_probabilities(points[order] / np.maximum(1, [[len(pairings[place])] for place in order]))
    lines = []
    for rank, place in enumerate(order, 1):
        error, freedom = _error_of_sum(points[place], weights[place])
        reach = None if error is None else _student(0.975, freedom) * error
        score = float(scores[place])
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
                matches=len(pairings[place]),
                sessions=int(sessions[place]),
                games=int(games[place]),
                faults=fault_counts.get(fit[place].name, 0),
                order_probability=sure[rank - 1] if rank < len(order) else None,
            )
        )
    for entrant in sorted(field.entrants, key=lambda e: e.name):
        if entrant.name not in places:
            reason = entrant.problem or expelled[entrant.name]
            status = "broken" if entrant.problem is not None else "disqualified"
            count = fault_counts.get(entrant.name, 0)
            lines.append(
                Standing(entrant.name, entrant.kind, entrant.sha256, faults=count, status=status, reason=reason)
            )
    return Standings(tuple(lines), tuple(matches), faults)


def _matches(legs: Sequence[LegResult]) -> list[Match]:
    by_number: dict[int, list[LegResult]] = {}
    for leg in legs:
        by_number.setdefault(leg.match, []).append(leg)
    matches = []
    for number, played in sorted(by_number.items()):
        sessions = sum(leg.sessions for leg in played)
        points = math.fsum(leg.points for leg in played)
        error: float | None
        if any(leg.ended_by is not None for leg in played):
            error = None  # cut short: no sample of sessions
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
    """How many sessions are in each block: session s of n is in block ⌊s·blocks/n⌋."""
    edges = -(-np.arange(blocks + 1) * sessions // blocks)
    return np.diff(edges).astype(np.float64)


def _error_of_sum(blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> tuple[float | None, int]:
    """Standard error of the sum of blocks of these weights, and its degrees of freedom."""
    used = weights > 0
    count = int(used.sum())
    if count < 2:
        return None, 0
    residuals = blocks[used] - weights[used] * (blocks.sum() / weights.sum())
    return float(math.sqrt(count / (count - 1) * float(residuals @ residuals))), count - 1


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
    differences = draws @ (points[:-1] - points[1:]).T
    return [float(p) for p in ((differences > 0) + 0.5 * (differences == 0)).mean(axis=0)]
