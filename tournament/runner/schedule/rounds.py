"""Rounds of replicas until the order is settled: the next round, from the committed legs alone.

Each round has the same number of replicas of all matches, and follows from the legs of the previous one. Their scores
without luck have the same means and distinguish bots sooner. So a run that continues after a crash, or on other
machines, has the same rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tournament.contests.scoring import HouseScoring
from tournament.runner.schedule.counting import reconcile
from tournament.runner.schedule.fixtures import Replicas
from tournament.runner.schedule.legs import Schedule
from tournament.standings.settled_order import Verdict, next_count, run_analysis_counts
from tournament.standings.standings import compute_standings
from tournament.store.field import Batch, ContestSetup
from tournament.store.legs import Legs


@dataclass(frozen=True)
class Round:
    """A round.

    Attributes:
        replicas: Replicas of each match after the round.
        verdicts: Verdicts on neighbours before the round, in the order of ranks. Empty before the first round.
        done: Whether no round follows.
        number: Number of the round, from 1.
    """

    replicas: Replicas
    verdicts: tuple[Verdict, ...] = ()
    done: bool = False
    number: int = 1

    @property
    def said(self) -> str:
        """The round as text."""
        count = Counter(self.verdicts)
        text = f"{count['settled']} of {len(self.verdicts)} neighbours are settled"
        if count["tied"]:
            text += f", {count['tied']} tied"
        if count["too_close"]:
            text += f", {count['too_close']} too close to be settled with the most replicas"
        if self.done:
            return text + (f", {count['open']} still open with the most replicas" if count["open"] else "")
        return f"{text}; round {self.number} plays up to {self.replicas.of_all} replicas"


def next_round(
    field: ContestSetup,
    scoring: HouseScoring | None,
    schedule_with: Callable[[Replicas], Schedule],
    batches: Sequence[Batch],
) -> Round:
    """Return the first round with a leg still to play, or the last one, of a field with an `until`.

    Args:
        field: Field of the run. Its `until` isn't None.
        scoring: The house's scoring, or None without house players.
        schedule_with: Called with the replicas of each match; returns the field's schedule.
        batches: The committed batches.

    Raises:
        InputError: `schedule_with` refuses the replicas, because a limit of schedules is exceeded.
    """
    assert field.until is not None
    legs = Legs.joined(batch.legs for batch in batches)
    counts = run_analysis_counts(field.until)
    this = Round(Replicas(counts[0]))
    while True:
        reconciliation = reconcile(batches, schedule_with(this.replicas))
        if len(reconciliation.missing):
            return this
        counted = legs.take(np.flatnonzero(reconciliation.counts(legs)))
        ranked = compute_standings(field, [Batch("", (), counted)], scoring)
        verdicts = tuple(line.order_status for line in ranked.ranked if line.matches and line.order_status)
        played = this.replicas.of_all
        if (more := next_count(verdicts, played, counts)) == played:
            return Round(this.replicas, verdicts, True, this.number)
        this = Round(Replicas(more), verdicts, number=this.number + 1)
