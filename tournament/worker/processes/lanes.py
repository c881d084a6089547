"""Legs with bots that are processes: all legs of a batch played in step.

The legs of a Python bot share a process (`engine.processes.lanes` says why), one bot
object each. That is only a faster way to play: when a shared process fails,
its legs are played again from their beginnings, each in a process of its own,
and only a bot that fails there is at fault. Programs always have a process for
each leg.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from engine.kernel.game_core import FAULT, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.kernel.records import Table
from engine.processes.channels import BOT_FAULTY, BOT_OUT_OF_MEMORY, CHANNEL_FAILED, WROTE_NO_ANSWER
from engine.processes.lanes import Lanes
from tournament.containment import BotTrouble, containing
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import TournamentError
from tournament.leg import Failure, Leg
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.worker.faults import Disqualified, Stopped
from tournament.worker.leg import RulesFailed
from tournament.worker.processes import python_bots
from tournament.worker.processes.bot_process import BotProcess
from tournament.worker.processes.leg_in_play import OVER, LegInPlay, PlayedLeg, Playing, players_of
from tournament.worker.processes.leg_queue import LegQueue
from tournament.worker.processes.pool import Pool, StartProgram
from tournament.worker.processes.spool import Spool
from tournament.worker.processes.verdicts import Apart, PutOff, out_of_memory, verdict
from tournament.worker.wasm.stack import on_deep_stack

# Memory of the WebAssembly bots of all legs in play, unless one leg alone has more.
_MOST_MEMORY_OF_BOTS = 1 << 30
# Rows of the tables that a core writes into: few, so that those of thousands of legs stay in the processor's caches.
_ROWS = 16
_AUDIT_SECONDS = 0.05
# Between looks at the memory of WebAssembly bots, in times of what the last one took: with a thousand legs that is
# 20 ms, and several times as much on a busy core.
_REST_FROM_MEMORY = 10

OnTrouble = Callable[[Leg, BotTrouble], None]  # is told of a leg that was broken off, and why
OnFailure = Callable[[Leg, RulesFailed], None]  # the same where the rules failed


def play_in_lanes(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    legs: Sequence[Leg],
    artifacts: Mapping[str, bytes],
    cache: Path,
    spool: Spool,
    stopping: Callable[[], bool] = lambda: False,
    out: Disqualified | None = None,
    put_off: OnTrouble | None = None,
    tried: Collection[str] = (),
    start_program: StartProgram | None = None,
    rules_failed: OnFailure | None = None,
) -> Generator[PlayedLeg, None, None]:
    """Play legs in which at least one bot is a process; yields each when it is done, its rows in `spool`.

    `out` is told how each ends, and legs that it then doesn't play are left out. `put_off` is told of a leg that was
    broken off since the machine may be to blame; then its bot plays none of the others either. Without it this is the
    second try: long waits are faults, as they are of bots that were `tried` so, and a kill is raised. `rules_failed` is
    told of a leg in which the rules failed; the other legs of its match are left out. Without it RulesFailed is raised.
    Raises Stopped, BotTrouble, RunError when this machine can't run a bot, InputError when it can't confine one.
    """
    table = _LaneTable(
        contest, settings, sandbox, legs, artifacts, cache, spool, stopping, out, put_off, tried, start_program,
        rules_failed,
    )  # fmt: skip
    try:
        yield from table.play()
    finally:
        table.pool.close()


class _LaneTable:
    """The legs of one call of `play_in_lanes`, and their lanes."""

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
        out: Disqualified | None,
        put_off: OnTrouble | None,
        tried: Collection[str],
        start_program: StartProgram | None,
        rules_failed: OnFailure | None,
    ) -> None:
        interface = contest.interface
        self._lanes = Lanes(
            interface.view_size,
            python_bots.most_arguments(interface),
            interface.shapes,
            tells_values=interface.by_name,
            most_text=interface.most_json,
        )
        self.pool = Pool(contest, settings, sandbox, artifacts, cache, self._lanes, start_program)
        tables = [Table(buffer_fields(columns), _ROWS) for columns in (contest.games, contest.sessions)]
        self._playing = Playing(contest, settings, artifacts, self._lanes, self.pool, spool, tables, stopping)
        self._queue = LegQueue(legs)
        self._by_lane: dict[int, LegInPlay] = {}
        self._done: list[PlayedLeg] = []
        self._disqualified, self._put_off, self._tried = out, put_off, tried
        self._rules_failed = rules_failed
        self._most_legs = len(legs)
        self._has_modules = any(seat.kind == "wasm" for leg in legs for seat in leg.seats)

    def play(self) -> Iterator[PlayedLeg]:
        run = self.pool.one_core.kept()(self._lanes.run)
        audited = memory_next = time.monotonic()
        rest = _AUDIT_SECONDS
        while self._queue or self._by_lane:
            self._admit()
            if self._by_lane:
                for event in on_deep_stack(run, _AUDIT_SECONDS) if self._has_modules else run(_AUDIT_SECONDS):
                    if name := self._name_of(*event[1:3]):  # else what it is of is over
                        with self._containing(name, "what it did could not be judged"):
                            self._handle_event(*event)
            else:
                time.sleep(0.001)
            now = time.monotonic()
            if now - audited >= rest:
                elapsed, audited = now - audited, now
                rest = _AUDIT_SECONDS * random.uniform(0.5, 1.5)  # no bot knows when it is looked at
                if self._playing.stopping():
                    raise Stopped
                self._lanes.channels.drain_all()
                for process in list(self.pool.by_channel.values()):
                    if process.channel in self.pool.by_channel:
                        with self._containing(process.seat.name, "its time could not be taken"):
                            self._audit(process, elapsed)
                if (began := time.monotonic()) >= memory_next:
                    self._audit_memory()
                    ended = time.monotonic()
                    memory_next = ended + _REST_FROM_MEMORY * (ended - began)
                self.pool.one_core.look(self.pool.asked(), elapsed)
            yield from self._done
            self._done.clear()

    def _containing(self, name: str, doing: str) -> AbstractContextManager[None]:
        """Makes whatever goes wrong within trouble of this bot, but for the machine's."""
        return containing(name, doing, Stopped, TournamentError, OSError)

    def _name_of(self, lane: int, channel: int) -> str | None:
        """Whose event this is; None if neither its process nor its leg plays any more."""
        if process := self.pool.by_channel.get(channel):
            return process.seat.name
        in_play = self._by_lane.get(lane)
        return in_play.leg.names[in_play.core.pending()[1]] if in_play else None

    def _admit(self) -> None:
        """Begin legs while there is room for the processes that they need."""
        while len(self._by_lane) < self._most_legs and (waiting := self._queue.take_next(self.pool.busy_bots())):
            players = players_of(waiting)
            if not self.pool.take_room_for(players):
                self._queue.put_back(waiting)
                return
            try:
                in_play = LegInPlay(self._playing, waiting, players)
            except RulesFailed as failure:
                self.pool.give_back_room(players)
                self._set_match_aside(waiting.leg, failure)
            else:
                self._begin(in_play)

    def _begin(self, in_play: LegInPlay) -> None:
        for player in in_play.players:
            with self._containing(player.seat.name, "its process could not be started"):
                in_play.seat(player)
        self._by_lane[in_play.open_lane()] = in_play
        if in_play.is_over:
            self._finish(in_play)

    def _handle_event(self, kind: int, lane: int, channel: int, text: str) -> None:
        """Go on after an event of the lanes: what a process did, or what a leg needs."""
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
            self._lanes.resume(lane)
        elif kind == BOT_OUT_OF_MEMORY:
            assert process
            self._process_failed(process, out_of_memory(self._playing.settings.memory_megabytes))
        elif kind == BOT_FAULTY:
            assert process
            by_leg = process.notes_prints
            printed = self._lanes.take_printed(lane, channel) if by_leg else self._lanes.channels.printed(channel)
            number = next(player.number for player in process.players if player.lane == lane)
            self._fault(in_play, number, Failure(text or "returned what can't be read"), printed)
        else:
            assert kind == FAULT
            self._fault(in_play, *in_play.found_fault())

    def _audit(self, process: BotProcess, elapsed: float) -> None:
        if passed := process.audit(elapsed):
            self._process_failed(process, passed)

    def _process_failed(self, process: BotProcess, passed: Failure | None) -> None:
        """End a process that can't or must not go on."""
        cpu = process.confined.cpu_seconds()
        printed = self._lanes.channels.printed(process.channel)
        ending, is_shared = process.ending(passed), process.shared_by is not None
        at_once = self._put_off is None or process.seat.name in self._tried
        found = verdict(ending, shared=is_shared, at_once=at_once)
        self.pool.end(process, OVER if ending.passed else b"")
        if isinstance(found, Apart) and found.outgrown:
            self.pool.share_no_more(process)
        for player in list(process.players):
            in_play = self._by_lane.get(player.lane)
            if in_play is None:  # its leg went with another's
                continue
            if isinstance(found, Apart):
                in_play.began.alone.add(player.number)
                self._leave(in_play)
                self._queue.add(in_play.began)
            elif isinstance(found, PutOff):
                self._break_off(in_play.leg, BotTrouble((player.seat.name,), found.reason))
            else:
                player.cpu_before += cpu
                player.idle_before += process.time.idle_seconds
                player.kept_waiting |= found.kind == "silence"
                player.process = None
                self._fault(in_play, player.number, found, printed)

    def _break_off(self, leg: Leg, trouble: BotTrouble) -> None:
        """Play no leg of a bot any more, to which the machine may have done something in one."""
        if self._put_off is None:
            raise trouble
        self._put_off(leg, trouble)
        self._play_only(lambda leg: set(trouble.names).isdisjoint(leg.names))

    def _fault(self, in_play: LegInPlay, number: int, failure: Failure, printed: bytes = b"") -> None:
        if not in_play.fault(number, failure, printed):
            self._finish(in_play)

    def _set_match_aside(self, leg: Leg, failure: RulesFailed) -> None:
        """Play no leg of a match any more in which the rules failed."""
        if self._rules_failed is None:
            raise failure
        self._rules_failed(leg, failure)
        self._play_only(lambda one: one.plan.match != leg.plan.match)

    def _finish(self, in_play: LegInPlay) -> None:
        try:
            played = in_play.result()
        except RulesFailed as failure:
            self._set_match_aside(in_play.leg, failure)
            return
        self._leave(in_play, scores=True)
        self._done.append(played)
        self._queue.ended(in_play.leg)
        if self._disqualified:
            self._disqualified.note(in_play.leg, played.result.out)
            if played.result.out:
                self._play_only(self._disqualified.plays)

    def _play_only(self, plays: Callable[[Leg], bool]) -> None:
        """Forget all legs, those in play among them, but those that are to be played."""
        self._queue.keep(plays)
        for in_play in [one for one in self._by_lane.values() if not plays(one.leg)]:
            self._leave(in_play)

    def _leave(self, in_play: LegInPlay, *, scores: bool = False) -> None:
        in_play.leave(more_come=self._queue.more_come, scores=scores)
        del self._by_lane[in_play.lane]

    def _audit_memory(self) -> None:
        """Put legs back to their beginnings while WebAssembly bots take too much memory together."""
        taken = {leg: leg.seating.memory_bytes for leg in self._by_lane.values() if leg.seating}
        while len(taken) > 1 and sum(taken.values()) > _MOST_MEMORY_OF_BOTS:
            in_play, _ = taken.popitem()  # the last to begin
            self._leave(in_play)
            self._queue.add(in_play.began)
            self._most_legs = len(self._by_lane)
