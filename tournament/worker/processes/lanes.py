"""Legs with bots that are processes: all legs of a batch played in step.

The legs of a Python bot share a process (`engine.processes.lanes` says why), one bot object each. That is only a faster
way to play. When a shared process fails, its legs begin again, each in its own process. Only a bot that fails there is
at fault. Programs always have a process for each leg.

Whenever a leg begins again, the answers that were given count again up to where it broke off. So a bot that causes
this, or its friend, gains nothing.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from engine.kernel.game_core import FAULT, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.kernel.records import Table
from engine.processes.channels import BOT_FAULTY, BOT_OUT_OF_MEMORY, CHANNEL_FAILED, WROTE_NO_ANSWER
from engine.processes.lanes import Lanes
from tournament.containment import BotTrouble, containing
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import TournamentError
from tournament.leg import Failure, Leg, memory_failure
from tournament.sandbox.outside.process_time import MachineBusyError
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.worker.faults import DisqualificationTracker, Stopped
from tournament.worker.leg import RulesFailed
from tournament.worker.processes.bot_process import BotProcess
from tournament.worker.processes.leg_in_play import OVER, LaneContext, LegInPlay, PlayedLeg, players_of
from tournament.worker.processes.leg_queue import BrokenLeg, BrokenLegs, LegQueue, WaitingLeg
from tournament.worker.processes.pool import Pool, StartProgram
from tournament.worker.processes.spool import Spool
from tournament.worker.wasm.stack import on_deep_stack

# Memory of the WebAssembly bots of all legs in play, unless one leg alone has more.
_MAX_MEMORY_OF_BOTS = 1 << 30
# Rows of the tables that a core writes into: few, so that those of thousands of legs stay in the processor's caches.
_ROWS = 16
_AUDIT_SECONDS = 0.05
# Between looks at the memory of WebAssembly bots, in times of what the last one took: with a thousand legs that is
# 20 ms, and several times as much on a busy core.
_MEMORY_PAUSE_FACTOR = 10
_KILLED = (
    "its process was killed from outside: this machine has too little memory (a lower memory_megabytes takes less), or"
    " something here ends processes"
)


class Caller(Protocol):
    """Plays the seats that are open in legs, and chooses the legs to play."""

    def note_begun(self, leg: LegInPlay) -> None:
        """Record a leg that is about to begin, with all its processes running. A leg that begins again comes again."""

    def next_leg(self, ended: Leg) -> Leg:
        """Return the leg to play after one that has ended. It is played from its beginning, after those that wait."""

    def note_refused(self, leg: Leg, why: str) -> None:
        """Record why the caller's answer in a leg is illegal, as text. The default answer counts in its place."""


OnFailure = Callable[[Leg, RulesFailed], None]  # Receives each leg in which the rules failed.


def play_in_lanes(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    legs: Sequence[Leg],
    artifacts: Mapping[str, bytes],
    cache: Path,
    spool: Spool,
    stopping: Callable[[], bool] = lambda: False,
    disqualification: DisqualificationTracker | None = None,
    broken: BrokenLegs | None = None,
    start_program: StartProgram | None = None,
    rules_failed: OnFailure | None = None,
    *,
    measures_bots: bool = False,
) -> Generator[PlayedLeg, None, None]:
    """Play legs in which at least one bot is a process.

    Closing the generator ends all processes, and adds the legs in play to `broken`.

    Args:
        contest: The contest.
        settings: The contest's settings.
        sandbox: Settings of the sandbox.
        legs: The legs. They begin in this order as far as possible.
        artifacts: Contents of bots and house players, by sha256.
        cache: Folder of the cache, into which programs are unpacked.
        spool: Receives the rows of the legs.
        stopping: Returns whether the run is stopping. By default it never is.
        disqualification: Records which bots are disqualified. Later legs of these bots are skipped. None to play all.
        broken: What counts of legs that broke off, by digest. Legs that break off here are added, and finished ones
            removed. None for no such legs.
        start_program: Starts programs in the place of their archives. Then no leg begins again because its process was
            killed from outside. None to start the archives' programs.
        rules_failed: Called with each leg in which the rules failed. The other legs of its match are then skipped. None
            to raise RulesFailed.
        measures_bots: Whether the time of each WebAssembly bot is measured.

    Yields:
        Each leg when it ends, in any order. Skipped legs aren't yielded.

    Raises:
        OSError: Rows can't be spooled, a program's file can't be read, or too many files are open.
        Stopped: The run is stopping.
        BotTrouble: A bot can't be played on, or its process was killed from outside twice in a leg. With
            `start_program` once is enough.
        RulesFailed: The rules failed in a leg, and there is no `rules_failed`.
        RunError: This machine can't run a bot.
        InputError: This machine can't confine a bot.
    """
    table = LegsInLanes(
        contest, settings, sandbox, legs, artifacts, cache, spool, stopping, disqualification, broken,
        start_program, rules_failed, measures_bots,
    )  # fmt: skip
    try:
        for played in table.play():
            assert played, "no seat is open"
            yield played
    finally:
        table.close()


class LegsInLanes:
    """Legs that are played in step, and their lanes. `close` must be called in the end.

    Attributes:
        lanes: The lanes of the legs in play.
        pool: The processes of their bots.

    Args:
        caller: Answers for open seats; None if no seat is open. The other arguments are those of `play_in_lanes`.
    """

    def __init__(
        self,
        contest: Contest,
        settings: ContestSettings,
        sandbox: SandboxSettings,
        legs: Sequence[Leg],
        artifacts: Mapping[str, bytes],
        cache: Path,
        spool: Spool,
        stopping: Callable[[], bool],
        disqualification: DisqualificationTracker | None,
        broken: BrokenLegs | None,
        start_program: StartProgram | None,
        rules_failed: OnFailure | None,
        measures_bots: bool,
        caller: Caller | None = None,
    ) -> None:
        interface = contest.interface
        self.lanes = Lanes(
            interface.view_size, interface.shapes, tells_values=interface.by_name, most_text=interface.most_json
        )
        self.pool = Pool(contest, settings, sandbox, artifacts, cache, self.lanes, start_program)
        tables = [Table(buffer_fields(columns), _ROWS) for columns in (contest.games, contest.sessions)]
        self._playing = LaneContext(
            contest, settings, artifacts, self.lanes, self.pool, spool, tables, stopping, measures_bots
        )
        legs = [leg.with_team_seats(contest.members) for leg in legs]
        self._queue = LegQueue(legs)
        self._by_lane: dict[int, LegInPlay] = {}
        self._done: list[PlayedLeg] = []
        self._disqualified, self._broken = disqualification, {} if broken is None else broken
        self._may_begin_again, self._rules_failed = start_program is None, rules_failed
        self._most_legs = len(legs)
        self._caller = caller
        self._has_modules = any(seat.kind == "wasm" for leg in legs for seat in leg.seats)

    @property
    def waiting(self) -> list[LegInPlay]:
        """The legs that wait for the caller's answer, in the order of `lanes.waiting`."""
        return [self._by_lane[lane] for lane in self.lanes.waiting]

    def play(self) -> Generator[PlayedLeg | None, None, None]:
        """Play all legs.

        Yields:
            Each leg when it ends, in any order, or None when all that are in play wait for the caller's answers.

        Raises:
            OSError: Rows can't be spooled, a program's file can't be read, or too many files are open.
            Stopped: The run is stopping.
            BotTrouble: A bot can't be played on, or its process was killed from outside twice in a leg.
            RulesFailed: The rules failed in a leg, and there is no `rules_failed`.
            RunError: This machine can't run a bot.
            InputError: This machine can't confine a bot.
        """
        run = self.pool.one_core.kept()(self.lanes.run)
        audited = memory_next = time.monotonic()
        pause = _AUDIT_SECONDS
        while self._queue or self._by_lane:
            self._admit()
            if self._by_lane:
                for event in on_deep_stack(run, _AUDIT_SECONDS) if self._has_modules else run(_AUDIT_SECONDS):
                    if name := self._name_of(*event[1:3]):  # None if the leg or process of this event has already ended
                        with self._containing(name, "what it did could not be judged"):
                            self._handle_event(*event)
            else:
                time.sleep(0.001)
            now = time.monotonic()
            if now - audited >= pause:
                elapsed, audited = now - audited, now
                pause = _AUDIT_SECONDS * random.uniform(0.5, 1.5)  # no bot knows when it is looked at
                if self._playing.stopping():
                    raise Stopped
                self.lanes.channels.drain_all()
                for process in list(self.pool.by_channel.values()):
                    if process.channel in self.pool.by_channel:
                        with self._containing(process.seat.name, "its time could not be taken"):
                            self._audit(process, elapsed)
                if (began := time.monotonic()) >= memory_next:
                    self._audit_memory()
                    ended = time.monotonic()
                    memory_next = ended + _MEMORY_PAUSE_FACTOR * (ended - began)
                self.pool.one_core.look(self.pool.python_loads())
            yield from self._done
            self._done.clear()
            if self._caller and self.lanes.waiting_count == len(self._by_lane) > 0:
                if self._queue:
                    self._admit()
                if self.lanes.waiting_count == len(self._by_lane):
                    yield None
                    audited = time.monotonic()  # The bots had nothing to do while the caller answered.

    def _containing(self, name: str, doing: str) -> AbstractContextManager[None]:
        """Return a context that turns unexpected errors into a BotTrouble of this bot. Expected ones pass through."""
        return containing(name, doing, Stopped, TournamentError, OSError)

    def _name_of(self, lane: int, channel: int) -> str | None:
        """Return the name of an event's bot, or None if neither its process nor its leg plays any more.

        Without a process this is the bot whose answer is pending.
        """
        if process := self.pool.by_channel.get(channel):
            return process.seat.name
        in_play = self._by_lane.get(lane)
        return in_play.leg.names[in_play.core.pending()[1]] if in_play else None

    def _admit(self) -> None:
        """Begin legs while there is room for the processes that they need.

        Raises:
            RulesFailed: The rules failed, and there is no `rules_failed`.
            BotTrouble: A bot failed for a reason outside of the game.
            Stopped: The run is stopping.
            InputError: The machine can't confine a process.
            RunError: The machine can't start one.
            OSError: Too many files are open.
        """
        while len(self._by_lane) < self._most_legs and (waiting := self._queue.take_next()):
            players = players_of(waiting)
            if not self.pool.reserve_memory_for(players):
                self._queue.put_back(waiting)
                return
            before = self._broken.get(waiting.leg.digest, BrokenLeg())
            try:
                in_play = LegInPlay(self._playing, waiting, players, before)
            except RulesFailed as failure:
                self.pool.give_back_room(players)
                self._set_match_aside(waiting.leg, failure)
            else:
                self._begin(in_play)

    def _begin(self, in_play: LegInPlay) -> None:
        """Start a leg's processes and open its lane. If the machine is busy, the leg waits until others have ended.

        Raises:
            MachineBusyError: The system starts no process, and no other leg is in play.
            InputError: The machine can't confine a process.
            RunError: The machine can't start one.
            BotTrouble: An error of our own prevents the start of one. It is a RunError.
            RulesFailed: The rules failed, and there is no `rules_failed`.
            OSError: Too many files are open, or rows can't be spooled.
        """
        try:
            for player in in_play.players:
                with self._containing(player.seat.name, "its process could not be started"):
                    in_play.seat(player)
        except MachineBusyError:
            self.pool.give_back_room(in_play.players)
            if not self._by_lane:
                raise
            self._queue.put_back(in_play.began)  # waits until others have ended
            self._most_legs = len(self._by_lane)
            return
        if self._caller:
            self._caller.note_begun(in_play)
        self._by_lane[in_play.open_lane()] = in_play
        if in_play.is_over:
            self._finish(in_play)

    def _handle_event(self, kind: int, lane: int, channel: int, text: str, printed: bytes) -> None:
        """Continue after an event of the lanes: what a process did, or what a leg needs.

        Args:
            kind: Kind of the event.
            lane: Number of the leg's lane, if the event has one.
            channel: Number of the process's channel, if the event has one.
            text: Description of a failure; "" if there is none.
            printed: The bot's output.

        Raises:
            OSError: Rows can't be spooled.
            Stopped: The run is stopping.
            RulesFailed: The rules failed, and there is no `rules_failed`.
            RunError: The machine is at fault, or a bot can't be played on.
        """
        process, in_play = self.pool.by_channel.get(channel), self._by_lane.get(lane)
        if kind in (CHANNEL_FAILED, WROTE_NO_ANSWER):
            if process:
                wrong = Failure(text, "line" if kind == WROTE_NO_ANSWER else "other") if text else None
                self._process_failed(process, wrong)
        elif in_play is None:
            pass
        elif kind == LEG_IS_OVER:
            self._finish(in_play)
        elif kind == RECORDS_ARE_FULL:
            in_play.keep_rows()
            self.lanes.resume(lane)
        elif kind == BOT_OUT_OF_MEMORY:
            assert process
            self._process_failed(process, memory_failure(self._playing.settings.memory_megabytes))
        elif kind == BOT_FAULTY and process:
            if not process.notes_prints:
                printed = self.lanes.channels.printed(channel)
            number = next(player.number for player in process.players if player.lane == lane)
            self._fault(in_play, number, Failure(text or "returned what can't be read"), printed)
        elif in_play.leg.seats[in_play.core.pending()[1]].kind == "caller":
            self._refuse_caller(in_play, text)
        else:
            assert kind == FAULT
            self._fault(in_play, *in_play.found_fault())

    def _refuse_caller(self, in_play: LegInPlay, text: str) -> None:
        """Continue with the default answer in place of an illegal one of the caller.

        Raises:
            RunError: The machine is at fault.
            Stopped: The run is stopping.
        """
        assert self._caller
        if not self.lanes.fails_again(in_play.lane):
            self._caller.note_refused(in_play.leg, text or in_play.found_fault()[1].what)
        if not self.lanes.resume_after_failure(in_play.lane):
            self.lanes.resume(in_play.lane, in_play.core.default())

    def _audit(self, process: BotProcess, elapsed: float) -> None:
        """Check a process's limits `elapsed` seconds after the last audit, and end it if it exceeds one.

        Raises:
            BotTrouble: The process was killed from outside for a second time in its leg.
        """
        if passed := process.audit(elapsed):
            self._process_failed(process, passed)

    def _process_failed(self, process: BotProcess, passed: Failure | None) -> None:
        """End a process that can't or must not continue, and record the fault or play its legs again.

        Args:
            process: The process. If it is shared, its legs begin again with processes of their own.
            passed: The limit that it exceeded, or what it did; None if it has ended.

        Raises:
            BotTrouble: The process was killed from outside for a second time in its leg, or no leg may begin again.
            InputError: The machine can't confine a new process.
            RunError: The machine can't start one.
            OSError: Rows can't be spooled, or too many files are open.
        """
        printed = self.lanes.channels.printed(process.channel)
        failure, players = process.failure(passed), list(process.players)
        for player in players:
            player.lose_process()
        self.pool.end(process, OVER)
        if process.shared_by and failure:
            self.pool.stop_sharing(process)
        for player in players:
            in_play = self._by_lane[player.lane]
            if process.shared_by:
                in_play.began.alone.add(player.number)
                self._begin_again(in_play)
            elif failure:
                self._fault(in_play, player.number, failure, printed)
            elif in_play.tries > 1 or not self._may_begin_again:
                raise BotTrouble((player.seat.name,), _KILLED)
            else:
                self._begin_again(in_play)
                self._most_legs = max(1, len(self._by_lane))  # fewer simultaneous legs need less memory

    def _fault(self, in_play: LegInPlay, number: int, failure: Failure, printed: bytes = b"") -> None:
        """Record a fault of a seat's bot, and finish the leg if it doesn't continue.

        Raises:
            InputError: The machine can't confine a new process.
            RunError: The machine can't start one, or a bot can't be played on.
            RulesFailed: The rules failed, and there is no `rules_failed`.
            OSError: Rows can't be spooled, or too many files are open.
            Stopped: The run is stopping.
        """
        if not in_play.fault(number, failure, printed):
            self._finish(in_play)

    def _set_match_aside(self, leg: Leg, failure: RulesFailed) -> None:
        """Report a leg in which the rules failed, and play no more legs of its match.

        Raises:
            RulesFailed: There is no `rules_failed` to report to.
        """
        if self._rules_failed is None:
            raise failure
        self._rules_failed(leg, failure)
        self._play_only(lambda one: one.plan.match != leg.plan.match)

    def _finish(self, in_play: LegInPlay) -> None:
        """Take a finished leg's result, leave its lane, and drop later legs of bots that it disqualified.

        Raises:
            RulesFailed: The rules failed, and there is no `rules_failed`.
            BotTrouble: The faults can't be kept.
            OSError: The last rows can't be spooled.
        """
        try:
            played = in_play.result()
        except RulesFailed as failure:
            self._set_match_aside(in_play.leg, failure)
            return
        if self._caller:
            self._queue.add(WaitingLeg(self._caller.next_leg(in_play.leg)))
        self._leave(in_play, scores=True)
        self._broken.pop(in_play.leg.digest, None)
        self._done.append(played)
        self._queue.ended(in_play.leg)
        if self._disqualified:
            self._disqualified.note(in_play.leg, out := played.outcome.rest.disqualified_seats)
            if out:
                self._play_only(self._disqualified.plays)

    def _play_only(self, plays: Callable[[Leg], bool]) -> None:
        """Keep only the waiting legs that `plays` accepts, and break off all others in play."""
        self._queue.keep(plays)
        for in_play in [one for one in self._by_lane.values() if not plays(one.leg)]:
            self._break_off(in_play)

    def _begin_again(self, in_play: LegInPlay) -> None:
        """Break a leg off, to begin it again after the others."""
        self._break_off(in_play)
        self._queue.add(in_play.began)

    def _break_off(self, in_play: LegInPlay) -> None:
        """Drop a leg before its end, and keep what counts of it."""
        self._broken[in_play.leg.digest] = in_play.broken_off()
        self._leave(in_play)

    def _leave(self, in_play: LegInPlay, *, scores: bool = False) -> None:
        """Leave a leg's lane and processes. With `scores` programs receive their scores."""
        in_play.leave(more_come=self._queue.more_come, scores=scores)
        del self._by_lane[in_play.lane]

    def _audit_memory(self) -> None:
        """Break off the last legs, to begin again, while WebAssembly bots together take more than 1 GiB.

        One leg always stays. From then on no more legs are in play at once than have stayed.
        """
        taken = {leg: leg.seating.memory_bytes for leg in self._by_lane.values() if leg.seating}
        while len(taken) > 1 and sum(taken.values()) > _MAX_MEMORY_OF_BOTS:
            in_play, _ = taken.popitem()  # the last to begin
            self._begin_again(in_play)
            self._most_legs = len(self._by_lane)

    def close(self) -> None:
        """End all processes, and keep what counts of the legs in play in `broken`."""
        for in_play in self._by_lane.values():
            self._broken[in_play.leg.digest] = in_play.broken_off()
        self.pool.close()
