"""The luck of a session, the sessions that distinguish two bots, and their cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tournament.arrays import Floats
from tournament.rehearsal.finding import FALSE_ALARM, Finding
from tournament.rehearsal.plays import Plays
from tournament.standings.student_t import quantile

# Square of the difference, in standard errors, that a test at 5% detects in four of five cases.
_POWER = (1.96 + 0.84) ** 2
# A small difference, as a share of a session's standard deviation.
_PART = 0.1


def length(tables: Sequence[Plays]) -> Iterator[Finding]:
    """Yield findings about the shares of variance, the sessions that a verdict takes, and whether points drift.

    Only legs of random bots count, and for the drift those of fixed bots. Plays at one seat, of fewer than three legs,
    or with equal points are omitted. A drift is reported only if it is significant. Findings are in the order of the
    tables, and none is a fault.

    Args:
        tables: Plays at each number of seats.
    """
    for plays in tables:
        legs = plays.of("random")
        if plays.seats < 2 or len(legs) < 3:
            continue
        points = np.concatenate([leg.points for leg in legs])
        spread = float(points.std())
        if not spread:
            continue
        by_position = float(points.mean(axis=0).var()) / spread**2
        table_share = float(points.mean(axis=1).var()) / spread**2
        differences = np.concatenate([_differences(leg.points, leg.bots) for leg in legs])
        sessions = int(np.ceil(_POWER * float(differences.var()) / (_PART * spread) ** 2))
        seconds = sum(leg.meter.seconds for leg in legs) / len(points)
        yield Finding(
            "luck and length",
            f"at {plays.seats} seats a session's points have a standard deviation of {spread:.3g}: {by_position:.0%} of"
            f" the variance is of positions, {table_share:.0%} of whole tables; two bots that differ by a tenth of that"
            f" take about {sessions:,} common sessions to tell apart, {_time(sessions * seconds)} of the rules alone",
        )
        if drift := _drift([leg.points for leg in plays.of("fixed")]):
            yield Finding("drift", f"at {plays.seats} seats points of bots that never change {drift}")


def cost(tables: Sequence[Plays]) -> Iterator[Finding]:
    """Yield a finding for each number of seats: questions per second and per session, and the slowest step in ms.

    Numbers of seats at which no time was measured, or no session ended, are omitted. None is a fault. Times are
    processor time.

    Args:
        tables: Plays at each number of seats.
    """
    for plays in tables:
        questions = sum(leg.meter.questions for leg in plays.legs)
        seconds = sum(leg.meter.seconds for leg in plays.legs)
        sessions = sum(len(leg.points) for leg in plays.legs)
        if seconds and sessions:
            slowest = max((leg.meter for leg in plays.legs), key=lambda meter: meter.slowest)
            yield Finding(
                "cost",
                f"at {plays.seats} seats the rules ask {questions / seconds:,.0f} questions a second on one core,"
                f" {questions / sessions:,.0f} a session; the slowest step took {1000 * slowest.slowest:,.1f} ms,"
                f" before {slowest.slowest_question}",
            )


def _differences(points: Floats, bots: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> Floats:
    """Return the lead of bot 0 over bot 1 in each session, in points.

    Args:
        points: Points by session and position.
        bots: Number of the bot by session and position.
    """
    rows = np.arange(len(points))
    leads: Floats = points[rows, np.argmax(bots == 0, axis=1)] - points[rows, np.argmax(bots == 1, axis=1)]
    return leads


def _drift(legs: Sequence[Floats]) -> str:
    """Return how the size of points changes over a leg as text, or "" if it doesn't change significantly.

    With fewer than four legs nothing is significant. The change is that from the first half of a leg to the second.

    Args:
        legs: Points of each leg by session and position. All legs have the same number of sessions.
    """
    if len(legs) < 4:
        return ""
    half = len(legs[0]) // 2
    change = np.array([np.abs(leg[half:]).mean() - np.abs(leg[: len(leg) - half]).mean() for leg in legs])
    mean, error = float(change.mean()), float(change.std(ddof=1)) / np.sqrt(len(change))
    if abs(mean) <= quantile(1 - FALSE_ALARM / 2, len(change) - 1) * error + 1e-12:
        return ""
    return f"change by {mean:+.3g} ± {error:.2g} over a leg: later sessions are worth more or less than earlier ones"


def _time(seconds: float) -> str:
    """Return a time as text, in minutes from two minutes on, otherwise in seconds."""
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:,.0f} minutes"
