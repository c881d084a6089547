"""Stops a match as soon as it is certain enough which of two bots is better.

The difference and its error come from strata (see standings/standard_errors.py). The bounds of all interim analyses
come from standings/stopping.py, as in a run until the order is settled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tournament.errors import InputError, pluralize
from tournament.standings.stopping import MIN_REPLICAS, analysis_counts, critical_value, is_futile
from tournament.store.field import ContestSetup
from tournament.store.legs import Legs
from tournament.store.reading import read_records
from tournament.store.storage import open_storage

Verdict = Literal["better", "worse", "open"]


@dataclass(frozen=True)
class Difference:
    """A difference in points per session.

    Attributes:
        mean: Points of the first bot minus those of the second.
        error: Its standard error, infinite if unknown.
        freedom: Degrees of freedom of the error, 0 if unknown.
    """

    mean: float
    error: float
    freedom: float

    @classmethod
    def of(cls, mean: float, error: float | None, freedom: float) -> Difference:
        """Return a difference. An `error` of None becomes an infinite one without degrees of freedom."""
        return cls(mean, math.inf, 0.0) if error is None else cls(mean, error, freedom)


@dataclass(frozen=True)
class InterimResult:
    """The result of an interim analysis.

    Attributes:
        verdict: Whether the first bot is significantly better or worse than the second, or neither ("open").
        replicas: Number of replicas that were played.
        message: The result as text, with the difference in points per session and its half-width.
        done: Whether play stops: a verdict is reached, further replicas would hardly give one, or none are left.
        critical_value: Half-width, in standard errors, of an interval that is valid at every interim analysis.
    """

    verdict: Verdict
    replicas: int
    message: str
    done: bool
    critical_value: float


def check_confidence(confidence: float) -> None:
    """Check the probability of `--until-settled`.

    Raises:
        InputError: It isn't between 0.5 and 1, or is one of them.
    """
    if not 0.5 < confidence < 1:
        raise InputError(f"--until-settled {confidence:g}: expected a probability between 0.5 and 1, such as 0.95")


def analyse(confidence: float, difference: Difference, count: int, counts: tuple[int, ...]) -> InterimResult:
    """Return the result of an analysis of the difference of two bots after `count` replicas.

    Play stops when one bot is significantly better, or the maximum number of replicas is played or would hardly decide.

    Args:
        confidence: Probability that the verdict is right.
        difference: The difference so far.
        count: Replicas played, one of the counts.
        counts: Numbers of replicas at which there is an interim analysis, in ascending order.
    """
    error_rate = 1 - confidence
    mean, error, freedom = difference.mean, difference.error, difference.freedom
    critical = critical_value(counts, counts.index(count), error_rate, freedom)
    half_width = critical * error if error else 0.0
    verdict: Verdict = "open" if abs(mean) <= half_width else "better" if mean > 0 else "worse"
    hopeless = is_futile(mean, error, freedom, count, counts, error_rate)
    message = f"better by {mean:+,.2f} ± {half_width:,.2f}"
    if verdict == "open" and hopeless:
        message += f", too close for {counts[-1]} replicas to tell"
    return InterimResult(verdict, count, message, verdict != "open" or hopeless or count == counts[-1], critical)


def play_until(
    confidence: float,
    replicas: int,
    max_replicas: int,
    play: Callable[[int], Difference | None],
    on_message: Callable[[str], None],
) -> InterimResult | None:
    """Play until an analysis stops it. Return the last interim result, or None if there is nothing to compare.

    An analysis follows each further 25% of replicas.

    Args:
        confidence: Probability that the verdict is right.
        replicas: Replicas before the first analysis. Fewer than MIN_REPLICAS become that many.
        max_replicas: Maximum number of replicas. If it is below the first number, there is one analysis after it.
        play: Plays up to a number of replicas; returns the difference in points per session, None if a bot is
            disqualified.
        on_message: Called with a line after each analysis.

    Exceptions of both functions are passed on.
    """
    counts = analysis_counts(max(replicas, MIN_REPLICAS), max_replicas)
    for count in counts:
        if (difference := play(count)) is None:
            return None
        result = analyse(confidence, difference, count, counts)
        on_message(f"{pluralize(count, 'replica')}: {result.message}")
        if result.done:
            break
    return result


def legs_in(location: str) -> tuple[ContestSetup, Legs]:
    """Return the field of the records at a location, and their legs by match and number. There must be a field.

    Raises:
        RunError: The records can't be read, or are of an earlier version.
        InputError: The location is an invalid URL.
        OSError: A part's folder can't be searched, or the file of the field can't be read.
    """
    storage = open_storage(location)
    records = read_records(storage)
    assert records.field
    return records.field, Legs.joined(batch.legs for batch in records.batches).in_order()
