"""Playing what is left of a schedule: tasks out, receipts in, commits."""

from __future__ import annotations

import dataclasses
import gc
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.leg import Leg
from tournament.runner.compaction import commit_played
from tournament.runner.executors import Executors
from tournament.runner.executors.cluster_nodes import ClusterState
from tournament.runner.listener import Progress, ProgressListener
from tournament.runner.live_standings import LiveStandings
from tournament.runner.pace import Pace
from tournament.runner.plan import new_pace, starts_per_leg
from tournament.runner.schedule.counting import Reconciliation
from tournament.runner.schedule.fixtures import Replicas
from tournament.runner.schedule.legs import Schedule
from tournament.runner.tasks import TaskQueue
from tournament.store.field import ContestSetup, FailedLeg, Origin
from tournament.store.legs import Legs
from tournament.store.writer import Writer
from tournament.worker.batch import Receipt, Task

if TYPE_CHECKING:
    from tournament.worker.processes.leg_queue import BrokenLegs


@dataclass(frozen=True)
class Run:
    """The common data of a run's rounds, including what counts of interrupted legs.

    Attributes:
        contest: The contest.
        config: Settings of the folder.
        writer: Writer of the records.
        field: The field to play.
        schedule_with: Called with the replicas of each match; returns the field's schedule. It can raise InputError.
        artifacts: Contents of bots and house players, by sha256.
        listener: Receives messages and progress.
        executors: Has the executor that plays.
        last: Names of bots whose legs go out after all others. Empty by default.
        broken: What counts of interrupted legs, by digest. Rounds add to this dictionary and remove from it.
    """

    contest: Contest
    config: Config
    writer: Writer
    field: ContestSetup
    schedule_with: Callable[[Replicas], Schedule]
    artifacts: Mapping[str, bytes]
    listener: ProgressListener
    executors: Executors
    last: Set[str] = frozenset()
    broken: BrokenLegs = dataclasses.field(default_factory=dict)


class RoundPlay:
    """Plays the legs of a schedule that are left.

    Attributes:
        disqualified: Whether a bot was disqualified. Then fewer legs count than were played, or skipped ones do.
        set_aside: Reasons why bots can't play on, by name. Empty if all can.
        failed: Legs in which the contest's rules failed, in the order of their receipts. Their matches stop.

    Args:
        run: Data of the run.
        schedule: Schedule of the round.
        reconciliation: The records compared with the schedule. Playing updates it.
        standings: Live standings of the records.
        is_edit: Whether the field differs from that of the records.
    """

    def __init__(
        self,
        run: Run,
        schedule: Schedule,
        reconciliation: Reconciliation,
        standings: LiveStandings,
        *,
        is_edit: bool = False,
    ) -> None:
        self.disqualified = False
        self.set_aside: dict[str, str] = {}
        self.failed: list[FailedLeg] = []
        self._run, self._schedule, self._standings = run, schedule, standings
        self._origin = run.field.origin
        self._settings, self._sandbox = run.config.contest.for_workers(), run.config.sandbox.model_dump()
        self._reconciliation = reconciliation
        self._are_few = is_edit and len(reconciliation.missing) <= reconciliation.done

    def play(self) -> None:
        """Play and commit, and measure the pace. What has been committed stays if an exception is raised.

        Raises:
            InputError: The user can fix the problem: Ray can't be reached, no machine can play, or too few files can be
                open.
            RunError: A machine can't play, workers were lost, or another process has become the writer.
            OSError: Parts can't be written.
            ValueError: Legs of the joined batch couldn't be read again.
        """
        contest, config, listener = self._run.contest, self._run.config, self._run.listener
        left, sessions = self._reconciliation, self._schedule.sessions_per_leg
        starts = starts_per_leg(self._schedule, self._run.artifacts, config.sandbox.legs_per_process)
        seconds = new_pace(contest, config, 1, sessions, starts).seconds_for(left.inline, left.in_lanes)
        games = len(left.missing) * sessions * contest.estimates.games(config.contest)
        executors, size = self._run.executors, games * contest.estimates.bytes
        executor = executors.chosen(config.general, seconds, size, listener.on_message)
        if left.in_lanes and executor.name == "local":
            from tournament.runner.leg_room import check_room  # only processes need it

            check_room(self._schedule.matches(), config.contest.memory_megabytes, config.sandbox, listener.on_message)
        waited_before = executor.waited
        pace = new_pace(contest, config, executor.workers, sessions, starts)
        pace.learn(self._standings.played)
        self._to_play = TaskQueue(self._schedule, left, pace, self._plays_no_more, self._run.last)
        receipts = executor.play(self._next_task, self._run.artifacts)
        # All present objects stay until the end of play, so the collector doesn't have to visit them repeatedly.
        gc.freeze()
        try:
            for several in receipts:
                for receipt in several:
                    self._set_aside_failures(receipt)
                    self._run.broken.update(receipt.broken)
                    if receipt.batches:
                        pace.note(receipt)
                self._commit(several)
                pace.workers, pace.waited = executor.workers, executor.waited - waited_before
                self._standings.update_if_due()
                listener.on_progress(self._progress(pace, executor.cluster))
        except BaseException:
            receipts.close()
            executors.close()
            raise
        finally:
            receipts.close()
            gc.unfreeze()

    def _next_task(self) -> Task | None:
        """Return the next task, or None if no leg is left."""
        legs = self._to_play.next_task()
        if not legs:
            return None
        broken, digests = self._run.broken, [leg.digest for leg in legs]
        contest, location = self._run.contest, self._run.writer.storage.location
        return Task(
            contest.name,
            self._settings,
            self._sandbox,
            location,
            legs,
            self._make_origin(legs),
            contest.rules,
            contest.requires,
            source=contest.source,
            broken={digest: broken.pop(digest) for digest in digests if digest in broken},
        )

    def _make_origin(self, legs: Sequence[Leg]) -> Origin:
        """Return the versions of a task's players, for the records."""
        names = {seat.name for leg in legs for seat in leg.seats}
        return self._origin.for_players(names, {leg.house.name for leg in legs if leg.house})

    def _plays_no_more(self) -> tuple[set[str], set[int]]:
        """Return the names of bots and the numbers of matches of which no more legs are played."""
        return {*self.set_aside}, {leg.match for leg in self.failed}

    def _set_aside_failures(self, receipt: Receipt) -> None:
        """Set aside bots that can't be played on and matches in which the rules failed.

        There is a message for each bot, but only for the first leg in which the rules failed.
        """
        for failed in receipt.failed:
            if not self.failed:
                self._run.listener.on_message(f"the rules failed in {failed}; this match is set aside")
            self.failed.append(failed)
        for trouble in receipt.troubles:
            for name in trouble.names:
                if name not in self.set_aside:
                    self._run.listener.on_message(f"{name} is set aside in this run: {trouble.reason}")
                self.set_aside[name] = trouble.reason

    def _commit(self, receipts: Sequence[Receipt]) -> None:
        """Commit the batches of receipts together, because putting a folder on disk takes as long for one as for many.

        Raises:
            RunError: A part isn't as it was written, or another process has become the writer.
            OSError: A part can't be published.
            ValueError: Legs of the joined batch couldn't be read again.
        """
        batches = [batch for receipt in receipts for batch in receipt.batches]
        commit_played(
            self._run.contest, self._run.writer, batches, self._schedule.sessions_per_leg, are_few=self._are_few
        )
        legs = Legs.joined(batch.legs for batch in batches)
        self._reconciliation.note(legs)
        self.disqualified |= any(rest.disqualified_seats for rest in legs.rare_fields)

    def _progress(self, pace: Pace, cluster: ClusterState | None) -> Progress:
        """Return the progress of the run. It can also have played legs that don't count.

        Args:
            pace: The measured speed.
            cluster: State of the joined cluster; None if there is none.
        """
        reconciliation = self._reconciliation
        remaining_seconds = (
            0.0
            if reconciliation.done >= reconciliation.total
            else pace.seconds_for(reconciliation.inline, reconciliation.in_lanes)
        )
        ranking = self._standings.ranking
        return Progress(
            reconciliation.done, reconciliation.total, pace.games, pace.seconds, remaining_seconds, ranking, cluster
        )
