"""Stopping once it is sure enough which of two is the better one: by their differences in each replica.

Replicas are independent, however bots learn. Whether one of the two is better for sure is told as of a run until the
order is settled (see standings/stopping.py). Or two sizes of the difference are compared by a sequential probability
ratio test (A. Wald, "Sequential Analysis", 1947) of normal differences, as tests of chess programs have it; their
variance is the one seen, so there are ten replicas before the first look.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tournament.arrays import Floats
from tournament.errors import BadInput, counted
from tournament.standings.errors import mean_and_error
from tournament.standings.stopping import FEWEST_REPLICAS, looks, out_of_reach, reaches
from tournament.store.ledger import Field
from tournament.store.ledger_reading import read_state, standing_batches
from tournament.store.legs import Legs
from tournament.store.storage import open_storage

Verdict = Literal["better", "worse", "open"]

ERROR_RATE = 0.05  # of either kind, of a sequential probability ratio test
LIMIT = math.log((1 - ERROR_RATE) / ERROR_RATE)  # of the logarithm of the ratio


@dataclass(frozen=True)
class Look:
    """What is known after so many replicas. `reaches`: how many standard errors an interval that holds at all looks has
    to either side, None for a test of two sizes."""

    verdict: Verdict
    replicas: int
    said: str
    done: bool
    reaches: float | None = None


@dataclass(frozen=True)
class UntilSure:
    """Stop when one is surely better, with this `confidence`, or the most replicas would hardly tell."""

    confidence: float
    fewest = FEWEST_REPLICAS

    def look(self, differences: Floats, counts: tuple[int, ...]) -> Look:
        """Look at the differences in the replicas so far, one of the `counts` at which there is a look."""
        count, (mean, error) = len(differences), mean_and_error(differences)
        wide = reaches(counts, 1 - self.confidence)[counts.index(count)]
        reach = wide * error if error else 0.0
        verdict: Verdict = "open" if abs(mean) <= reach else "better" if mean > 0 else "worse"
        hopeless = not differences.any() or out_of_reach(mean, error, count - 1, count, counts, 1 - self.confidence)
        said = f"better by {mean:+,.2f} ± {reach:,.2f}"
        if verdict == "open" and hopeless and count < counts[-1]:
            said += f", too close for {counts[-1]} replicas to tell"
        return Look(verdict, count, said, verdict != "open" or hopeless or count == counts[-1], wide)


@dataclass(frozen=True)
class RatioTest:
    """Stop when the difference is `high` rather than `low`: better, or the other way: worse."""

    low: float
    high: float
    fewest = 10

    def look(self, differences: Floats, counts: tuple[int, ...]) -> Look:
        """As of UntilSure."""
        count, (mean, error) = len(differences), mean_and_error(differences)
        # Of a normal mean with this error.
        ratio = (self.high - self.low) * (mean - (self.low + self.high) / 2)
        ratio = ratio / error**2 if error else math.copysign(math.inf, ratio) if ratio else 0.0
        verdict: Verdict = "better" if ratio >= LIMIT else "worse" if ratio <= -LIMIT else "open"
        said = f"LLR {ratio:.2f} of {math.copysign(LIMIT, ratio):.2f}"
        return Look(verdict, count, said, verdict != "open" or count == counts[-1])


Rule = UntilSure | RatioTest


def rule_of(until: float | None, sprt: tuple[float, float] | None) -> Rule | None:
    """The rule of these options, None for none. Raises BadInput."""
    if until is not None and sprt is not None:
        raise BadInput("--until, --sprt: choose one of the two")
    if until is not None:
        if not 0.5 < until < 1:
            raise BadInput(f"--until {until:g}: a chance between 0.5 and 1, such as 0.95")
        return UntilSure(until)
    if sprt is None:
        return None
    if not (math.isfinite(sprt[0]) and math.isfinite(sprt[1]) and sprt[0] < sprt[1]):
        raise BadInput(f"--sprt {sprt[0]:g} {sprt[1]:g}: two numbers, the smaller one first, such as 0 2")
    return RatioTest(*sprt)


def play_until(
    rule: Rule, replicas: int, most: int, play: Callable[[int], Floats | None], say: Callable[[str], None]
) -> Look | None:
    """Play until a rule stops it, from so many `replicas` on, or its fewest; None if there is nothing to compare.

    `play` plays up to a number of replicas and returns the difference in each, None where a bot is disqualified.
    """
    counts = looks(max(replicas, rule.fewest), most)
    for count in counts:
        if (differences := play(count)) is None:
            return None
        look = rule.look(differences, counts)
        say(f"{counted(count, 'replica')}: {look.said}")
        if look.done:
            break
    return look


def legs_in(location: str) -> tuple[Field, Legs]:
    """The field of records and its legs, in order."""
    storage = open_storage(location)
    state = read_state(storage)
    assert state.field
    return state.field, Legs.joined(batch.legs for batch in standing_batches(storage, state)).in_order()
