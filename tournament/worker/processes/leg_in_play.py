"""A leg on its lane, from its beginning to its result: its core, its rows, its faults, and who plays its seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from engine.kernel.records import Table
from engine.processes.lanes import BY_CALLER, Lanes
from tournament.contests.contest import Contest
from tournament.contests.questions import refusal
from tournament.contests.settings import ContestSettings
from tournament.errors import printable
from tournament.leg import PROCESSES, Failure, Leg, Seat
from tournament.store.leg_result import LegResult, Used
from tournament.worker.faults import LegFaults
from tournament.worker.leg import Outcome, new_core, new_seating, outcome_of, result_of, seat_again, seats_by_entrant
from tournament.worker.processes.bot_process import ProcessSeat
from tournament.worker.processes.leg_queue import BrokenLeg, KeptFailure, WaitingLeg
from tournament.worker.processes.pool import Pool
from tournament.worker.processes.spool import LegRows, Spool
from tournament.worker.wasm.stack import on_deep_stack

# The last line to a program without a score.
OVER = b"-1\n"


@dataclass(frozen=True)
class PlayedLeg:
    """A leg that was played in a lane.

    Attributes:
        contest: The contest.
        outcome: The leg's outcome. Its seconds are 0 until a caller sets them.
        rows: Its rows in the spool.
        decisions: Number of decisions of each entrant's bots that are processes, by entrant.
    """

    contest: Contest
    outcome: Outcome
    rows: LegRows
    decisions: tuple[int, ...]

    @cached_property
    def result(self) -> LegResult:
        """The leg's result, computed for this leg alone.

        Raises:
            RulesFailed: The rules gave points that no record holds.
        """
        return result_of(self.contest, self.outcome)


@dataclass(frozen=True)
class LaneContext:
    """The common data of a task's legs.

    Attributes:
        contest: The contest.
        settings: The contest's settings.
        artifacts: Contents of bots and house players, by sha256.
        lanes: The lanes in which the legs play.
        pool: The processes of the legs.
        spool: Receives the rows of the legs.
        tables: A table of games and one of sessions, like those that each leg gets.
        stopping: Returns whether the run is stopping.
        measures_bots: Whether to measure the time of each WebAssembly bot.
    """

    contest: Contest
    settings: ContestSettings
    artifacts: Mapping[str, bytes]
    lanes: Lanes
    pool: Pool
    spool: Spool
    tables: Sequence[Table]
    stopping: Callable[[], bool]
    measures_bots: bool = False


def players_of(waiting: WaitingLeg) -> list[ProcessSeat]:
    """Return a leg's bots that are processes, not yet started, by seat."""
    return [
        ProcessSeat(number, seat, number in waiting.alone, later=waiting.later, place=number % waiting.leg.members)
        for number, seat in enumerate(waiting.leg.seats)
        if seat.kind in PROCESSES
    ]


@dataclass(eq=False)
class LegInPlay:
    """A leg with its bots that are processes, whose memory is reserved, and what counts of an interrupted attempt.

    Attributes:
        playing: The common data of the task's legs.
        began: The leg as it waited, with which it begins again.
        players: Its bots that are processes, by seat.
        before: What counts of interrupted attempts.
        lane: Number of its lane; −1 before it is opened.
        held: Failures and outputs of bots that aren't asked yet, by seat.
        core: The leg's core.
        faults: Its faults.
        seating: Its WebAssembly bots, or None without such bots.
        rows: Its rows in the spool.

    The WebAssembly bots start when this is made. One that can't start is disqualified, which can end the leg.

    Raises:
        RulesFailed: The rules raised an exception at the start of the leg.
        BotTrouble: A WebAssembly bot failed for a reason outside of the game, or can't be loaded.
        Stopped: The run is stopping.
        RunError: This machine can't play.
    """

    playing: LaneContext
    began: WaitingLeg
    players: list[ProcessSeat]
    before: BrokenLeg
    lane: int = field(init=False, default=-1)
    held: dict[int, tuple[Failure, bytes]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        playing, leg = self.playing, self.leg
        contest, settings, artifacts = playing.contest, playing.settings, playing.artifacts
        games, sessions = self._tables = [table.another() for table in playing.tables]
        self.core = new_core(contest, settings, leg, artifacts, games, sessions)
        self.core.set_stop_check(playing.stopping)
        self.faults = LegFaults(contest, settings, leg)
        self.seating = None
        if any(seat.kind == "wasm" for seat in leg.seats):
            seating_args = contest, settings, leg, artifacts, self.core, self.faults, playing.stopping
            self.seating = on_deep_stack(new_seating, *seating_args, measures_bots=playing.measures_bots)
        self.rows = LegRows(playing.spool, games, sessions)
        self._failures, self._failures_counted = list(self.before.failures), 0

    @property
    def leg(self) -> Leg:
        """The leg."""
        return self.began.leg

    @property
    def tries(self) -> int:
        """Number of attempts at the leg, including this one."""
        return self.before.tries + 1

    @property
    def is_over(self) -> bool:
        """True if a disqualification has ended the leg."""
        return self.faults.ended_by is not None

    def seat(self, player: ProcessSeat) -> None:
        """Give a player its process and a slot in it. Its memory must be reserved.

        Raises:
            InputError: The machine can't confine it, or a package of the settings isn't installed.
            MachineBusyError: The system starts no process now.
            RunError: The machine can't start it.
            OSError: Too many files are open, or a program's file can't be read.
        """
        self.playing.pool.seat(player, self.leg, self.core)

    def open_lane(self) -> int:
        """Open the leg's lane, once all players have their processes, start the bots, and return the lane's number.

        Answers of an interrupted attempt are replayed. If the leg is over already, no bot is started.
        """
        channels = [BY_CALLER if seat.kind == "caller" else -1 for seat in self.leg.seats]
        slots = [-1] * len(self.leg.seats)
        for player in self.players:
            assert player.process
            channels[player.number], slots[player.number] = player.process.channel, player.slot
        referee = self.seating.referee if self.seating else None
        games, sessions = self._tables
        replayed = self.before.answers, self.before.values
        # Only a trainer numbers its legs by rows; others' matches can have numbers of more than 32 bits.
        row = self.leg.plan.match if BY_CALLER in channels else -1
        self.lane = self.playing.lanes.open_lane(
            self.core, referee, games, sessions, channels, slots, *replayed, row=row
        )
        for player in self.players:
            player.lane = self.lane
            self._let_listen(player)
            if not self.is_over:
                self.playing.lanes.start_bot(self.lane, player.number, player.seat.random_seed)
        return self.lane

    def _let_listen(self, player: ProcessSeat) -> None:
        """Let the core read what a seat's bot prints, if its process plays this leg alone. Otherwise do nothing."""
        if player.process and player.process.shared_by is None:
            read_output = self.playing.lanes.channels.take_printed
            self.core.set_output_reader(player.number, partial(read_output, player.process.channel))

    def keep_rows(self) -> None:
        """Spool the rows that the core has written, so that it can write more.

        Raises:
            OSError: They can't be written.
        """
        self.rows.take(*self.playing.lanes.take_rows(self.lane))

    def found_fault(self) -> tuple[int, Failure, bytes]:
        """Return the pending bot's fault: its seat, the failure, and the bot's output.

        The output is b"" for a process whose answer the core refuses. A fault of an interrupted attempt is returned
        again, with its output. A held one is taken.

        Raises:
            BotTrouble: A WebAssembly bot takes far too long for its fuel.
            Stopped: The run is stopping.
            RunError: This machine is at fault.
        """
        number = self.core.pending()[1]
        if self.playing.lanes.fails_again(self.lane):
            stored = self._failures[self._failures_counted]
            return number, stored.failure, stored.printed
        if number in self.held:
            return number, *self.held.pop(number)
        if self.seating and self.leg.seats[number].kind == "wasm":
            return number, self.seating.take_failure(), self.seating.printed(number)
        return number, Failure(refusal(self.playing.contest.interface, self.core)), b""

    def fault(self, number: int, failure: Failure, printed: bytes = b"") -> bool:
        """Record a fault of a seat's bot, and continue with the default answer. A bot that isn't asked has it later.

        Args:
            number: Number of the seat.
            failure: The failure. After a replay the one of the interrupted attempt counts.
            printed: The bot's output, b"" if it is unknown.

        Returns:
            Whether the leg continues. It does while the fault is held for later.

        Raises:
            BotTrouble: A WebAssembly bot failed for a reason outside of the game.
            InputError: The machine can't confine a new bot.
            RunError: The machine can't start one.
            OSError: Too many files are open, or a program's file can't be read.
            Stopped: The run is stopping.
        """
        if not self.playing.lanes.stop(self.lane, number):
            self.held[number] = failure, printed
            return True
        player = self._player(number)
        if player:
            failure, printed = self._keep_failure(player, failure, printed)
        talks = player is not None and player.dialogue is not None  # a dialogue can't begin in the middle
        failure = replace(failure, what=printable(failure.what))
        restart = self.faults.add(self.core, failure, printed, replaceable=not talks)
        if restart is not None and self._replace(number, restart):
            self.core.note_restart(number)
        elif self.is_over:
            return False
        else:
            self._dismiss(number)
        if not (player and self.playing.lanes.resume_after_failure(self.lane)):
            self.playing.lanes.resume(self.lane, self.core.default())
        return True

    def _keep_failure(self, player: ProcessSeat, failure: Failure, printed: bytes) -> tuple[Failure, bytes]:
        """Keep a process's failure, or take the one that it had here before the leg broke off.

        If that had ended its process, its process of this leg alone is ended now.

        Returns:
            The failure that counts, and the bot's output.
        """
        self.held.pop(player.number, None)
        if not self.playing.lanes.fails_again(self.lane):
            stored = KeptFailure(failure, printed, player.process is None)
            self._failures.insert(self._failures_counted, stored)
        stored = self._failures[self._failures_counted]
        self._failures_counted += 1
        if stored.has_ended and player.process and player.process.shared_by is None:
            self.playing.pool.end(player.lose_process())
        return stored.failure, stored.printed

    def broken_off(self) -> BrokenLeg:
        """Return what counts of the leg if it begins again: tries, the answers so far, and failures in their order."""
        return BrokenLeg(self.tries, *self.playing.lanes.answers(self.lane), tuple(self._failures))

    def _dismiss(self, number: int) -> None:
        """Dismiss a disqualified bot, and continue the leg without it. A process receives OVER and ends, or leaves."""
        self.core.dismiss(number)
        if player := self._player(number):
            self._part_with(player, OVER, more_come=True)
            player.process = None

    def _replace(self, number: int, seat: Seat) -> bool:
        """Start a new bot at a seat, and return whether it could start.

        A process always can: what goes wrong later is one more fault. It is kept if it still runs.

        Args:
            number: Number of the seat.
            seat: The seat with the new bot's seed.

        Raises:
            BotTrouble: A WebAssembly bot failed for a reason outside of the game.
            InputError: The machine can't confine it.
            RunError: The machine can't start it.
            OSError: Too many files are open, or a program's file can't be read.
            Stopped: The run is stopping.
        """
        player = self._player(number)
        if player is None:
            assert self.seating
            return seat_again(self.seating, number, seat, self.core, self.faults)
        if player.process is None:
            process = self.playing.pool.seat_again(player, self.leg, self.core)
            self.playing.lanes.change_channel(self.lane, number, process.channel)
            self._let_listen(player)
        self.playing.lanes.start_bot(self.lane, number, seat.random_seed)
        return True

    def _player(self, number: int) -> ProcessSeat | None:
        """Return the seat's bot if it is a process, otherwise None."""
        return next((player for player in self.players if player.number == number), None)

    def result(self) -> PlayedLeg:
        """Return the finished leg's result, including faults found only at its end. Spool its last rows.

        If a disqualification ended the leg, no such faults are added.

        Raises:
            RulesFailed: The rules failed.
            BotTrouble: The faults can't be kept.
            OSError: The last rows can't be spooled.
        """
        for player in [] if self.is_over else self.players:
            failure = player.process.violation_at_end() if player.process else None
            failure, _ = self.held.pop(player.number, (failure, b""))
            if failure:
                self.faults.add_at_end(player.number, self.core, failure)
        self.keep_rows()
        used = self.seating.used() if self.seating else [Used()] * len(self.leg.seats)
        for player in self.players:
            used[player.number] = self._used(player)
        outcome = outcome_of(self.playing.contest, self.leg, self.core, self.faults, used, tries=self.tries)
        decisions = self.playing.lanes.decisions(self.lane)
        entrant_usage = tuple([sum(decisions[seat] for seat in seats) for seats in seats_by_entrant(self.leg)])
        return PlayedLeg(self.playing.contest, outcome, self.rows, entrant_usage)

    def _used(self, player: ProcessSeat) -> Used:
        """Return the usage of a bot that is a process. The peak memory of a dismissed one is 0."""
        if player.process is None:
            return Used(0.0, player.cpu_before, 0, self.playing.lanes.slowest_seconds(self.lane, player.number))
        return player.process.used(player)

    def leave(self, *, more_come: bool, scores: bool = False) -> None:
        """Leave the lane and the processes, which end unless other legs play there or might come.

        Args:
            more_come: Whether more legs can come to shared processes.
            scores: Whether programs receive their scores, or OVER if a disqualification ended the leg. By default they
                receive nothing.
        """
        for player in self.players:
            self._part_with(player, self._last_words(player) if scores else b"", more_come=more_come)
        self.playing.lanes.drop(self.lane)

    def _part_with(self, player: ProcessSeat, last_words: bytes, *, more_come: bool) -> None:
        """Take a player out of its process, which ends unless other legs play there or might come.

        Args:
            last_words: Bytes to write to a program before its end, b"" for none. Other processes don't receive them.
            more_come: Whether more legs can come to a shared process.
        """
        pool, process = self.playing.pool, player.process
        if process is None:
            return
        process.remove(player)
        if process.shared_by is None:
            pool.end(process, last_words)
        elif process.channel in pool.by_channel:
            self.playing.lanes.end_bot(self.lane, player.number)
            if not process.players and not (more_come and pool.has_free_slot(process)):
                pool.end(process)

    def _last_words(self, player: ProcessSeat) -> bytes:
        """Return the last lines sent to a program when its leg ends.

        They are OVER after a disqualification. Otherwise they are the closing lines of its dialogue, or without one its
        entrant's points per session.
        """
        if self.is_over:
            return OVER
        if player.dialogue:
            return "".join(f"{line}\n" for line in player.dialogue.closing_lines()).encode()
        points = self.core.sums()[player.number // self.leg.members].points / max(1, self.core.sessions_played)
        return f"SCORE {points:.6f}\n".encode()
