"""Stopping once it is sure enough which of two is the better one: by their differences in each replica.

Replicas are independent, however bots learn. Whether one of the two is certainly better is told as in a run until the
order is settled (see standings/stopping.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tournament.arrays import Floats
from tournament.errors import InputError, counted
from tournament.standings.errors import mean_and_error
from tournament.standings.stopping import FEWEST_REPLICAS, looks, out_of_reach, reaches
from tournament.store.ledger import Field
from tournament.store.ledger_reading import read_state, standing_batches
from tournament.store.legs import Legs
from tournament.store.storage import open_storage

Verdict = Literal["better", "worse", "open"]


@dataclass(frozen=True)
class Look:
    """What is known after so many replicas. `reaches`: how many standard errors an interval that holds at all looks has
    to either side."""

    verdict: Verdict
    replicas: int
    said: str
    done: bool
    reaches: float


@dataclass(frozen=True)
class UntilSure:
    """Stop when one is surely better, with this `confidence`, or the most replicas would hardly tell."""

    confidence: float

    @classmethod
    def of(cls, confidence: float) -> UntilSure:
        """Raises InputError for what is no probability to settle anything with."""
        if not 0.5 < confidence < 1:
            raise InputError(f"--until-settled {confidence:g}: expected a probability between 0.5 and 1, such as 0.95")
        return cls(confidence)

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


def play_until(
    rule: UntilSure, replicas: int, most: int, play: Callable[[int], Floats | None], say: Callable[[str], None]
) -> Look | None:
    """Play until a rule stops it, from so many `replicas` or the fewest that tell on; None for nothing to compare.

    `play` plays up to a number of replicas and returns the difference in each, None where a bot is disqualified.
    """
    counts = looks(max(replicas, FEWEST_REPLICAS), most)
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
