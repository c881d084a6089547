"""One contest from settings to standings."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.keys import master_key
from tournament.probation import entrants_of
from tournament.runner.archives import archive_other_records
from tournament.runner.counting import Counted, count_legs
from tournament.runner.executors import choose_executor
from tournament.runner.pace import Pace
from tournament.runner.planning import (
    artifacts_of,
    forecast_in_words,
    new_pace,
    noted_luck,
    round_to_play,
    schedule_of,
    until_of,
    workers_of,
)
from tournament.runner.preparing import Prepared, prepare_contest, trouble_explained
from tournament.runner.replicas import keeping_what_was_played
from tournament.runner.resume import field_of, lost_batches, withdraw, write_house_files
from tournament.runner.rewriting import fit_to_schedule, merge_small_batches
from tournament.runner.schedule import Schedule
from tournament.runner.seed import keep_seed
from tournament.runner.strays import remove_strays
from tournament.runner.tasks import LegsToPlay, groups_in_turn
from tournament.runner.watcher import Progress, Watcher
from tournament.standings.results import standings_of, write_summaries
from tournament.standings.standings import Standings
from tournament.standings.without_luck import LuckColumns, LuckOfLegs, by_digest, luck_of_batches, write_luck
from tournament.store.ledger import Field
from tournament.store.ledger_reading import standing_batches
from tournament.store.legs import Legs
from tournament.store.storage import open_storage
from tournament.store.writer import Writer, in_commits, open_for_writing, require_held
from tournament.worker.batch import Receipt, Task

_SUMMARY_SECONDS = 5.0


def run_contest(contest: Contest, config: Config, watcher: Watcher) -> Standings:
    """Play what is still to play and return the standings. Raises as its two halves do."""
    return run_prepared(prepare_contest(contest, config, watcher), watcher)


def run_prepared(prepared: Prepared, watcher: Watcher) -> Standings:
    """Play what is still to play and return the standings.

    Raises BadInput for what the user can mend, RunFailed when the run stopped
    short; what is committed by then stays, also after KeyboardInterrupt.
    """
    contest, config, entrants, house = prepared.contest, prepared.config, prepared.entrants, prepared.house
    location, seed = prepared.location, config.contest.seed
    assert seed is not None
    with trouble_explained(location):
        settings = prepared.settings
        archive_other_records(contest, location, settings, prepared.names, house, watcher.say)
        writer = open_for_writing(open_storage(location))
        try:
            for name in [*writer.mended, *keep_seed(writer.storage, seed)]:
                watcher.say(f"{name} was damaged or missing: it is back from its copy")
            remove_strays(writer, watcher.say)
            withdraw(writer, lost_batches(writer), watcher.say)
            wanted_field = field_of(contest, settings, entrants, house, writer.state.field, until_of(config.contest))
            schedule_with = partial(schedule_of, contest, config.contest.playing(), master_key(seed), wanted_field)
            write_house_files(contest, config.contest, writer, house)
            artifacts = artifacts_of(entrants, house)
            luck = noted_luck(writer.storage, contest) if config.contest.until_settled is None else None
            if contest.luck and luck is None:
                luck = {}  # by it orders are declared: it is worked out here
            begun = False
            pace: Pace | None = None
            while True:
                standing = standing_batches(writer.storage, writer.state)
                this = round_to_play(contest, config.contest, wanted_field, schedule_with, standing, luck)
                if this.verdicts:
                    watcher.say(this.said)
                schedule = keeping_what_was_played(schedule_with, this.replicas, standing)
                pace = pace or new_pace(contest, config, workers_of(config), schedule.sessions_per_leg)
                if forecast := forecast_in_words(this, schedule_with, standing, pace):
                    watcher.say(forecast)
                left = fit_to_schedule(contest, writer, schedule, watcher.say)
                field = wanted_field if wanted_field != writer.state.field else None
                if field and (writer.state.field is None or not len(left.missing)):
                    writer.commit(field=field)
                    field = None
                play = Play(contest, config, writer, schedule, artifacts, watcher, luck, left, field)
                standings, luck, pace = play.run(begun=begun), play.luck, play.pace
                if this.done and not play.disqualified:
                    return standings
                begun = True
        except FileNotFoundError:
            require_held(writer.storage)  # a new writer has removed what this one was writing
            raise
        finally:
            writer.close()


@dataclass
class Play:
    """Plays what is missing of a schedule. `luck` is the luck known so far, None where the contest has no correction.

    A new `field` waits for what is played first, and is one entry with it.
    `played` are the batches that count, `ranking` the latest standings. `disqualified`: a bot was, in a leg of this
    play, so what is to be played may be less than what was, or legs that were left may be wanted after all. `pace`: as
    it was measured, None where nothing was to be played.
    """

    contest: Contest
    config: Config
    writer: Writer
    schedule: Schedule
    artifacts: Mapping[str, bytes]
    watcher: Watcher
    luck: LuckOfLegs | None
    left: Counted
    field: Field | None
    pace: Pace | None = None

    def __post_init__(self) -> None:
        self.played = standing_batches(self.writer.storage, self.writer.state)
        self._resumes = bool(self.played)
        self.disqualified = False
        self._settings, self._sandbox = self.config.contest.for_workers(), self.config.sandbox.model_dump()
        self._luck_of_receipts: list[LuckColumns] = []
        self._passed = set(self.left.probation.proven)
        self._inline_left, self._in_lanes_left = self.left.inline, self.left.in_lanes

    def run(self, *, begun: bool) -> Standings:
        """Play, and return the standings; `begun`: this run has played a round before."""
        writer, left, sessions = self.writer, self.left, self.schedule.sessions_per_leg
        if not len(left.missing):
            self._work_out_luck()
        self.ranking = self._rank()
        self._summarise()
        if not len(left.missing):
            if not begun:
                self.watcher.say("Every match of these entrants is in the records; nothing to play")
            return self.ranking
        seconds = new_pace(self.contest, self.config, 1, sessions).seconds_for(left.inline, left.in_lanes)
        games = len(left.missing) * sessions * self.contest.estimates.games(self.config.contest)
        executor = choose_executor(self.config.general, seconds, games * self.contest.estimates.bytes, self.watcher.say)
        # Ranking takes long in large fields, and summaries of many parts, so the next ones wait for a multiple of that.
        self._ranked = self._summarised = time.perf_counter()
        self._ranking_seconds = self._summary_seconds = 0.0
        pace = self.pace = new_pace(self.contest, self.config, executor.workers, sessions)
        in_turn = groups_in_turn(self.schedule, executor.most_workers, self.artifacts, self.config.sandbox)
        self.to_play = LegsToPlay(self.schedule, left, pace, in_turn, lambda: self.left.probation.out)
        receipts = executor.play(self._next_task, self.artifacts)
        try:
            for several in receipts:
                for receipt in several:
                    pace.note(receipt)
                self._commit(several)
                pace.workers, pace.waited = executor.workers, executor.waited
                self._rank_now_and_then()
                self.watcher.on_progress(self._progress(pace))
            if self.field:  # nothing was played after all
                self._commit(())
            if self._resumes:  # so that a first run doesn't write twice
                merge_small_batches(self.contest, writer, self.schedule, self.watcher.say)
            writer.require_whole()
            self.played = standing_batches(writer.storage, writer.state)
            self._work_out_luck()
        finally:
            receipts.close()
            self.played = standing_batches(writer.storage, writer.state)  # rank what is in place
            self.ranking = self._rank()
            if writer.storage.still_held():  # a new writer writes its own
                self._summarise()
        return self.ranking

    def _next_task(self) -> Task | None:
        if (batches := self.to_play.next_task()) is None:
            return None
        names = {name for legs in batches for leg in legs for name in entrants_of(leg)}
        return Task(
            self.contest.name,
            self._settings,
            self._sandbox,
            self.writer.storage.location,
            batches,
            self.contest.rules,
            self.contest.requires,
            source=self.contest.source,
            on_trial=frozenset(names - self._passed),
        )

    def _commit(self, receipts: Sequence[Receipt]) -> None:
        """Commit receipts as few entries: to write one takes as long as to write many."""
        field, self.field = self.field, None
        first, *others = [*in_commits(batch for receipt in receipts for batch in receipt.batches)] or [()]
        committed = self.writer.commit(field=field, batches=first)
        for several in others:
            committed += self.writer.commit(batches=several)
        if field:
            self._summarised = -math.inf  # no reader may find the former bots' summaries beside these records
            self.played = standing_batches(self.writer.storage, self.writer.state)
        else:
            self.played += committed
        legs = Legs.joined(batch.legs for batch in committed)
        in_lanes = sum(receipt.legs_in_lanes for receipt in receipts)
        self._inline_left, self._in_lanes_left = (
            self._inline_left - len(legs) + in_lanes,
            self._in_lanes_left - in_lanes,
        )
        self._note(legs)
        for receipt in receipts:
            self.to_play.came_back(receipt.batches[0].legs)
        if self.luck is not None:
            for batch, points in zip(committed, (points for receipt in receipts for points in receipt.luck)):
                self._luck_of_receipts.append(by_digest(batch.legs, points))

    def _note(self, legs: Legs) -> None:
        """Keep up how many legs count, who has passed probation and who is out: the schedule says of whom that is."""
        seats = (legs.x,) if self.schedule.house else (legs.x, legs.y)
        at_fault = {seats[end][leg] for leg, end in enumerate(legs.ended_by) if end is not None}
        self.disqualified |= bool(at_fault)
        self._passed.update(*(seat[leg] for leg, end in enumerate(legs.ended_by) if end is None for seat in seats))
        probation = self.left.probation
        if at_fault <= probation.proven | probation.out:
            counts = (probation.out.isdisjoint(names) for names in zip(*seats))
            self.left.counting.update(digest for digest, one in zip(legs.digests, counts) if one)
        else:
            self.left = count_legs(self.played, self.schedule)
            self._inline_left, self._in_lanes_left = self.left.inline, self.left.in_lanes

    def _progress(self, pace: Pace) -> Progress:
        """How far the run is, of what was left to play."""
        left = self.left
        all_played = len(left.counting) >= left.total
        # A run may play legs that don't count.
        inline, in_lanes = max(0, self._inline_left), max(0, self._in_lanes_left)
        seconds_left = 0.0 if all_played else pace.seconds_for(inline, in_lanes)
        return Progress(len(left.counting), left.total, pace.games, pace.seconds, seconds_left, self.ranking)

    def _rank_now_and_then(self) -> None:
        now = time.perf_counter()
        if now - self._ranked <= 20 * self._ranking_seconds:
            return
        self.ranking = self._rank()
        self._ranked = time.perf_counter()
        self._ranking_seconds = self._ranked - now
        if now - self._summarised > max(_SUMMARY_SECONDS, 20 * self._summary_seconds):
            self._summarise()
            self._summarised = time.perf_counter()
            self._summary_seconds = self._summarised - self._ranked

    def _rank(self) -> Standings:
        field = self.writer.state.field
        assert field is not None
        return standings_of(self.contest, field, self.played, self.luck)

    def _summarise(self) -> None:
        write_summaries(self.writer.storage, self.ranking)

    def _work_out_luck(self) -> None:
        """Work out the luck in legs where it isn't known, from their games."""
        storage = self.writer.storage
        if self.luck is None:
            return
        before = LuckColumns.of(self.luck)
        known = LuckColumns.joined([*reversed(self._luck_of_receipts), before])
        self.luck = luck_of_batches(self.contest, self.config.contest, storage, self.played, known, self.watcher.say)
        if self.luck is not before:  # a process may have played a leg otherwise than before
            write_luck(storage, self.contest, self.luck)
