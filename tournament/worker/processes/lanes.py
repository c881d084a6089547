"""Legs with bots that are processes: all legs of a batch played in step.

The legs of a Python bot share a process (`engine.processes.lanes` says why), one bot
object each. That is only a faster way to play: when a shared process fails,
its legs are played again from their beginnings, each in a process of its own,
and only a leg that fails there is at fault. Programs always have a process for
each leg.
"""

from __future__ import annotations

import contextlib
import math
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.processes import lanes
from tournament.artifacts import python_packing
from tournament.contests.contest import Contest
from tournament.contests.interface import Dialogue
from tournament.contests.questions import refusal
from tournament.contests.settings import ContestSettings
from tournament.errors import printable
from tournament.leg import Leg, PlaysAs, Seat
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.endings import how_it_ended
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.store.legs import Fault, LegResult
from tournament.worker.leg import (
    Stopped,
    after_faults,
    fault_of,
    last_lines,
    leg_result,
    new_core,
    new_seating,
    seat_again,
    seat_all,
)
from tournament.worker.processes import programs, python_bots
from tournament.worker.processes.lines import question_lines
from tournament.worker.processes.one_core import Asked, OneCore
from tournament.worker.processes.spool import LegRows, Spool
from tournament.worker.wasm.seating import Seating
from tournament.worker.wasm.stack import on_deep_stack

# How many legs with processes of their own are in play at once.
_MOST_OWN_PROCESSES = 24
# How many processes of either kind, unless a leg alone needs more.
MOST_PROCESSES = 96
# What WebAssembly bots of all legs in play may have together, unless one leg alone has more.
_MOST_MEMORY_OF_BOTS = 1 << 30
# Rows of the tables that a core writes into: few, so that those of thousands of legs stay near.
_ROWS = 16
# Language runtimes start some threads of their own; no bot needs more than these.
_MOST_THREADS = 128
_AUDIT_SECONDS = 0.05
_LONGEST_TICK = 0.5
# What a process may take to get ready, beyond the limits of its first decision.
_START_SECONDS = 5.0
# How long a program may still run once it was told that all is over.
_PARTING_SECONDS = 0.1
# What a program reads when it must end without a score.
_OVER = b"-1\n"


@dataclass(frozen=True)
class Use:
    """What a seat's decisions took of a process: how many they were, and seconds of processor time."""

    decisions: int
    cpu_seconds: float
    memory_bytes: int


@dataclass(frozen=True)
class PlayedLeg:
    """A leg that was played in a lane: its result, its records, and what each seat used (None for WebAssembly)."""

    result: LegResult
    rows: LegRows
    uses: tuple[Use | None, Use | None]


@dataclass(eq=False)
class _Process:
    """A running bot and its channel.

    `slots`: how many legs it was ever given; `legs`: those that it plays;
    `decisions_before`: of those that have left. `starting`: the messages in which legs begin.
    `idle_seconds`: how long it slept or waited in all while it was asked. `measured`: when its memory was.
    """

    confined: Confined
    channel: int
    shared: bool
    kind: PlaysAs = "python"
    slots: int = 0
    legs: list[_LegInPlay] = field(default_factory=list)
    decisions_before: int = 0
    starting: set[int] = field(default_factory=set)
    idle_seconds: float = 0.0
    watch: _Watch | None = None
    memory_bytes: int = 0
    measured: float = -math.inf

    def measured_memory(self) -> int:
        """The most memory that it has had at once. Where it plays other legs, as it was lately: to ask takes long."""
        if len(self.legs) < 2 or time.monotonic() - self.measured > _AUDIT_SECONDS:
            self.memory_bytes, self.measured = self.confined.memory_bytes(), time.monotonic()
        return self.memory_bytes


@dataclass
class _Watch:
    """A process that has not answered: the message it was sent, and its clocks then and at the last audit."""

    message: int
    first_cpu: float
    cpu: float
    delay: float
    idle_seconds: float = 0.0


@dataclass(eq=False)
class _LegInPlay:
    """A leg on its lane. `alone`: the seats whose bots must not share a process.

    `played_again`: a process of it was killed from outside, so that it began a second time.
    """

    leg: Leg
    played_again: bool = False
    alone: set[int] = field(default_factory=set)
    core: GameCore | None = None
    games: Table | None = None
    sessions: Table | None = None
    rows: LegRows | None = None
    seating: Seating | None = None
    lane: int = -1
    slots: list[int] = field(default_factory=lambda: [-1, -1])
    processes: list[_Process | None] = field(default_factory=lambda: [None, None])
    dialogues: list[Dialogue | None] = field(default_factory=lambda: [None, None])
    cpu_before: list[float] = field(default_factory=lambda: [0.0, 0.0])
    idle_before: list[float] = field(default_factory=lambda: [0.0, 0.0])
    faults: list[Fault] = field(default_factory=list)


def play_in_lanes(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    legs: Sequence[Leg],
    artifacts: Mapping[str, bytes],
    cache: Path,
    spool: Spool,
    stopping: Callable[[], bool] = lambda: False,
) -> Generator[PlayedLeg, None, None]:
    """Play legs in which at least one bot is a process; they come as they are done, their rows in `spool`.

    Raises Stopped, RunFailed when this machine can't run a bot, BadInput when
    it can't confine one.
    """
    table = _LaneTable(contest, settings, sandbox, legs, artifacts, cache, spool)
    try:
        yield from table.play(stopping)
    finally:
        table.close()


class _LaneTable:
    """The legs of one call of `play_in_lanes`, their lanes and processes."""

    def __init__(
        self,
        contest: Contest,
        settings: ContestSettings,
        sandbox: SandboxSettings,
        legs: Sequence[Leg],
        artifacts: Mapping[str, bytes],
        cache: Path,
        spool: Spool,
    ) -> None:
        self._contest = contest
        self._settings = settings
        self._sandbox = sandbox
        self._artifacts = artifacts
        self._cache = cache
        self._spool = spool
        self._waiting = deque(_LegInPlay(leg) for leg in legs)
        self._by_lane: dict[int, _LegInPlay] = {}
        self._by_channel: dict[int, _Process] = {}
        self._sharing: dict[str, bool] = {}
        self._shared: dict[tuple[str, str], _Process] = {}
        self._parting: deque[tuple[float, Confined]] = deque()
        self._done: list[PlayedLeg] = []
        self._most_legs = len(legs)
        self._has_modules = any(seat.kind == "wasm" for leg in legs for seat in (leg.x, leg.y))
        self._empty_tables = [Table(buffer_fields(columns), _ROWS) for columns in (contest.games, contest.sessions)]
        self._one_core = OneCore()
        self._lanes = lanes.Lanes(
            contest.interface.view_size,
            python_bots.most_arguments(contest.interface),
            question_lines(contest.interface),
            tells_values=contest.interface.told_names is not None,
        )

    def play(self, stopping: Callable[[], bool]) -> Iterator[PlayedLeg]:
        audited = time.monotonic()
        while self._waiting or self._by_lane or self._parting:
            self._reap_exiting()
            self._admit()
            if self._by_lane:
                for kind, lane, channel, text in on_deep_stack(self._run) if self._has_modules else self._run():
                    self._handle_event(kind, lane, channel, text)
            else:
                time.sleep(0.001)
            now = time.monotonic()
            if now - audited >= _AUDIT_SECONDS:
                elapsed, audited = now - audited, now
                if stopping():
                    raise Stopped
                self._lanes.drain_all()
                for process in list(self._by_channel.values()):
                    self._audit(process, elapsed)
                self._audit_memory()
                self._one_core.look(self._asked(), elapsed)
            yield from self._done
            self._done.clear()

    def _run(self) -> list[tuple[int, int, int, str]]:
        with self._one_core.kept():
            return self._lanes.run(_AUDIT_SECONDS)

    def close(self) -> None:
        """End every process."""
        self._one_core.leave()
        for process in self._by_channel.values():
            process.confined.end()
        for _, confined in self._parting:
            confined.end()
        self._by_channel.clear()
        self._parting.clear()

    def _asked(self) -> Iterator[Asked]:
        """The processes that may share a core: Python bots'. Programs may have threads, and are asked all at once."""
        for process in self._by_channel.values():
            if process.kind == "python":
                outstanding, messages = self._lanes.is_outstanding(process.channel)
                yield Asked(process.confined.pid, messages, outstanding, process.confined.cpu_seconds())

    def _admit(self) -> None:
        """Begin legs while there is room for the processes that they need."""
        while self._waiting and len(self._by_lane) < self._most_legs:
            needs = [self._needs(self._waiting[0], seat) for seat in range(2)]
            own = sum(not process.shared for process in self._by_channel.values()) + len(self._parting)
            if "own" in needs and own and own + needs.count("own") > _MOST_OWN_PROCESSES:
                return
            needed = len(needs) - needs.count("none")
            if needed and len(self._by_channel) + len(self._parting) + needed > MOST_PROCESSES:
                self._end_idle()
                if self._by_channel or self._parting:
                    return
            self._begin(self._waiting.popleft())

    def _audit_memory(self) -> None:
        """Put legs back to their beginnings while WebAssembly bots have too much memory together."""
        taken = {leg: leg.seating.memory_bytes for leg in self._by_lane.values() if leg.seating}
        while len(taken) > 1 and sum(taken.values()) > _MOST_MEMORY_OF_BOTS:
            leg, _ = taken.popitem()  # the last to begin
            self._leave(leg)
            self._waiting.append(leg)
            self._most_legs = len(self._by_lane)

    def _needs(self, in_play: _LegInPlay, seat: int) -> Literal["none", "shared", "own"]:
        """Which process must be started for a seat."""
        if _seats(in_play)[seat].kind not in ("python", "program"):
            return "none"
        if self._needs_own(in_play, seat):
            return "own"
        return "none" if self._has_room(self._shared.get(_shared_by(_seats(in_play)[seat]))) else "shared"

    def _has_room(self, shared: _Process | None) -> bool:
        return shared is not None and len(shared.legs) < self._sandbox.legs_per_process

    def _end_idle(self) -> None:
        """End the processes that play no leg, though some might later."""
        for process in list(self._by_channel.values()):
            if not process.legs:
                self._unshare(process)
                self._end(process)

    def _reap_exiting(self) -> None:
        """End the programs that were told that all is over and have exited, or had time to."""
        now = time.monotonic()
        for _ in range(len(self._parting)):
            deadline, confined = self._parting.popleft()
            if now >= deadline or confined.has_ended():
                confined.end()
            else:
                self._parting.append((deadline, confined))

    def _needs_own(self, in_play: _LegInPlay, seat: int) -> bool:
        kind = _seats(in_play)[seat].kind
        return kind == "program" or (
            kind == "python" and (seat in in_play.alone or not self._may_share(_seats(in_play)[seat].artifact))
        )

    def _may_share(self, artifact: str) -> bool:
        """Whether legs of a Python bot share processes."""
        if artifact not in self._sharing:
            self._sharing[artifact] = self._sandbox.legs_per_process > 1 and python_packing.legs_may_share(
                self._artifacts[artifact]
            )
        return self._sharing[artifact]

    def _begin(self, in_play: _LegInPlay) -> None:
        contest, leg = self._contest, in_play.leg
        in_play.games, in_play.sessions = (table.another() for table in self._empty_tables)
        in_play.rows = LegRows(self._spool, in_play.games, in_play.sessions)
        in_play.faults = []
        in_play.cpu_before = [0.0, 0.0]
        in_play.idle_before = [0.0, 0.0]
        core = in_play.core = new_core(contest, self._settings, leg, self._artifacts, in_play.games, in_play.sessions)
        seats = _seats(in_play)
        absent = None
        if any(seat.kind == "wasm" for seat in seats):
            in_play.seating = new_seating(contest, self._settings, leg, self._artifacts, core)
            absent = seat_all(in_play.seating, contest, leg, in_play.faults)
        slots = in_play.slots = [-1, -1]
        for number, seat in enumerate(seats):
            if seat.kind in ("python", "program"):
                process = self._process_for(in_play, number)
                in_play.processes[number] = process
                slots[number] = process.slots
                process.slots += 1
        channels = [process.channel if process else -1 for process in in_play.processes]
        referee = in_play.seating.referee if in_play.seating else None
        in_play.lane = self._lanes.open_lane(core, referee, in_play.games, in_play.sessions, channels, slots)
        self._by_lane[in_play.lane] = in_play
        for number in range(2):
            self._let_listen(in_play, number)
        if absent is not None:
            self._finish(in_play, absent)
            return
        for number, seat in enumerate(seats):
            if seat.kind == "python":
                self._start_bot(in_play, number, seat.random_seed)
        self._lanes.resume(in_play.lane)

    def _start_bot(self, in_play: _LegInPlay, number: int, seed: int) -> None:
        """Have a seat's process make a new bot for the leg."""
        process = in_play.processes[number]
        assert process is not None
        self._lanes.start_bot(in_play.lane, number, seed)
        _, messages = self._lanes.is_outstanding(process.channel)
        process.starting = {message for message in process.starting if message >= messages} | {messages + 1}

    def _let_listen(self, in_play: _LegInPlay, number: int) -> None:
        """Have the leg's core know what its own process of a seat prints."""
        process = in_play.processes[number]
        if process is not None and not process.shared:
            assert in_play.core
            in_play.core.listen(number, partial(self._lanes.take_complaints, process.channel))

    def _process_for(self, in_play: _LegInPlay, number: int) -> _Process:
        """The process for a seat's bot: the one that its legs share, or a new one."""
        seat = _seats(in_play)[number]
        if self._needs_own(in_play, number):
            process = self._start(in_play, number, shared=False)
            process.legs.append(in_play)
            return process
        shared = self._shared.get(_shared_by(seat))
        if shared is None or not self._has_room(shared):
            shared = self._shared[_shared_by(seat)] = self._start(in_play, number, shared=True)
        shared.legs.append(in_play)
        return shared

    def _start(self, in_play: _LegInPlay, number: int, *, shared: bool) -> _Process:
        seat, settings = _seats(in_play)[number], self._settings
        artifact = self._artifacts[seat.artifact]
        # A last resort, should the audit fail. The bot can read this limit, so it is the same for shared processes.
        cpu_seconds = int(settings.cpu_seconds_per_leg * 1000) + 86400
        greeting = b""
        dialogue = None
        if seat.kind == "python":
            confined = python_bots.start(
                artifact,
                seat.name,
                self._contest.interface,
                self._sandbox,
                memory_megabytes=settings.memory_megabytes,
                cpu_seconds=cpu_seconds,
                many_legs=shared,
            )
        else:
            confined = programs.start(
                artifact,
                self._sandbox,
                self._cache,
                memory_megabytes=settings.memory_megabytes,
                cpu_seconds=cpu_seconds,
            )
            if new_dialogue := self._contest.interface.new_dialogue:
                assert in_play.core
                dialogue = in_play.dialogues[number] = new_dialogue(in_play.core, seat.helpers_key)
            else:
                greeting = f"{in_play.leg.plan.sessions}\n".encode()
        channel = self._lanes.open_channel(
            confined.to,
            confined.answers,
            confined.errors,
            lines=seat.kind == "program",
            greeting=greeting,
            dialogue=dialogue,
        )
        process = self._by_channel[channel] = _Process(confined, channel, shared, seat.kind)
        return process

    def _handle_event(self, kind: int, lane: int, channel: int, text: str) -> None:
        """Deal with an event of the lanes."""
        if kind == lanes.CHANNEL_FAILED:
            if channel in self._by_channel:
                self._process_failed(self._by_channel[channel], text)
            return
        in_play = self._by_lane.get(lane)
        if in_play is None:
            return
        assert in_play.core and in_play.games and in_play.sessions and in_play.rows
        if kind == lanes.LEG_ENDED:
            self._finish(in_play, None)
        elif kind == lanes.RECORDS_FULL:
            in_play.rows.take(*self._lanes.take_rows(in_play.lane))
            self._lanes.resume(lane)
        elif kind == lanes.BOT_TRAPPED:
            number = in_play.core.pending()[1]
            what = in_play.seating.take_failure() if in_play.seating else refusal(self._contest.interface, in_play.core)
            printed = last_lines(in_play.seating.printed(number)) if in_play.seating else ""
            self._fault(in_play, number, what, printed)
        elif kind == lanes.BOT_FAULTY:
            number = in_play.core.pending()[1]
            process = in_play.processes[number]
            slot = in_play.slots[number] if process is not None and process.shared else None
            self._fault(in_play, number, text, self._complaints(channel, slot))
        else:
            assert kind == lanes.BOT_OUT_OF_MEMORY
            self._process_failed(self._by_channel[channel], _out_of_memory(self._settings), lane)

    def _process_failed(self, process: _Process, what: str, lane: int | None = None) -> None:
        """End a process that can't go on, or must not. `lane`: where it failed, if that lane is stopped already."""
        cpu = process.confined.cpu_seconds()
        complaints = self._complaints(process.channel)
        was_killed = False
        if what:
            self._end(process, parting_words=_OVER)
        else:
            status = process.confined.ended_by_itself()
            what = "closed its output" if status is None else how_it_ended(status)
            # Bots can't send it to themselves: it came from the system, for want of memory say, or from its user.
            was_killed = status == -signal.SIGKILL
            self._end(process)
        if process.shared:
            self._unshare(process)
            for in_play in list(process.legs):
                self._begin_anew(in_play, process)
            return
        (in_play,) = process.legs
        if was_killed and not in_play.played_again:
            in_play.played_again = True
            self._begin_anew(in_play, process)
            return
        if in_play.lane != lane:
            self._lanes.stop(in_play.lane)
        number = in_play.processes.index(process)
        in_play.cpu_before[number] += cpu
        in_play.idle_before[number] += process.idle_seconds
        in_play.processes[number] = None
        self._fault(in_play, number, what, complaints)

    def _begin_anew(self, in_play: _LegInPlay, process: _Process) -> None:
        """Put a leg back to its beginning, to be played without sharing the process that failed."""
        in_play.alone.add(in_play.processes.index(process))
        self._leave(in_play)
        self._waiting.append(in_play)

    def _leave(self, in_play: _LegInPlay, scores: Sequence[bytes] = (b"", b"")) -> None:
        """Take a leg off its lane and out of its processes; programs are told their scores."""
        for number, process in enumerate(in_play.processes):
            if process is None:
                continue
            process.legs.remove(in_play)
            process.decisions_before += self._lanes.decisions(in_play.lane)[number]
            if not process.shared:
                self._end(process, parting_words=scores[number])
            elif process.channel in self._by_channel:
                self._lanes.end_bot(in_play.lane, number)
                is_current = self._shared.get(_shared_by(_seats(in_play)[number])) is process
                if not process.legs and not (self._waiting and is_current):
                    self._unshare(process)
                    self._end(process)
        self._lanes.drop(in_play.lane)
        del self._by_lane[in_play.lane]
        in_play.processes = [None, None]
        in_play.seating = None

    def _unshare(self, process: _Process) -> None:
        """Give a process no more legs."""
        self._shared = {key: other for key, other in self._shared.items() if other is not process}

    def _end(self, process: _Process, parting_words: bytes = b"") -> None:
        """End a process; a program may read the parting words first."""
        if self._by_channel.pop(process.channel, None) is None:
            return
        self._one_core.forget(process.confined.pid)
        unsent = self._lanes.unsent(process.channel)
        is_program = self._lanes.close_channel(process.channel)
        if parting_words and is_program:
            with contextlib.suppress(OSError):  # it has ended, or reads nothing
                os.write(process.confined.to, unsent + parting_words)
                process.confined.close_input()
                self._parting.append((time.monotonic() + _PARTING_SECONDS, process.confined))
                return
        process.confined.end()

    def _fault(self, in_play: _LegInPlay, number: int, what: str, complaints: str = "") -> None:
        """Record a fault of a seat whose lane is stopped; go on with the default answer, or end the leg."""
        core, leg = in_play.core, in_play.leg
        assert core is not None
        in_play.faults.append(fault_of(number, self._contest, leg, core, printable(what), complaints))
        count = sum(fault.seat == number for fault in in_play.faults)
        if count > self._settings.faults_allowed or in_play.dialogues[number]:
            self._finish(in_play, number)
            return
        seat = _seats(in_play)[number]
        if seat.kind == "wasm":
            assert in_play.seating
            if not seat_again(in_play.seating, number, count, self._contest, leg, core, in_play.faults):
                self._finish(in_play, number)
                return
        else:
            if in_play.processes[number] is None:
                process = in_play.processes[number] = self._start(in_play, number, shared=False)
                process.legs.append(in_play)
                self._lanes.change_channel(in_play.lane, number, process.channel)
                self._let_listen(in_play, number)
            if seat.kind == "python":
                self._start_bot(in_play, number, after_faults(count, seat).random_seed)
        core.note_restart(number)
        self._lanes.resume(in_play.lane, core.default())

    def _finish(self, in_play: _LegInPlay, ended_by: int | None) -> None:
        core = in_play.core
        assert core and in_play.games and in_play.sessions and in_play.rows
        if ended_by is None:
            ended_by = self._fault_of_the_last_moment(in_play)
        in_play.rows.take(*self._lanes.take_rows(in_play.lane))
        result = leg_result(self._contest, in_play.leg, core, tuple(in_play.faults), ended_by)
        uses = (self._use(in_play, 0), self._use(in_play, 1))
        self._leave(in_play, [_OVER if ended_by is not None else _last_words(in_play, seat) for seat in range(2)])
        self._done.append(PlayedLeg(result, in_play.rows, uses))

    def _fault_of_the_last_moment(self, in_play: _LegInPlay) -> int | None:
        """Note that a process took too much memory when no audit was there to see it; the seat that ends the leg."""
        for number, process in enumerate(in_play.processes):
            if process is None or process.shared or not process.confined.has_taken_too_much():
                continue
            core, plan = in_play.core, in_play.leg.plan
            assert core
            question = self._contest.interface.questions[0].name
            last = plan.first_session + max(0, core.sessions_played - 1)
            in_play.faults.append(Fault(number, last, 0, question, _out_of_memory(self._settings)))
            if sum(fault.seat == number for fault in in_play.faults) > self._settings.faults_allowed:
                return number
        return None

    def _use(self, in_play: _LegInPlay, number: int) -> Use | None:
        process = in_play.processes[number]
        if _seats(in_play)[number].kind in ("wasm", "house"):
            return None
        seconds = in_play.cpu_before[number]
        memory = 0
        if process is not None:
            seconds += process.confined.cpu_seconds() / (process.slots if process.shared else 1)
            memory = process.measured_memory()
        return Use(self._lanes.decisions(in_play.lane)[number], seconds, memory)

    def _complaints(self, channel: int, slot: int | None = None) -> str:
        """The last lines that a process printed; of one that legs share, those of the leg that it calls `slot`."""
        if channel < 0:
            return ""
        printed = self._lanes.complaints(channel)
        if slot is not None:  # as engine.processes.python_bots tells it, with a fault
            printed = printed.rpartition(b"\x1e%d\n" % slot)[2] if b"\x1e%d\n" % slot in printed else b""
            printed = printed.partition(b"\x1f")[0]
        return last_lines(printed)

    def _audit(self, process: _Process, elapsed: float) -> None:
        """Check a process against its limits of time, leaving out what a busy machine kept from it.

        `elapsed`: seconds since the audit before.
        """
        if process.channel not in self._by_channel:
            return
        settings, confined = self._settings, process.confined
        outstanding, message = self._lanes.is_outstanding(process.channel)
        if not outstanding:  # it is not asked: nothing that it does now ends its leg
            process.watch = None
            return
        if not process.shared and confined.threads() > _MOST_THREADS:
            self._process_failed(process, f"started more than {_MOST_THREADS} threads")
            return
        if confined.has_taken_too_much():
            self._process_failed(process, _out_of_memory(settings))
            return
        cpu, delay = confined.cpu_seconds(), confined.run_delay()
        used = cpu
        decisions = process.decisions_before
        for in_play in process.legs:
            number = in_play.processes.index(process)
            decisions += self._lanes.decisions(in_play.lane)[number]
            used += in_play.cpu_before[number]
        bank = max(1, process.slots) * settings.cpu_seconds_per_leg
        bank += decisions * settings.cpu_milliseconds_more / 1000
        if used > bank + _START_SECONDS:
            self._process_failed(process, f"used up its processor time ({bank:.1f} s for {decisions:,} decisions)")
            return
        watch = process.watch
        if watch is None or watch.message != message:
            process.watch = _Watch(message, cpu, cpu, delay)
            return
        grace = _START_SECONDS if message == 1 or message in process.starting else 0.0
        if cpu - watch.first_cpu > settings.cpu_seconds_per_decision + grace:
            self._process_failed(
                process, f"took more than {settings.cpu_seconds_per_decision:g} s of processor time for a decision"
            )
            return
        # If this worker was held up itself (a stopped job, say), that time is not the bot's.
        seconds = min(elapsed, _LONGEST_TICK)
        idle = seconds - (cpu - watch.cpu) - (delay - watch.delay)
        watch.cpu, watch.delay = cpu, delay
        # An answer that only waits for us to read it came in time.
        if confined.has_written():
            return
        # Less than nothing makes good for ticks before: a wait for the processor is known when it is over.
        watch.idle_seconds = max(0.0, watch.idle_seconds + idle)
        process.idle_seconds = max(0.0, process.idle_seconds + idle)
        if confined.waits_for_processor():
            return
        if watch.idle_seconds > settings.wall_seconds_per_decision + grace:
            self._process_failed(process, f"did not answer for {settings.wall_seconds_per_decision:g} s")
            return
        # A shared process gets no more than one leg would: if it is too slow, its legs are played again alone.
        idle = process.idle_seconds
        idle += sum(in_play.idle_before[in_play.processes.index(process)] for in_play in process.legs)
        if idle > settings.wall_seconds_per_leg + _START_SECONDS:
            self._process_failed(process, f"slept or waited for more than {settings.wall_seconds_per_leg:g} s in all")


def _out_of_memory(settings: ContestSettings) -> str:
    return f"ran out of memory ({settings.memory_megabytes} MB)"


def _last_words(in_play: _LegInPlay, number: int) -> bytes:
    """What a program reads at the end of a leg."""
    core, dialogue = in_play.core, in_play.dialogues[number]
    assert core
    if dialogue:
        return "".join(f"{line}\n" for line in dialogue.ended()).encode()
    return f"SCORE {core.sums()[number].points / max(1, core.sessions_played):.6f}\n".encode()


def _shared_by(seat: Seat) -> tuple[str, str]:
    """The key of a shared process. It has the name, since equal files of two entrants are two bots."""
    return seat.name, seat.artifact


def _seats(in_play: _LegInPlay) -> tuple[Seat, Seat]:
    return in_play.leg.x, in_play.leg.y
