"""Rules that fail, don't end, grow or dawdle when bots answer at random, at the limits, or illegally."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from tournament.rehearsal.finding import Finding
from tournament.rehearsal.plays import Plays

_SLOW_SECONDS = 1.0
# Legs until caches are full.
_WARM_UP_LEGS = 6
# Blocks of memory a leg: rules that keep a record of each session keep more.
_GROWTH = 40


def fuzz(several: Sequence[Plays]) -> Iterator[Finding]:
    """Yield what went wrong, or how many questions went well."""
    legs = [(plays, leg) for plays in several for leg in plays.legs]
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
    for plays in several:
        kept = [leg.blocks for leg in plays.legs[_WARM_UP_LEGS:]]
        rises = sum(later - before > _GROWTH for before, later in itertools.pairwise(kept))
        if len(kept) > 3 and rises >= 0.9 * (len(kept) - 1) and kept[-1] - kept[0] > _GROWTH * (len(kept) - 1):
            each = (kept[-1] - kept[0]) / (len(kept) - 1)
            yield Finding(
                "memory",
                f"the rules keep {each:,.0f} more objects after each leg: what a session needs belongs in self or in"
                " variables of play, not in the class or the module",
                is_fault=True,
            )
            break
    slowest = max((leg.meter for _, leg in legs), key=lambda meter: meter.slowest)
    if slowest.slowest > _SLOW_SECONDS:
        yield Finding(
            "slow step",
            f"the step before {slowest.slowest_question} took {slowest.slowest:.1f} s of processor time: bots of all"
            " other legs wait meanwhile",
            is_fault=True,
        )
