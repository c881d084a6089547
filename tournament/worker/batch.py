"""Plays a batch of legs on a worker, and writes its parts to staging."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from engine.kernel.records import Table
from tournament.artifacts.limits import BOT_STACK
from tournament.cache import cache_folder
from tournament.containment import BotTrouble
from tournament.contests import find_contest
from tournament.contests.contest import Contest, LegsLuck
from tournament.contests.rules_loader import Source, load_source
from tournament.contests.settings import ContestSettings
from tournament.leg import PROCESSES, Leg, legs_per_replica
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import NAME, ROWS_PER_BUFFER, Column, buffer_fields
from tournament.store.field import Batch, FailedLeg, Origin, new_batch_name
from tournament.store.legs import Legs
from tournament.store.parquet_file import Runs
from tournament.store.part_writer import PartWriter, finish_batch, origin_metadata
from tournament.store.storage import Storage, open_storage, staged_name
from tournament.worker.faults import DisqualificationTracker, Stopped
from tournament.worker.leg import Outcome, RulesFailed, ShortLegs, leg_values, legs_of, play_leg
from tournament.worker.processes.spool import Spool

if TYPE_CHECKING:
    from tournament.worker.processes.leg_in_play import PlayedLeg
    from tournament.worker.processes.leg_queue import BrokenLegs

# Memory of a worker itself, and usually of each bot's process.
_WORKER_MEGABYTES, _PROCESS_MEGABYTES = 400, 16


@dataclass(frozen=True)
class Task:
    """Legs to play, with all that they need, and the place of their parts.

    Attributes:
        contest: Name of the contest.
        settings: Keys of the contest's settings, with their values. It must not be changed.
        sandbox: Keys of the table [sandbox], with their values. It must not be changed.
        location: Folder or URL of the results, in which the parts are staged.
        legs: The legs, in any order, at least one.
        origin: The versions that play the legs, for the records.
        rules: Name of the contest's rules, "" if they have the contest's name.
        requires: Names and versions of the packages on which the contest's games depend. By default there are none.
        source: Place of rules that are from a user's file or a package; None for the project's own, the default.
        broken: What counts of legs that were interrupted in other tasks, by digest. Empty by default. It must not be
            changed.
    """

    contest: str
    settings: dict[str, Any]
    sandbox: dict[str, Any]
    location: str
    legs: tuple[Leg, ...]
    origin: Origin
    rules: str = ""
    requires: tuple[tuple[str, str], ...] = ()
    source: Source | None = None
    broken: BrokenLegs = field(default_factory=dict)

    @property
    def memory_bytes(self) -> int:
        """Bytes to keep free: the limits and stacks of WebAssembly bots, and the usual memory of processes.

        The processes of one leg can take all that they are allowed. With less memory, fewer play at the same time.
        """
        from tournament.worker.processes.pool import MAX_PROCESSES

        processes = sum(seat.kind in PROCESSES for leg in self.legs for seat in leg.seats)
        usually = (min(processes, MAX_PROCESSES) * _PROCESS_MEGABYTES) << 20
        return self._inside + max(usually, self._of_a_leg)

    @property
    def least_memory_bytes(self) -> int:
        """Bytes with which legs with processes can be played one at a time, or 0 without such legs."""
        return self._of_a_leg and self._inside + self._of_a_leg

    @property
    def _inside(self) -> int:
        """Bytes of the worker itself, with the WebAssembly bots of the leg that has most of them."""
        modules = max(sum(seat.kind == "wasm" for seat in leg.seats) for leg in self.legs)
        return (_WORKER_MEGABYTES + modules * (self._bots_megabytes + (BOT_STACK >> 20))) << 20

    @property
    def _of_a_leg(self) -> int:
        """Maximum bytes that the processes of one leg are allowed, 0 if no leg has processes."""
        from tournament.worker.processes.pool import most_bytes_of

        sandbox = SandboxSettings.model_validate(self.sandbox)
        return max(
            sum(most_bytes_of(seat.kind, self._bots_megabytes, sandbox) for seat in leg.seats) for leg in self.legs
        )

    @property
    def _bots_megabytes(self) -> int:
        """Memory of a bot by the settings, in MiB."""
        return int(self.settings["memory_megabytes"])


@dataclass(frozen=True)
class Trouble:
    """The bots that can be the cause of a second failure outside of the game, and its reason. See BotTrouble.

    Attributes:
        names: Names of the bots. One of several bots can be the cause alone.
        reason: The reason as one line.
    """

    names: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Receipt:
    """A played task.

    Attributes:
        batches: The batch, ready to commit, or an empty tuple if no leg was played.
        seconds: Wall-clock seconds of the play, without finishing the parts.
        seconds_in_lanes: The part of these seconds that legs with processes took.
        games_in_lanes: Games of legs with processes.
        legs_in_lanes: Number of these legs.
        troubles: Bots that failed twice for a reason outside of the game, in the order of these failures. Some of
            their legs may have been played.
        failed: Legs in which the rules failed, in the order of the failures. Further legs of these matches may be
            missing.
        broken: What counts of legs that were interrupted, by digest. Without legs with processes it is empty.
    """

    batches: tuple[Batch, ...]
    seconds: float
    seconds_in_lanes: float = 0.0
    games_in_lanes: int = 0
    legs_in_lanes: int = 0
    troubles: tuple[Trouble, ...] = ()
    failed: tuple[FailedLeg, ...] = ()
    broken: BrokenLegs = field(default_factory=dict)


@dataclass
class ParquetSink:
    """A sink that writes rows to the parts of a batch, and computes each leg's luck if the contest corrects for it.

    Attributes:
        games: Rows of games that aren't written yet.
        sessions: Rows of sessions that aren't written yet.
        name: Name of the batch.
        games_part: The part of games. The caller finishes or abandons it.
        sessions_part: The part of sessions. The caller finishes or abandons it.
        contest: The contest.
        luck: Luck of the legs; None if the contest doesn't correct for it.
    """

    games: Table
    sessions: Table
    name: str
    games_part: PartWriter
    sessions_part: PartWriter
    contest: Contest
    luck: LegsLuck | None  # luck of the legs, if the contest corrects for it
    _legs: list[tuple[Leg, int, int]] = field(init=False, default_factory=list)  # first rows
    _written: int = field(init=False, default=0)  # legs of these whose rows are written, 0 or 1

    def clear(self) -> None:
        """Write the rows to the parts, and empty the tables. The legs of written rows can't be taken back.

        Raises:
            OSError: The parts can't be written.
        """
        self._show_luck()
        values = [leg_values(leg) for leg, _, _ in self._legs]
        first_games = [first for _, first, _ in self._legs]
        first_sessions = [first for _, _, first in self._legs]
        self._append(self.games_part, self.games, self.contest.games, values, first_games)
        self._append(self.sessions_part, self.sessions, self.contest.sessions, values, first_sessions)
        self._legs = [(leg, 0, 0) for leg, _, _ in self._legs[-1:]]
        self._written = len(self._legs)

    def _append(
        self,
        part: PartWriter,
        table: Table,
        columns: Sequence[Column],
        values: Sequence[dict[str, str | int]],
        first_rows: Sequence[int],
    ) -> None:
        """Write a table's rows to a part, with the columns whose values are constant in a leg, and empty the table.

        Args:
            part: The part.
            table: The table, whose rows are in the order of the legs.
            columns: All columns of the part.
            values: Values of these constant columns by name, for each leg.
            first_rows: Index of each leg's first row, in the order of the legs.

        Raises:
            OSError: The part can't be written.
        """
        rows = table.rows
        ends = np.array([*first_rows, rows], np.int64)
        lengths = ends[1:] - ends[:-1]
        nonempty = np.flatnonzero(lengths)
        added: dict[str, Runs] = {}
        for column in columns:
            if column.of_leg:
                added[column.name] = Runs.from_runs([one[column.name] for one in values], nonempty, lengths[nonempty])
            elif column.dtype == NAME:
                names = [name for leg, _, _ in self._legs for name in leg.names]
                width = len(names) // max(len(values), 1)
                name_index = np.repeat(np.arange(len(values)) * width, lengths)
                name_index += table.arrays[column.name][:rows].astype(int)
                starts = np.flatnonzero(np.diff(name_index, prepend=-1))
                added[column.name] = Runs.from_runs(names, name_index[starts], np.diff(starts, append=rows))
        part.append({**table.arrays, **added}, rows)
        table.rows = 0

    def begin(self, leg: Leg) -> None:
        """Start a leg, to which the next rows belong."""
        self._legs.append((leg, self.games.rows, self.sessions.rows))

    def take_back(self) -> bool:
        """Forget the rows of the leg that began last, and return whether that was possible.

        It isn't if some of its rows might be written, or no leg began. Then nothing changes.
        """
        if len(self._legs) <= self._written:
            return False
        _, self.games.rows, self.sessions.rows = self._legs.pop()
        return True

    def _show_luck(self) -> None:
        """Add the games in the table to the legs' luck, if the contest corrects for it. Otherwise do nothing."""
        if not self.luck or not self.contest.luck:
            return
        rows, began = self.games.rows, self._legs[self._written :]
        games = {name: _without_bool(self.games.arrays[name][:rows]) for name in self.contest.luck.columns}
        self.luck.add(games, [first for _, first, _ in began], [leg.plan.first_session for leg, _, _ in began])

    def abandon(self) -> None:
        """Delete both parts, even if they are finished."""
        self.games_part.abandon()
        self.sessions_part.abandon()


_AT_ANY_TIME = nullcontext()


def play_task(
    task: Task,
    artifacts: Mapping[str, bytes],
    stopping: Callable[[], bool] = lambda: False,
    turn: AbstractContextManager[object] = _AT_ANY_TIME,
) -> Receipt:
    """Play a task during its `turn`. While its parts are written to disk, another task can play.

    A leg in which a bot failed for a reason outside of the game begins again, once. If the bot fails again, only the
    others' legs are played. Rules that fail affect only their match.

    Args:
        task: The task.
        artifacts: Contents of bots and house players, by sha256.
        stopping: Returns whether the run is stopping. By default it never is.
        turn: Entered while the task plays, and left before its parts are finished. By default it can play at any time.

    Returns:
        The receipt. It has no batch if no leg could be played. Otherwise the parts are in staging, to be committed.

    Raises:
        OSError: Parts or spooled rows can't be written. As for the other errors, no part remains.
        ValueError: The parts couldn't be read again, or the rules refuse the settings.
        Stopped: The run is stopping.
        InputError: This machine can't confine a bot, or can't load the contest's rules. Or the location is an invalid
            URL.
        RunError: This machine can't play, or the object store's request fails.
    """
    contest = load_source(task.source).named(task.contest) if task.source else find_contest(task.contest, task.rules)
    settings = contest.settings.model_validate(task.settings)
    contest = contest.seated(len(task.legs[0].seats)).under(settings)
    storage = open_storage(task.location)
    games, sessions = (Table(buffer_fields(columns), ROWS_PER_BUFFER) for columns in (contest.games, contest.sessions))

    def open_sink() -> ParquetSink:
        """Return a sink with new parts.

        Raises:
            OSError: The parts can't be created.
        """
        luck = contest.luck.new(settings) if contest.luck else None
        return ParquetSink(games, sessions, *_open_parts(contest, storage, task.legs[0]), contest, luck)

    sink = open_sink()  # fails before play if the disk is full
    lanes, disqualifications, troubles = _Lanes(), DisqualificationTracker(task.legs), _Troubles()
    short = ShortLegs(contest, settings, artifacts, stopping)
    in_order = sorted(task.legs, key=lambda leg: (leg.plan.match, leg.plan.number))

    def play() -> Legs | None:
        """Play the legs, and return those that were played, in the order of match and number.

        Returns:
            The legs, or None if all must be played again. Then the parts have rows of a leg that broke off, or the
            rules gave points that no record holds.

        Raises:
            OSError: The parts can't be written.
            Stopped: The run is stopping.
            RunError: This machine can't play.
        """
        played: list[Outcome] = []
        for leg in in_order:
            while disqualifications.plays(leg) and not troubles.concern(leg):
                sink.begin(leg)
                measures_bots = not troubles.suspects.isdisjoint(leg.names)
                try:
                    if leg.has_processes:
                        outcome = lanes.take(leg, sink)
                    else:
                        kept = None if measures_bots else short.play(leg, sink)
                        outcome = kept or play_leg(
                            contest, settings, leg, artifacts, sink, stopping, measures_bots=measures_bots
                        )
                except (BotTrouble, RulesFailed) as trouble:
                    if isinstance(trouble, BotTrouble):
                        troubles.note(trouble)
                    else:
                        troubles.note_failure(leg, trouble)
                    if not sink.take_back():
                        return None
                else:
                    disqualifications.note(leg, outcome.rest.disqualified_seats)
                    played.append(outcome)
                    break
        sink.clear()
        try:
            per_deal = legs_per_replica(task.settings, len(task.legs[0].seats))
            return legs_of(contest, played, sink.luck.blocks() if sink.luck else None, per_deal)
        except RulesFailed as failure:
            troubles.note_failure(next(leg for leg in in_order if leg.plan.match == failure.failed.match), failure)
            return None

    try:
        with closing(lanes.spool):
            with turn:
                if stopping():
                    raise Stopped
                started = time.perf_counter()
                lanes.play(task, disqualifications, troubles, contest, settings, artifacts, stopping)
                while (played := play()) is None:
                    # The leg's rows go, and with them the part, which is played again.
                    sink.abandon()
                    games.rows = sessions.rows = 0
                    sink = open_sink()
                seconds = time.perf_counter() - started
            batches = _finished(task, sink, played, lanes.sandbox)
    except BaseException:
        sink.abandon()
        raise
    lane_totals = lanes.seconds, lanes.games, lanes.legs
    return Receipt(batches, seconds, *lane_totals, tuple(troubles.all), tuple(troubles.failed), lanes.broken)


class _Troubles:
    """Bots of a task that failed for reasons outside of the game, and matches in which the rules failed.

    Attributes:
        all: The second failures of bots, in the order in which they came.
        failed: Legs in which the rules failed, in this order, too.
        suspects: Names of bots that failed at least once, alone or with others.
    """

    def __init__(self) -> None:
        self.all: list[Trouble] = []
        self.failed: list[FailedLeg] = []
        self.suspects: set[str] = set()
        self._names: set[str] = set()
        self._matches: set[int] = set()

    def note(self, trouble: BotTrouble) -> None:
        """Record that a leg broke off because of one of these bots.

        If all of them were suspects before, it is their trouble, and none of them plays on. From now on all of them are
        suspects.
        """
        if self.suspects.issuperset(trouble.names):
            self.all.append(Trouble(trouble.names, trouble.reason))
            self._names.update(trouble.names)
        self.suspects.update(trouble.names)

    def note_failure(self, leg: Leg, failure: RulesFailed) -> None:
        """Record that the rules failed in a leg, so that no further leg of its match is played."""
        self.failed.append(failure.failed)
        self._matches.add(leg.plan.match)

    def concern(self, leg: Leg) -> bool:
        """Return whether a leg has a bot in trouble, or a match in which the rules failed."""
        return leg.plan.match in self._matches or not self._names.isdisjoint(leg.names)


class _Lanes:
    """A task's legs with processes, all played before the others.

    Attributes:
        spool: Rows of the legs.
        played: The played legs, by digest.
        broken: What counts of legs that were interrupted, by digest.
        sandbox: Mode of the sandbox, "" if there are no such legs.
        seconds: Wall-clock seconds of all the legs.
        games: Number of their games.
        legs: Number of played legs.
    """

    def __init__(self) -> None:
        self.spool = Spool()
        self.played: dict[str, PlayedLeg] = {}
        self.broken: BrokenLegs = {}
        self.sandbox, self.seconds, self.games, self.legs = "", 0.0, 0, 0

    def play(
        self,
        task: Task,
        disqualification: DisqualificationTracker,
        troubles: _Troubles,
        contest: Contest,
        settings: ContestSettings,
        artifacts: Mapping[str, bytes],
        stopping: Callable[[], bool],
    ) -> None:
        """Play the legs with processes, and spool their rows. Legs of bots in trouble are left out.

        Args:
            task: The task.
            disqualification: Receives disqualifications, after which later legs aren't played.
            troubles: Receives failures outside of the game, and legs in which the rules failed.
            contest: The contest under the task's settings.
            settings: The contest's settings.
            artifacts: Contents of bots and house players, by sha256.
            stopping: Returns whether the run is stopping.

        Raises:
            OSError: The rows can't be spooled.
            Stopped: The run is stopping.
            InputError: This machine can't confine a bot.
            RunError: This machine can't play.
        """
        legs = [leg for leg in task.legs if leg.has_processes]
        if not legs:
            return
        # Imported here: a task without processes needs none of it.
        from tournament.sandbox.outside import probe
        from tournament.worker.processes.lanes import play_in_lanes

        started = time.perf_counter()
        sandbox = SandboxSettings.model_validate(task.sandbox)
        probe.probe_sandbox(sandbox.mode)
        self.sandbox = sandbox.mode
        self.broken = dict(task.broken)
        lane_args = (
            artifacts,
            cache_folder(),
            self.spool,
            stopping,
            disqualification,
            self.broken,
            None,
            troubles.note_failure,
        )
        while legs:
            try:
                for one in play_in_lanes(
                    contest, settings, sandbox, legs, *lane_args, measures_bots=bool(troubles.suspects)
                ):
                    self.played[one.outcome.leg.digest] = one
                break
            except BotTrouble as trouble:  # the legs that it broke off begin again
                troubles.note(trouble)
                legs = [leg for leg in legs if leg.digest not in self.played and not troubles.concern(leg)]
        self.legs = len(self.played)
        self.games = sum(one.outcome.games for one in self.played.values())
        self.seconds = time.perf_counter() - started

    def take(self, leg: Leg, sink: ParquetSink) -> Outcome:
        """Return the outcome of a played leg, with an equal share of all legs' time, and put its rows into the sink.

        The leg must have been played.

        Args:
            leg: The leg.
            sink: Receives the rows, and is cleared whenever a table is full.

        Raises:
            OSError: The spool can't be read, or the parts not written.
        """
        played = self.played[leg.digest]
        played.rows.replay_into(sink)
        played.outcome.seconds = self.seconds / self.legs
        return played.outcome


def _finished(task: Task, sink: ParquetSink, legs: Legs, confined_by: str) -> tuple[Batch, ...]:
    """Return the batch after its parts are on disk, or an empty tuple if no leg was played. Then the parts are deleted.

    Args:
        task: The task.
        sink: The sink with the parts.
        legs: The played legs.
        confined_by: Mode of the sandbox, "" if no bot was a process.

    Raises:
        OSError: The parts can't be written.
        ValueError: The parts couldn't be read again.
        RunError: The object store's request fails.
    """
    if not len(legs):
        sink.abandon()
        return ()
    return (finish_batch(sink.games_part, sink.sessions_part, legs, task.origin, confined_by, sink.name),)


def _without_bool(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return an array whose truth values are bytes of 0 and 1. They share its memory. Other types stay."""
    return values.view(np.uint8) if values.dtype == bool else values


def _open_parts(contest: Contest, storage: Storage, first: Leg) -> tuple[str, PartWriter, PartWriter]:
    """Return the name of a new batch, from its first leg, and its empty parts of games and of sessions.

    Raises:
        OSError: The parts can't be created.
    """
    name = new_batch_name(first.plan.match, first.plan.number)
    staged = staged_name(name)
    origin = origin_metadata(contest.name, contest.engine_version)
    games = PartWriter(storage, "games", contest.games, "", f"{staged}-games", origin)
    try:
        return name, games, PartWriter(storage, "sessions", contest.sessions, "", f"{staged}-sessions", origin)
    except BaseException:
        games.abandon()
        raise
