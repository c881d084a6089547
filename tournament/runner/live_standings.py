"""The standings of what a run has committed, and their summaries, worked out now and then while it plays."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from tournament.contests.contest import Contest
from tournament.records.results import standings_of, write_summaries
from tournament.standings.standings import Standings
from tournament.store.ledger import Batch
from tournament.store.writer import Writer

_SUMMARY_SECONDS = 5.0
# Ranking takes long in large fields, and summaries of many parts: the next wait for this many times as long.
_REST = 20


class LiveStandings:
    """`played`: the batches that count. `ranking`: the latest standings, from the first that were asked for on."""

    ranking: Standings

    def __init__(self, contest: Contest, writer: Writer) -> None:
        self._contest, self._writer = contest, writer
        self.played = writer.standing()
        self._ranked = self._summarised = -math.inf
        self._ranking_seconds = self._summary_seconds = 0.0
        self._ranked_entries = self._summarised_entries = -1

    def note(self, committed: Sequence[Batch], *, new_field: bool) -> None:
        """These batches are committed, the first ones of a new field or more of the same."""
        if new_field:
            self._summarised = -math.inf  # no reader may find the former bots' summaries beside these records
            self.played = self._writer.standing()
        else:
            self.played += committed

    def update_if_due(self) -> None:
        """Rank and summarise, unless that was done a short time ago."""
        now = time.perf_counter()
        if now - self._ranked <= _REST * self._ranking_seconds:
            return
        self._rank()
        if now - self._summarised > max(_SUMMARY_SECONDS, _REST * self._summary_seconds):
            self._summarise()

    def update_now(self) -> None:
        """Rank and summarise what is in place, unless that was done."""
        entries = self._writer.state.entries
        if self._ranked_entries != entries:
            self.played = self._writer.standing()
            self._rank()
        if self._summarised_entries != entries and self._writer.storage.still_held():  # a new writer writes its own
            self._summarise()

    def _rank(self) -> None:
        field, began = self._writer.state.field, time.perf_counter()
        assert field is not None
        self.ranking = standings_of(self._contest, field, self.played)
        self._ranked, self._ranked_entries = time.perf_counter(), self._writer.state.entries
        self._ranking_seconds = self._ranked - began

    def _summarise(self) -> None:
        began = time.perf_counter()
        write_summaries(self._writer.storage, self.ranking)
        self._summarised, self._summarised_entries = time.perf_counter(), self._ranked_entries
        self._summary_seconds = self._summarised - began
