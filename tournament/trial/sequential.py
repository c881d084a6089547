"""Stopping once it is certain enough which of two bots is better.

The difference and its error come from strata (see standings/standard_errors.py), the bounds of all interim analyses
from standings/stopping.py, as in a run until the order is settled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tournament.errors import InputError, pluralize
from tournament.standings.stopping import FEWEST_REPLICAS, critical_value, is_futile, looks
from tournament.store.field import ContestSetup
from tournament.store.legs import Legs
from tournament.store.reading import read_records
from tournament.store.storage import open_storage

Verdict = Literal["better", "worse", "open"]


@dataclass(frozen=True)
class Difference:
    """A difference in points per session, its standard error, and the degrees of freedom of this: 0 if unknown."""

    mean: float
    error: float  # infinite if unknown
    freedom: float

    @classmethod
    def of(cls, mean: float, error: float | None, freedom: float) -> Difference:
        """Return a difference whose error is None if it is unknown."""
        return cls(mean, math.inf, 0.0) if error is None else cls(mean, error, freedom)


@dataclass(frozen=True)
class InterimResult:
    """What is known after this many replicas. `critical_value`: how many standard errors an interval that holds at all
    looks has to either side."""

    verdict: Verdict
    replicas: int
    message: str
    done: bool
    critical_value: float


@dataclass(frozen=True)
class UntilSure:
    """Stop when one is significantly better, with this `confidence`, or the most replicas would hardly tell."""

    confidence: float

    @classmethod
    def of(cls, confidence: float) -> UntilSure:
        """Raises InputError for what is no probability to settle anything with."""
        if not 0.5 < confidence < 1:
            raise InputError(f"--until-settled {confidence:g}: expected a probability between 0.5 and 1, such as 0.95")
        return cls(confidence)

    def look(self, difference: Difference, count: int, counts: tuple[int, ...]) -> InterimResult:
        """Judge the difference after `count` replicas, one of the `counts` at which there is an interim analysis."""
        error_rate = 1 - self.confidence
        mean, error, freedom = difference.mean, difference.error, difference.freedom
        wide = critical_value(counts, counts.index(count), error_rate, freedom)
        reach = wide * error if error else 0.0
        verdict: Verdict = "open" if abs(mean) <= reach else "better" if mean > 0 else "worse"
        hopeless = is_futile(mean, error, freedom, count, counts, error_rate)
        said = f"better by {mean:+,.2f} ± {reach:,.2f}"
        if verdict == "open" and hopeless:
            said += f", too close for {counts[-1]} replicas to tell"
        return InterimResult(verdict, count, said, verdict != "open" or hopeless or count == counts[-1], wide)


def play_until(
    rule: UntilSure, replicas: int, most: int, play: Callable[[int], Difference | None], say: Callable[[str], None]
) -> InterimResult | None:
    """Play until a rule stops it, from this many `replicas` or the fewest that tell on; None for nothing to compare.

    `play` plays up to a number of replicas and returns the difference, None if a bot is disqualified.
    """
    counts = looks(max(replicas, FEWEST_REPLICAS), most)
    for count in counts:
        if (difference := play(count)) is None:
            return None
        look = rule.look(difference, count, counts)
        say(f"{pluralize(count, 'replica')}: {look.message}")
        if look.done:
            break
    return look


def legs_in(location: str) -> tuple[ContestSetup, Legs]:
    """The field of records and its legs, in order."""
    storage = open_storage(location)
    records = read_records(storage)
    assert records.field
    return records.field, Legs.joined(batch.legs for batch in records.batches).in_order()
