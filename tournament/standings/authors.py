"""Totals of authors: the sums of the scores of each author's bots, with errors and bounds of ranks.

The scores of an author's bots depend on each other: the bots might meet, or meet the same opponents. So the error of a
total needs the covariances of scores. They follow from the errors of the scores and of their differences.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from tournament.arrays import Floats, Ints
from tournament.errors import InputError
from tournament.standings.settled_order import MAX_PAIRED, order_scores
from tournament.standings.standard_errors import ScoreErrors, on_grid
from tournament.standings.standings import Standings

# Maximum difference of equal totals, relative to the sum of absolute scores.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class AuthorTotal:
    """An author's line of the leaderboard by author."""

    rank: int  #: rank of the total; authors with equal totals share it
    author: str  #: the author
    total: float  #: sum of the scores of the author's bots
    stderr: float | None  #: standard error of the total; null if unknown
    ci_half_width: float | None  #: half-width of its 95% interval; null if unknown
    rank_low: int | None  #: first rank that can be the true one, with 95% for all authors together; null if unknown
    rank_high: int | None  #: last such rank; null if unknown
    bots: tuple[str, ...]  #: names of the ranked bots, the best first

    @property
    def rank_range(self) -> str:
        """Bounds of the true rank as text, such as 2–4, or — if unknown."""
        if self.rank_low is None:
            return "—"
        return f"{self.rank_low}" if self.rank_low == self.rank_high else f"{self.rank_low}–{self.rank_high}"


def authors_by_bot(authors: Mapping[str, Sequence[str]], names: Sequence[str]) -> dict[str, str]:
    """Return the author of each bot that has one, by the bot's name.

    Args:
        authors: Names of bots, or patterns of names such as `ann_*`, by author. Case matters, and a pattern can match
            no bot.
        names: Names of all bots.

    Raises:
        InputError: A bot belongs to two authors.
    """
    author_by_bot: dict[str, str] = {}
    for author, patterns in authors.items():
        for name in names:
            is_theirs = any(fnmatchcase(name, pattern) for pattern in patterns)
            if is_theirs and author_by_bot.setdefault(name, author) != author:
                raise InputError(f"authors: {name} is a bot of {author_by_bot[name]} and of {author}; name it once")
    return author_by_bot


@dataclass(frozen=True, eq=False)
class _Sums:
    """Errors of sums of scores.

    Attributes:
        measured: The scores.
        weights: Weight of each score in each sum, by sum and score. It is 0 for a bot of another author.
    """

    measured: ScoreErrors
    weights: Floats

    @property
    def has_differences(self) -> bool:
        """True if errors of differences are known for the scores, which must be at most `MAX_PAIRED`."""
        return self.measured.has_differences and len(self.measured.scores) <= MAX_PAIRED

    def _covariances(self) -> tuple[Floats, Floats]:
        """Return the covariances of the sums, and for each sum the minimum degrees of freedom of its scores.

        Degrees of freedom are 0 if the covariances are unknown.
        """
        count = len(self.measured.scores)
        own = np.nan_to_num(self.measured.stderr) ** 2
        freedom = np.zeros(len(self.weights))
        covariances = np.diag(own)
        if self.has_differences and count > 1:
            between = self.measured.differences
            covariances = (own[:, np.newaxis] + own - between.variances) / 2
            np.fill_diagonal(covariances, own)
        if self.has_differences or count == 1:
            freedom = np.where(self.weights != 0, self.measured.freedom, np.inf).min(axis=1)
        products = np.einsum("ij,jk,lk->il", self.weights, covariances, self.weights, optimize=False)
        return products, freedom

    def score_variances(self) -> tuple[Floats, Floats]:
        """Return the variance of each sum, and its degrees of freedom, or 0 degrees if they are unknown."""
        covariances, freedom = self._covariances()
        return np.maximum(np.diagonal(covariances), 0.0), freedom

    def difference_variances(self, indices: Ints) -> tuple[Floats, Floats]:
        """Return the variances of the differences between these sums, and their degrees of freedom, as two matrices.

        Rows and columns are in the order of `indices`. Degrees of freedom are 0 if the variances are unknown.
        """
        covariances, freedom = self._covariances()
        own = np.diagonal(covariances)
        variances = np.maximum(own[:, np.newaxis] + own - 2 * covariances, 0.0)
        fewest = np.minimum(freedom[:, np.newaxis], freedom)
        return variances[np.ix_(indices, indices)], fewest[np.ix_(indices, indices)]


def author_totals(standings: Standings, author_by_bot: Mapping[str, str]) -> list[AuthorTotal]:
    """Return the authors by the sums of their ranked bots' scores, the best first, and then by name.

    Bots without matches don't count. Authors without a counting bot are omitted. Bounds of ranks are None unless errors
    of differences are known.

    Args:
        standings: The standings.
        author_by_bot: Author of each bot by name. Bots without an author are omitted.
    """
    ranked = [line for line in standings.ranked if line.matches]
    names = sorted({author_by_bot[line.name] for line in ranked if line.name in author_by_bot})
    weights = np.zeros((len(names), len(ranked)))
    for column, line in enumerate(ranked):
        if line.name in author_by_bot:
            # `measured` has scores of one opponent on average.
            is_sum = standings.scoring is None and not standings.has_means
            weights[names.index(author_by_bot[line.name]), column] = line.matches if is_sum else 1.0
    sums = [math.fsum(line.score for line in ranked if author_by_bot.get(line.name) == name) for name in names]
    # On a grid, equal bots have equal totals.
    totals = on_grid(sums, _ROUNDING * sum(abs(line.score) for line in ranked))
    order = sorted(range(len(names)), key=lambda place: (-totals[place], names[place]))
    measured = ScoreErrors(
        totals, _Sums(standings.measured, weights), standings.measured.replicas, np.arange(len(names))
    ).take(order)
    bounds: list[tuple[int | None, int | None]] = [(None, None)] * len(order)
    if measured.has_differences:
        bounds = [(low, high) for low, high in order_scores(measured).bounds]
    errors, reaches = measured.stderr.tolist(), measured.ci_half_width.tolist()
    return [
        AuthorTotal(
            1 + int((totals > totals[place]).sum()),
            names[place],
            float(totals[place]),
            None if math.isnan(error) else error,
            None if math.isnan(reach) else reach,
            *bound,
            tuple(line.name for line in ranked if author_by_bot.get(line.name) == names[place]),
        )
        for place, error, reach, bound in zip(order, errors, reaches, bounds)
    ]
