"""The value of positions, before and after bots rotate over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tournament.arrays import Floats
from tournament.rehearsal.finding import FALSE_ALARM, Finding
from tournament.rehearsal.plays import MANNERS, Plays
from tournament.standings.student_t import quantile


def positions(tables: Sequence[Plays]) -> Iterator[Finding]:
    """Yield findings about the positions that earn most and least, and about bots that differ although they rotate.

    Only the latter are faults. A manner with fewer than three legs is omitted, and so is one seat. Only significant
    differences are reported, and the house's bots aren't compared. Findings are in the order of the tables, then of
    MANNERS.

    Args:
        tables: Plays at each number of seats.
    """
    for plays in tables:
        for manner in MANNERS:
            legs = plays.of(manner)
            if plays.seats < 2 or len(legs) < 3:
                continue
            worth = np.array([leg.points.mean(axis=0) - leg.points.mean() for leg in legs])
            after = np.array([leg.by_bot / len(leg.points) for leg in legs])[:, : plays.seats - plays.house_seats]
            after = after - after.mean(axis=1, keepdims=True)
            if text := _ends(worth, "position", "earns"):
                yield Finding(
                    "positions",
                    f"at {plays.seats} seats between {manner} bots {text} a session more than the mean; bots rotate, so"
                    f" give legs a multiple of {plays.seats} sessions",
                )
            if after.shape[1] > 1 and (text := _ends(after, "bot", "earns")):
                yield Finding(
                    "positions",
                    f"at {plays.seats} seats one of equal {manner} bots is favoured though they rotate: {text} a"
                    " session more than the mean; the rules must not count sessions, or remember bots",
                    is_fault=True,
                )


def _ends(values: Floats, noun: str, verb: str) -> str:
    """Return the highest and the lowest of the columns whose mean over the rows differs significantly from 0, as text.

    Args:
        values: Values by row and column.
        noun: Word for a column.
        verb: Word between a column and its mean.

    Returns:
        The highest column, and the lowest if it is another one, with their means and standard errors. "" if no column's
        mean differs significantly from 0.
    """
    count, columns = values.shape
    mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(count)
    wide = quantile(1 - FALSE_ALARM / (2 * columns), count - 1)
    tolerance = 1e-9 * float(np.abs(values).max(initial=0.0))
    significant = np.flatnonzero(np.abs(mean) > wide * error + tolerance)
    if not len(significant):
        return ""
    ends = dict.fromkeys(
        [int(significant[np.argmax(mean[significant])]), int(significant[np.argmin(mean[significant])])]
    )
    return " and ".join(f"{noun} {at} {verb} {mean[at]:+.3g} ± {error[at]:.2g}" for at in ends)
