"""Rules that fail, don't end or are slow when bots answer at random, at the limits, or illegally."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tournament.rehearsal.finding import Finding
from tournament.rehearsal.plays import Plays

_SLOW_SECONDS = 1.0


def fuzz(tables: Sequence[Plays]) -> Iterator[Finding]:
    """Yield each different failure of the rules once, with the first leg that had it, those of later plays first.

    Without failures it yields the number of answers. A step of more than a second of processor time follows as a fault.

    Args:
        tables: Plays at each number of seats, with at least one leg in all.
    """
    legs = [(plays, leg) for plays in tables for leg in plays.legs]
    failures = {leg.failure: (plays, leg) for plays, leg in reversed(legs) if leg.failure}
    for failure, (plays, leg) in failures.items():
        yield Finding(
            "fuzz",
            f"the rules failed at {plays.seats} seats between {leg.manner} bots, session {len(leg.points)} of a leg,"
            f" after {leg.meter.questions:,} questions: {failure}",
            is_fault=True,
        )
    if not failures:
        questions = sum(leg.meter.questions for _, leg in legs)
        yield Finding("fuzz", f"{questions:,} answers at random, at the limits and illegal: no failure")
    slowest = max((leg.meter for _, leg in legs), key=lambda meter: meter.slowest)
    if slowest.slowest > _SLOW_SECONDS:
        yield Finding(
            "slow step",
            f"the step before {slowest.slowest_question} took {slowest.slowest:.1f} s of processor time: bots of all"
            " other legs wait meanwhile",
            is_fault=True,
        )
