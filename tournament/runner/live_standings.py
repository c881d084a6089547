"""The standings of what a run has committed, and their summaries, computed periodically while it plays."""

from __future__ import annotations

import math
import time

from tournament.contests.contest import Contest
from tournament.leg import legs_per_replica
from tournament.records.results import rank_contest
from tournament.records.summaries import write_summaries
from tournament.standings.standings import Standings
from tournament.store.writer import Writer

_SUMMARY_SECONDS = 5.0
# Ranking takes long in large fields, and so do summaries of many parts. The next ones wait for this many times as long.
_PAUSE_FACTOR = 20


class LiveStandings:
    """Standings of a run while it plays.

    Attributes:
        played: Committed batches when they were last ranked, sorted by name.
        ranking: Latest standings. It isn't set before the first update.
    """

    ranking: Standings

    def __init__(self, contest: Contest, writer: Writer) -> None:
        self._contest, self._writer = contest, writer
        self.played = writer.batches()
        self._ranked = self._summarised = -math.inf
        self._ranking_seconds = self._summary_seconds = 0.0
        self._ranked_changes = self._summarised_changes = self._legs_written_changes = -1

    def update_if_due(self) -> None:
        """Rank and summarise, unless that was done a short time ago.

        The pause is twenty times as long as the last ranking took. Summaries also wait for at least five seconds.

        Raises:
            OSError: A summary can't be written.
            RunError: The object store's request fails.
        """
        now = time.perf_counter()
        if now - self._ranked <= _PAUSE_FACTOR * self._ranking_seconds:
            return
        self._rank()
        if now - self._summarised > max(_SUMMARY_SECONDS, _PAUSE_FACTOR * self._summary_seconds):
            self._summarise()

    def update_now(self) -> None:
        """Rank and summarise what is committed, unless that was done. A run that isn't the writer any more only ranks.

        Raises:
            OSError: A summary can't be written.
            RunError: The object store's request fails.
        """
        changes = self._writer.changes
        if self._ranked_changes != changes:
            self._rank()
        if self._writer.storage.still_held():  # a new writer writes its own
            if self._summarised_changes != changes:
                self._summarise()
            if self._legs_written_changes != changes:
                self._write_leg_summaries()
                self._legs_written_changes = changes

    def _write_leg_summaries(self) -> None:
        """Write the tables of legs and faults of the batches in `played`.

        Raises:
            OSError: They can't be written.
            RunError: The object store's request fails.
        """
        from tournament.store.summary_parts import write_leg_summaries  # pyarrow, which a field doesn't need

        field = self._writer.field
        assert field is not None
        per_replica = 1 if field.house_numbers else legs_per_replica(field.settings, self.ranking.seats)
        write_leg_summaries(self._writer.storage, self.played, per_replica)

    def _rank(self) -> None:
        """Compute the standings of what is committed, and record how long that took."""
        field, began = self._writer.field, time.perf_counter()
        assert field is not None
        self.played = self._writer.batches()
        self.ranking = rank_contest(self._contest, field, self.played)
        self._ranked, self._ranked_changes = time.perf_counter(), self._writer.changes
        self._ranking_seconds = self._ranked - began

    def _summarise(self) -> None:
        """Write the summaries of the latest standings, and record how long that took.

        Raises:
            OSError: They can't be written.
            RunError: The object store's request fails.
        """
        began = time.perf_counter()
        write_summaries(self._writer.storage, self.ranking)
        self._summarised, self._summarised_changes = time.perf_counter(), self._ranked_changes
        self._summary_seconds = self._summarised - began
