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
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from engine.kernel.game_core import FAULT, LEG_IS_OVER, RECORDS_ARE_FULL, GameCore
from engine.kernel.records import Table
from engine.processes.channels import BOT_FAULTY, BOT_OUT_OF_MEMORY, CHANNEL_FAILED, WROTE_NO_ANSWER
from engine.processes.lanes import Lanes
from tournament.containment import BotTrouble, containing
from tournament.contests.contest import Contest
from tournament.contests.interface import Named
from tournament.contests.questions import refusal
from tournament.contests.settings import ContestSettings
from tournament.errors import TournamentError, printable
from tournament.leg import Failure, Leg, Seat
from tournament.probation import OnTrial
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.store.legs import LegResult
from tournament.worker.faults import LegFaults, Stopped
from tournament.worker.leg import leg_result, new_core, new_seating, seat_again
from tournament.worker.processes import admission, python_bots
from tournament.worker.processes.pool import BotProcess, Player, Pool
from tournament.worker.processes.spool import LegRows, Spool
from tournament.worker.processes.time_limits import Spent
from tournament.worker.processes.verdicts import Again, Ending, RunEnds, out_of_memory, verdict
from tournament.worker.processes.waiting import WaitingLeg, WaitingLegs
from tournament.worker.wasm.seating import Seating
from tournament.worker.wasm.stack import on_deep_stack

# Memory of the WebAssembly bots of all legs in play, unless one leg alone has more.
_MOST_MEMORY_OF_BOTS = 1 << 30
# Rows of the tables that a core writes into: few, so that those of thousands of legs stay in the processor's caches.
_ROWS = 16
# Language runtimes start some threads of their own; no bot needs more than this.
_MOST_THREADS = 128
_AUDIT_SECONDS = 0.05
# Between looks at the memory of WebAssembly bots, in times of what the last one took: with a thousand legs that is
# 20 ms, and several times as much on a busy core.
_REST_FROM_MEMORY = 10
# What sleeps longer than so before its first answer needs no core to start.
_NO_START_SLEEPS = 0.2
# How soon to see whether others have started or ended, where legs wait for that.
_START_SECONDS = 0.002
# Said of a program that waits while its answers lie in a buffer of its own.
_NOTHING_CAME = "; nothing came from it at all: does it flush its output? (flush=True in Python, fflush(stdout) in C)"
_MOST_BEGUN = 40  # characters of a line that isn't whole
# Sent to a program that must end without a score.
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
    uses: tuple[Use | None, ...]


@dataclass(eq=False)
class _LegInPlay:
    """A leg on its lane."""

    began: WaitingLeg
    core: GameCore
    games: Table
    sessions: Table
    rows: LegRows
    faults: LegFaults
    players: list[Player]
    seating: Seating | None
    lane: int = -1
    held: dict[int, tuple[Failure, bytes]] = field(default_factory=dict)  # by seat: faults before their turn

    @property
    def leg(self) -> Leg:
        return self.began.leg

    def player(self, number: int) -> Player | None:
        """The seat's bot if it is a process."""
        return next((player for player in self.players if player.number == number), None)


def play_in_lanes(
    contest: Contest,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    legs: Sequence[Leg],
    artifacts: Mapping[str, bytes],
    cache: Path,
    spool: Spool,
    stopping: Callable[[], bool] = lambda: False,
    trial: OnTrial | None = None,
) -> Generator[PlayedLeg, None, None]:
    """Play legs in which at least one bot is a process; yields each when it is done, its rows in `spool`.

    `trial` is told how each ends, and those that it then doesn't play are left out. Raises Stopped, BotTrouble,
    RunError when this machine can't run a bot, InputError when it can't confine one.
    """
    table = _LaneTable(contest, settings, sandbox, legs, artifacts, cache, spool, trial)
    try:
        yield from table.play(stopping)
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
        trial: OnTrial | None,
    ) -> None:
        interface = contest.interface
        self._contest = contest
        self._settings = settings
        self._artifacts = artifacts
        self._spool = spool
        self._lanes = Lanes(
            interface.view_size,
            python_bots.most_arguments(interface),
            interface.shapes,
            tells_values=isinstance(interface.tells, Named),
            most_text=interface.most_json,
        )
        self.pool = Pool(contest, settings, sandbox, artifacts, cache, self._lanes.channels)
        self._waiting = WaitingLegs(legs)
        self._by_lane: dict[int, _LegInPlay] = {}
        self._done: list[PlayedLeg] = []
        self._over: list[Leg] = []  # whose programs may still read their scores
        self._trial = trial
        self._most_legs = len(legs)
        self._waits_for_processes = False
        self._has_modules = any(seat.kind == "wasm" for leg in legs for seat in leg.seats)
        self._empty_tables = [Table(buffer_fields(columns), _ROWS) for columns in (contest.games, contest.sessions)]

    def play(self, stopping: Callable[[], bool]) -> Iterator[PlayedLeg]:
        self._stopping = stopping
        run = self.pool.one_core.kept()(self._lanes.run)
        audited = memory_next = time.monotonic()
        rest = _AUDIT_SECONDS
        while self._waiting or self._by_lane or self._over:
            self._part()
            self._admit()
            if self._by_lane:
                seconds = _START_SECONDS if self._waits_for_processes else _AUDIT_SECONDS
                for event in on_deep_stack(run, seconds) if self._has_modules else run(seconds):
                    if name := self._name_of(*event[1:3]):  # else what it is of is over
                        with self._containing(name, "what it did could not be judged"):
                            self._handle_event(*event)
            else:
                time.sleep(0.001)
            now = time.monotonic()
            if now - audited >= rest:
                elapsed, audited = now - audited, now
                rest = _AUDIT_SECONDS * random.uniform(0.5, 1.5)  # no bot knows when it is looked at
                if stopping():
                    raise Stopped
                self._lanes.channels.drain_all()
                for process in list(self.pool.by_channel.values()):
                    with self._containing(process.seat.name, "its time could not be taken"):
                        self._audit(process, elapsed)
                if (began := time.monotonic()) >= memory_next:
                    self._audit_memory()
                    ended = time.monotonic()
                    memory_next = ended + _REST_FROM_MEMORY * (ended - began)
                self.pool.one_core.look(self.pool.asked(), elapsed)
            yield from self._done
            self._done.clear()

    def _part(self) -> None:
        """End the programs that had time to read their scores; others with the deals of their legs may begin."""
        self.pool.reap()
        over, self._over = self._over, []
        for leg in over:
            if self.pool.is_parting(leg):
                self._over.append(leg)
            else:
                self._waiting.ended(leg)

    def _containing(self, name: str, doing: str) -> AbstractContextManager[None]:
        """Makes whatever goes wrong within trouble of this bot, but for the machine's."""
        return containing(name, doing, Stopped, TournamentError, OSError)

    def _name_of(self, lane: int, channel: int) -> str | None:
        """Whose event this is; None where neither its process nor its leg plays any more."""
        if process := self.pool.by_channel.get(channel):
            return process.seat.name
        in_play = self._by_lane.get(lane)
        return in_play.leg.names[in_play.core.pending()[1]] if in_play else None

    def _admit(self) -> None:
        """Begin legs while there is room for the processes that they need."""
        self._waits_for_processes = False
        while self._waiting and len(self._by_lane) < self._most_legs:
            if self._starting() >= admission.room.most_starts:
                self._waits_for_processes = True
                return
            if (began := self._waiting.take_next(self.pool.busy_bots())) is None:
                self._waits_for_processes = True
                return
            players = began.new_players()
            if not self.pool.take_room_for(players, alone=began.by_itself):
                self._waiting.put_back(began)
                return
            self._begin(began, players)

    def _starting(self) -> int:
        """How many legs with processes of their own have had no answer yet, though none of these has slept."""
        own = [process for process in self.pool.by_channel.values() if process.shared_by is None]
        lanes = {player.lane for process in own for player in process.players}
        lanes -= {p.lane for process in own if process.time.idle_seconds > _NO_START_SLEEPS for p in process.players}
        return sum(max(self._lanes.decisions(lane)) <= 1 for lane in lanes)

    def _begin(self, began: WaitingLeg, players: list[Player]) -> None:
        contest, settings, leg = self._contest, self._settings, began.leg
        games, sessions = (table.another() for table in self._empty_tables)
        core = new_core(contest, settings, leg, self._artifacts, games, sessions)
        core.heed(self._stopping)
        faults = LegFaults(contest, settings, leg)
        seating = None
        if any(seat.kind == "wasm" for seat in leg.seats):
            seating = new_seating(contest, settings, leg, self._artifacts, core, faults, self._stopping)
        rows = LegRows(self._spool, games, sessions)
        in_play = _LegInPlay(began, core, games, sessions, rows, faults, players, seating)
        channels, slots = [-1] * len(leg.seats), [-1] * len(leg.seats)
        for player in players:
            with self._containing(player.seat.name, "its process could not be started"):
                process = self.pool.seat(player, leg, core)
            channels[player.number], slots[player.number] = process.channel, player.slot
        referee = seating.referee if seating else None
        in_play.lane = self._lanes.open_lane(core, referee, games, sessions, channels, slots)
        self._by_lane[in_play.lane] = in_play
        for player in players:
            player.lane = in_play.lane
            self._let_listen(in_play, player)
            if faults.ended_by is None:
                self._lanes.start_bot(in_play.lane, player.number, player.seat.random_seed)
        if faults.ended_by is not None:
            self._finish(in_play)

    def _let_listen(self, in_play: _LegInPlay, player: Player) -> None:
        """Tell the leg's core what a seat's bot prints, if its process is the leg's own."""
        if player.process and player.process.shared_by is None:
            in_play.core.listen(player.number, partial(self._lanes.channels.take_printed, player.process.channel))

    def _handle_event(self, kind: int, lane: int, channel: int, text: str) -> None:
        if kind in (CHANNEL_FAILED, WROTE_NO_ANSWER):
            if channel in self.pool.by_channel:
                wrong = Failure(text, "line" if kind == WROTE_NO_ANSWER else "other") if text else None
                self._process_failed(self.pool.by_channel[channel], wrong)
            return
        in_play = self._by_lane.get(lane)
        if in_play is None:
            return
        if kind == LEG_IS_OVER:
            self._finish(in_play)
        elif kind == RECORDS_ARE_FULL:
            in_play.rows.take(*self._lanes.take_rows(lane))
            self._lanes.resume(lane)
        elif kind == BOT_OUT_OF_MEMORY:
            self._process_failed(self.pool.by_channel[channel], out_of_memory(self._settings.memory_megabytes))
        elif kind == BOT_FAULTY:
            process = self.pool.by_channel[channel]
            printed = (
                self._lanes.take_printed(lane, channel)
                if process.notes_prints
                else self._lanes.channels.printed(channel)
            )
            number = next(player.number for player in process.players if player.lane == lane)
            self._fault(in_play, number, Failure(text or "returned what can't be read"), printed)
        else:
            assert kind == FAULT
            number = in_play.core.pending()[1]
            if number in in_play.held:
                self._fault(in_play, number, *in_play.held.pop(number))
            elif in_play.seating and in_play.leg.seats[number].kind == "wasm":
                self._fault(in_play, number, in_play.seating.take_failure(), in_play.seating.printed(number))
            else:
                self._fault(in_play, number, Failure(refusal(self._contest.interface, in_play.core)))

    def _process_failed(self, process: BotProcess, passed: Failure | None) -> None:
        """End a process that can't or must not go on."""
        cpu = process.confined.cpu_seconds()
        printed = self._lanes.channels.printed(process.channel)
        ending = self._end(process, process.doomed or passed)
        for player in list(process.players):
            in_play = self._by_lane[player.lane]
            found = verdict(ending, shared=process.shared_by is not None, by_itself=in_play.began.by_itself)
            if isinstance(found, RunEnds):
                raise BotTrouble(
                    (player.seat.name,),
                    f"its process was killed while it played {in_play.leg.title}, again"
                    " when no others played: this machine has too little memory (a lower memory_megabytes takes less),"
                    " or something here ends processes; mend that, and run again",
                )
            if isinstance(found, Again):
                if found.outgrown:
                    self.pool.share_no_more(process)
                self._begin_anew(in_play, player, found)
                continue
            player.cpu_before += cpu
            player.idle_before += process.time.idle_seconds
            player.kept_waiting |= found.kind == "silence"
            player.process = None
            self._fault(in_play, player.number, found, printed)

    def _end(self, process: BotProcess, passed: Failure | None) -> Ending:
        """End a process that has `passed` a limit, or has failed by itself, and say how it ended."""
        if passed:
            self.pool.end(process, parting_words=_OVER)
            return Ending(passed)
        status = process.confined.ended_by_itself()
        passed = self._too_much_memory(process)
        from_outside = status is not None and process.confined.was_killed_from_outside()
        self.pool.end(process)
        return Ending(passed, status, from_outside)

    def _begin_anew(self, in_play: _LegInPlay, player: Player, again: Again) -> None:
        """Put a leg back to its beginning, to be played without sharing the process that failed."""
        began = in_play.began
        began.alone.add(player.number)
        began.by_itself |= again.by_itself
        self._leave(in_play)
        self._waiting.add(began)

    def _leave(self, in_play: _LegInPlay, scores: Sequence[bytes] = ()) -> None:
        """Take a leg off its lane and out of its processes; programs are told their scores."""
        for player in in_play.players:
            self._part_with(in_play, player, scores[player.number] if scores else b"")
        self._lanes.drop(in_play.lane)
        del self._by_lane[in_play.lane]

    def _part_with(self, in_play: _LegInPlay, player: Player, score: bytes) -> None:
        """Take a leg out of a player's process; a program is told its score."""
        process = player.process
        if process is None:
            return
        process.players.remove(player)
        process.decisions_before += self._lanes.decisions(in_play.lane)[player.number]
        if process.shared_by is None:
            self.pool.end(process, parting_words=score)
        elif process.channel in self.pool.by_channel:
            self._lanes.end_bot(in_play.lane, player.number)
            if not process.players and not (self._waiting.more_come and self.pool.is_wanted(process)):
                self.pool.end(process)

    def _fault(self, in_play: _LegInPlay, number: int, failure: Failure, printed: bytes = b"") -> None:
        """Record a fault of a seat's bot, when its turn comes; go on with the default answer, or end the leg."""
        if not self._lanes.stop(in_play.lane, number):
            in_play.held[number] = failure, printed
            return
        core, player = in_play.core, in_play.player(number)
        talks = player is not None and player.dialogue is not None  # a dialogue can't begin in the middle
        failure = replace(failure, what=printable(failure.what))
        again = in_play.faults.add(core, failure, printed, replaceable=not talks)
        if again is None or not self._replace(in_play, number, again):
            if in_play.faults.ended_by is not None:
                self._finish(in_play)
                return
            self._dismiss(in_play, number)
        else:
            core.note_restart(number)
        self._lanes.resume(in_play.lane, core.default())

    def _dismiss(self, in_play: _LegInPlay, number: int) -> None:
        """Let a bot that is out go; the leg goes on without it."""
        in_play.core.dismiss(number)
        if player := in_play.player(number):
            self._part_with(in_play, player, _OVER)
            player.process = None

    def _replace(self, in_play: _LegInPlay, number: int, seat: Seat) -> bool:
        """Have a new bot take a seat; false when it can't start."""
        player = in_play.player(number)
        if player is None:
            assert in_play.seating
            return seat_again(in_play.seating, number, seat, in_play.core, in_play.faults)
        if player.process is None:
            process = self.pool.seat_again(player, in_play.leg, in_play.core)
            self._lanes.change_channel(in_play.lane, number, process.channel)
            self._let_listen(in_play, player)
        self._lanes.start_bot(in_play.lane, number, seat.random_seed)
        return True

    def _finish(self, in_play: _LegInPlay) -> None:
        faults = in_play.faults
        if faults.ended_by is None:
            self._look_at_last(in_play)
        in_play.rows.take(*self._lanes.take_rows(in_play.lane))
        result = leg_result(self._contest, in_play.leg, in_play.core, faults)
        seats = range(len(in_play.leg.seats))
        uses = tuple(self._use(in_play, seat) for seat in seats)
        self._leave(in_play, [_OVER if faults.ended_by is not None else _last_words(in_play, seat) for seat in seats])
        self._done.append(PlayedLeg(result, in_play.rows, uses))
        self._over.append(in_play.leg)
        if self._trial:
            self._trial.note(in_play.leg, result.ended_by)
        if self._trial and result.ended_by is not None:
            self._waiting.keep(self._trial.plays)
            for other in [one for one in self._by_lane.values() if not self._trial.plays(one.leg)]:
                self._leave(other, [_OVER] * len(other.leg.seats))

    def _look_at_last(self, in_play: _LegInPlay) -> None:
        """Record a fault of each process that took too much memory between audits, or time since it was asked."""
        for player in in_play.players:
            process = player.process
            if process is None or process.shared_by is not None:
                continue
            passed = process.doomed or self._too_much_memory(process)
            if passed:
                in_play.faults.add_at_end(player.number, in_play.core, passed)
                if in_play.faults.ended_by is not None:
                    return

    def _use(self, in_play: _LegInPlay, number: int) -> Use | None:
        player = in_play.player(number)
        if player is None:
            return None
        seconds, memory = player.cpu_before, 0
        if process := player.process:
            seconds += process.confined.cpu_seconds() / (process.slots if process.shared_by else 1)
            memory = process.measured_memory()
        return Use(self._lanes.decisions(in_play.lane)[number], seconds, memory)

    def _audit(self, process: BotProcess, elapsed: float) -> None:
        """Check a process against its limits. `elapsed`: seconds since the audit before."""
        if process.channel not in self.pool.by_channel:
            return
        outstanding, message, starts = self._lanes.channels.is_outstanding(process.channel)
        if not outstanding:
            process.time.rest()
            if process.shared_by is None and not process.doomed:
                why = self._too_much_at_once(process) or process.time.overdrawn(self._spent(process))
                if why:
                    # Its fault comes when it is asked next: until then another bot's answer is due.
                    process.doomed = why
                    process.confined.kill()
            return
        passed = self._too_much_at_once(process)
        if not passed:
            passed = process.time.exceeded(message, starts, elapsed, self._spent(process))
            if passed and passed.kind == "silence" and process.seat.kind == "program":
                begun = self._lanes.channels.begun(process.channel)[:_MOST_BEGUN].decode(errors="replace")
                more = f"; it wrote {begun!r}, without the line's end" if begun else _NOTHING_CAME * (message == 1)
                passed = replace(passed, what=passed.what + more)
        if passed:
            self._process_failed(process, passed)

    def _too_much_at_once(self, process: BotProcess) -> Failure | None:
        if process.shared_by is None and process.confined.threads() > _MOST_THREADS:
            return Failure(f"started more than {_MOST_THREADS} threads")
        return self._too_much_memory(process)

    def _too_much_memory(self, process: BotProcess) -> Failure | None:
        return out_of_memory(self._settings.memory_megabytes) if process.confined.has_taken_too_much() else None

    def _spent(self, process: BotProcess) -> Spent:
        """What the legs of a process have taken."""
        players = process.players
        return Spent(
            process.slots,
            process.decisions_before + sum(self._lanes.decisions(player.lane)[player.number] for player in players),
            sum(player.cpu_before for player in players),
            sum(player.idle_before for player in players),
            any(player.kept_waiting for player in players),
        )

    def _audit_memory(self) -> None:
        """Put legs back to their beginnings while WebAssembly bots take too much memory together."""
        taken = {leg: leg.seating.memory_bytes for leg in self._by_lane.values() if leg.seating}
        while len(taken) > 1 and sum(taken.values()) > _MOST_MEMORY_OF_BOTS:
            in_play, _ = taken.popitem()  # the last to begin
            self._leave(in_play)
            self._waiting.add(in_play.began)
            self._most_legs = len(self._by_lane)


def _last_words(in_play: _LegInPlay, number: int) -> bytes:
    """The last lines sent to a program when its leg ends."""
    core, player = in_play.core, in_play.player(number)
    if player and player.dialogue:
        return "".join(f"{line}\n" for line in player.dialogue.ended()).encode()
    assert core
    return f"SCORE {core.sums()[number].points / max(1, core.sessions_played):.6f}\n".encode()
