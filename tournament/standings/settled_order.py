"""The order of a field as far as it is certain. Places and the status of neighbours are both derived here.

In a run until the order is settled, it follows from the intervals of all interim analyses together. Otherwise it
follows from one analysis of everything that was played.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats
from tournament.standings.rank_bounds import (
    ERROR_RATE,
    monotone_bounds,
    nearest_behind,
    rank_bounds,
    significantly_ahead,
    transitive_closure,
)
from tournament.standings.standard_errors import Differences, ScoreErrors
from tournament.standings.stopping import MIN_REPLICAS, analysis_counts, is_futile, sequentially_ahead, within
from tournament.standings.student_t import quantiles
from tournament.store.field import Until

# Maximum number of bots whose pairs are tested one by one. A matrix of their pairs takes 32 MB; for 10,000 bots it
# would take 800 MB.
MAX_PAIRED = 2000
Verdict = Literal["settled", "tied", "too_close", "open"]


def run_analysis_counts(until: Until) -> tuple[int, ...]:
    """Return the numbers of replicas at the interim analyses of a run, ascending.

    The first is at least `MIN_REPLICAS`, unless the maximum is lower.
    """
    return analysis_counts(max(until.first_replicas, MIN_REPLICAS), until.max_replicas)


@dataclass(frozen=True)
class SettledOrder:
    """The significant differences and ties of a field, by row and column in the order of scores, the best first.

    Attributes:
        tested_ahead: Whether each bot, by row, is significantly ahead of each other one, by column.
        confidence: Probability that everything is right.
        tied: Whether each pair is significantly a tie, as a symmetric matrix; None without a tie margin.
        close: Flag for each bot and the next one that shows whether more replicas would hardly distinguish them. Empty
            if no pair counts as close.
        unknown: Flag for each bot that shows whether the error of its score is unknown; None if all are known.
    """

    tested_ahead: npt.NDArray[np.bool_]
    confidence: float
    tied: npt.NDArray[np.bool_] | None = None
    close: Sequence[bool] = ()
    unknown: npt.NDArray[np.bool_] | None = None

    @cached_property
    def ahead(self) -> npt.NDArray[np.bool_]:
        """True if a bot, by row, is significantly ahead of another, by column, with all that follows from the tests."""
        return transitive_closure(self.tested_ahead)

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """First and last possible rank of each bot, counted from 1, in the order of scores."""
        return rank_bounds(self.ahead, self.unknown)

    @cached_property
    def nearest_behind(self) -> list[list[int]]:
        """Indices of the nearest bots that are significantly behind each bot, ascending, by bot in order of scores."""
        return nearest_behind(self.ahead)

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Verdict for each bot and the next one, in the order of scores, so one fewer than bots.

        It is settled if their possible ranks don't overlap, and tied if they are significantly a tie. It is too_close
        if more replicas would hardly distinguish them, and otherwise open.
        """
        none = [False] * len(self.bounds)
        tied = none if self.tied is None else np.diagonal(self.tied, 1).tolist()
        return [
            "settled" if high < low else "tied" if tie else "too_close" if close else "open"
            for ((_, high), (low, _)), tie, close in zip(itertools.pairwise(self.bounds), tied, self.close or none)
        ]


@dataclass(frozen=True)
class SimultaneousIntervals:
    """Simultaneous confidence intervals for fields too large for tests of pairs.

    A bot is significantly ahead of another if their intervals don't overlap.

    Attributes:
        scores: Scores of the bots, the best first.
        ci_half_width: Half-width of each score's interval; infinite if unknown.
        confidence: Probability that all intervals hold.
    """

    scores: Floats
    ci_half_width: Floats
    confidence: float

    @property
    def unknown(self) -> npt.NDArray[np.bool_]:
        """Flag for each bot that shows whether the error of its score is unknown."""
        return ~np.isfinite(self.ci_half_width)

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """First and last possible rank of each bot, counted from 1, in the order of scores."""
        low, high = self.scores - self.ci_half_width, self.scores + self.ci_half_width
        first = 1 + len(low) - np.searchsorted(np.sort(low), high, side="right")
        last = len(low) - np.searchsorted(np.sort(high), low, side="left")
        return monotone_bounds(first, last, self.unknown)

    @cached_property
    def nearest_behind(self) -> list[list[int]]:
        """An empty list for each bot. In fields of this size they would be larger than the rest of the results."""
        return [[] for _ in self.scores]

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Verdict for each bot and the next one: settled if their possible ranks don't overlap, otherwise open."""
        return ["settled" if high < low else "open" for (_, high), (low, _) in itertools.pairwise(self.bounds)]


def order_scores(measured: ScoreErrors) -> SettledOrder | SimultaneousIntervals:
    """Return the order of scores, from one analysis of everything that was played.

    Up to `MAX_PAIRED` bots are compared in pairs. Larger fields have simultaneous intervals.

    Args:
        measured: Scores and their errors, the best score first.
    """
    if len(measured.scores) <= MAX_PAIRED:
        unknown = ~np.isfinite(measured.stderr)
        return SettledOrder(significantly_ahead(measured.differences), 1 - ERROR_RATE, unknown=unknown)
    bots = len(measured.scores)
    is_known = np.isfinite(measured.stderr) & measured.has_differences
    critical_values = quantiles(1 - ERROR_RATE / 2 / bots, np.where(is_known, measured.freedom, 0.0))
    with np.errstate(invalid="ignore"):
        half_width = np.where(is_known, critical_values * np.nan_to_num(measured.stderr), np.inf)
    return SimultaneousIntervals(measured.scores, half_width, 1 - ERROR_RATE)


def settled_order(analyses: Sequence[Differences], until: Until, bots: int) -> SettledOrder:
    """Return the order of bots in a run until the order is settled.

    Args:
        analyses: Differences of scores at each interim analysis so far, with rows in the order of scores. Without an
            analysis nothing is settled, tied or close.
        until: Settings of the run.
        bots: Number of bots.
    """
    counts, error_rate = run_analysis_counts(until), 1 - until.confidence
    none = np.zeros((bots, bots), bool)
    if until.tie_margin is not None:
        ahead, tied = within(analyses, counts, error_rate, until.tie_margin) if analyses else (none, none)
        return SettledOrder(ahead, until.confidence, tied)
    if not analyses:
        return SettledOrder(none, until.confidence)
    last, count = analyses[-1], counts[len(analyses) - 1]
    close = [
        is_futile(mean, math.sqrt(variance), freedom, count, counts, error_rate)
        for mean, variance, freedom in zip(
            *(np.diagonal(of, 1).tolist() for of in (last.means, last.variances, last.freedom))
        )
    ]
    return SettledOrder(sequentially_ahead(analyses, counts, error_rate), until.confidence, close=close)


def next_count(verdicts: Sequence[Verdict], played: int, counts: tuple[int, ...]) -> int:
    """Return the number of replicas of all matches after the next round, or that already played if no round follows.

    No round follows if no verdict is open, or if the maximum number of replicas has been played.

    Args:
        verdicts: Verdicts at the last interim analysis.
        played: Number of replicas of each match that were played.
        counts: Numbers of replicas at the interim analyses, ascending.
    """
    remaining = [count for count in counts if count > played]
    return remaining[0] if remaining and "open" in verdicts else played
