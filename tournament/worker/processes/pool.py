"""The processes of a worker's legs: which are started, which legs share one, and how they end."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from engine.kernel.game_core import GameCore
from engine.processes.lanes import Lanes
from tournament.artifacts import python_artifact
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.leg import Leg, Seat
from tournament.sandbox.outside import fork_server
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.launch import LaunchSpec
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import admission, programs, python_bots
from tournament.worker.processes.bot_process import BotProcess, ProcessSeat, SharedBy
from tournament.worker.processes.core_affinity import CoreAffinity, Load

# Maximum number of unshared processes, unless no unshared one runs.
MAX_OWN_PROCESSES = 24
# Maximum number of processes of both kinds, unless a leg alone needs more.
MAX_PROCESSES = 96
# Python bots, by artifact, of which a process of several legs went beyond its limits. Without a collection of cycles
# legs leave more behind than they do alone, so these bots get a process for each leg.
_outgrown: set[str] = set()


class StartProgram(Protocol):
    """A function that starts a program in the place of the one in its archive."""

    def __call__(self, *, memory_megabytes: int, cpu_seconds: int) -> Confined:
        """Start a program with this memory of a bot, in MiB, and this limit of processor time, in seconds.

        The caller ends the process that is returned.

        Raises:
            InputError: The machine can't confine it.
            RunError: The machine can't start it.
            OSError: Its file can't be read, or too many files are open.
        """


class Pool:
    """Starts, shares and ends processes. `close` must be called in the end.

    Attributes:
        by_channel: Running processes, by the numbers of their channels. Callers must not change it.
        one_core: The core of this worker and its Python bots.

    Args:
        contest: The contest.
        settings: The contest's settings.
        sandbox: Settings of the sandbox.
        artifacts: Contents of bots, by sha256.
        cache: Folder of the cache, into which programs are unpacked.
        lanes: The lanes in which the legs play.
        start_program: Starts programs in the place of those in archives; None to start these, the default.
    """

    def __init__(
        self,
        contest: Contest,
        settings: ContestSettings,
        sandbox: SandboxSettings,
        artifacts: Mapping[str, bytes],
        cache: Path,
        lanes: Lanes,
        start_program: StartProgram | None = None,
    ) -> None:
        self._contest = contest
        self._settings = settings
        self._sandbox = sandbox
        self._artifacts = artifacts
        self._cache = cache
        self._start_program = start_program
        self._lanes, self._channels = lanes, lanes.channels
        self.by_channel: dict[int, BotProcess] = {}
        self._shared: dict[SharedBy, BotProcess] = {}
        self.one_core = CoreAffinity()
        self._launches: dict[tuple[str, str, bool], LaunchSpec] = {}
        self._bytes: dict[Confined, int] = {}  # memory limit of each process
        self._taken = 0  # reserved bytes

    def reserve_memory_for(self, players: Sequence[ProcessSeat]) -> bool:
        """Reserve the memory of all processes of a leg, and return whether they can start now.

        If they can't, idle processes are ended. If no process is left then, it tries again. They can't if the worker's
        memory budget or the number of processes would be exceeded. Processes of a single leg can exceed the number.
        """
        if self._try_reserve_for(players):
            return True
        for process in list(self.by_channel.values()):
            if not process.players:
                self.end(process)
        return not self.by_channel and self._try_reserve_for(players)

    def _needing_processes(self, players: Sequence[ProcessSeat]) -> list[ProcessSeat]:
        """Return the players for which a process has to be started, in their order."""
        return [player for player in players if self._needs_own(player) or self._shared_by_legs_of(player) is None]

    def _try_reserve_for(self, players: Sequence[ProcessSeat]) -> bool:
        """Reserve the memory of the processes that players need, and return whether that was possible."""
        new = self._needing_processes(players)
        own = sum(self._needs_own(player) for player in new)
        running_own = sum(process.shared_by is None for process in self.by_channel.values())
        if own and running_own and running_own + own > MAX_OWN_PROCESSES:
            return False
        if new and self.by_channel and len(self.by_channel) + len(new) > MAX_PROCESSES:
            return False
        return self._take(sum(self._most_bytes(player.seat) for player in new))

    def _take(self, size: int, *, anyway: bool = False) -> bool:
        """Reserve bytes, and return whether that was possible. With `anyway` it always is."""
        taken = admission.room.reserve(size, anyway=anyway)
        self._taken += size if taken else 0
        return taken

    def _give_back(self, size: int) -> None:
        """Release reserved bytes."""
        admission.room.release(size)
        self._taken -= size

    def _most_bytes(self, seat: Seat) -> int:
        """Return the memory limit of a seat's process in bytes, 0 if its bot has none."""
        return most_bytes_of(seat.kind, self._settings.memory_megabytes, self._sandbox)

    def _needs_own(self, player: ProcessSeat) -> bool:
        """Return whether a player must not share a process, because of its leg, its bot or the settings."""
        seat = player.seat
        if player.alone or seat.artifact in _outgrown or seat.kind == "program" or self._sandbox.legs_per_process == 1:
            return True
        return not python_artifact.legs_may_share(self._artifacts[seat.artifact])

    def _shared_by_legs_of(self, player: ProcessSeat) -> BotProcess | None:
        """Return the process that a bot's legs share, or None if there is none with a free slot."""
        shared = self._shared.get(_sharing_key(player))
        return shared if shared and self.has_free_slot(shared) else None

    def seat(self, player: ProcessSeat, leg: Leg, core: GameCore) -> BotProcess:
        """Give a player the process that its bot's legs share, or a new one, and a slot in it.

        The memory must be reserved. A program gets a dialogue, or the number of the leg's sessions as its first line.

        Args:
            player: The player.
            leg: The player's leg.
            core: The leg's core, which a dialogue reads.

        Raises:
            InputError: The machine can't confine the process, or a package of the settings isn't installed.
            MachineBusyError: The system starts no process now.
            RunError: The machine can't start it, or a program's command isn't found.
            OSError: Too many files are open, or a program's file can't be read.
        """
        seat, settings = player.seat, self._settings
        shared_by = None if self._needs_own(player) else _sharing_key(player)
        process = self._shared_by_legs_of(player) if shared_by else None
        if process is None:
            greeting = b""
            if seat.kind == "program":
                if new_dialogue := self._contest.interface.new_dialogue:
                    player.dialogue = new_dialogue(core, seat.helpers_key)
                else:
                    greeting = f"{leg.plan.sessions}\n".encode()
            confined = self._start(seat, many_legs=shared_by is not None)
            self._bytes[confined] = self._most_bytes(seat)
            channel = self._channels.open(
                confined.to,
                confined.answers,
                confined.errors,
                lines=seat.kind == "program",
                greeting=greeting,
                dialogue=player.dialogue,
            )
            notes = seat.kind == "python" and python_artifact.legs_may_share(self._artifacts[seat.artifact])
            process = BotProcess(confined, channel, seat, self._lanes, settings, leg, shared_by, notes)
            self.by_channel[channel] = process
            if shared_by:
                self._shared[shared_by] = process
        process.add(player)
        return process

    def _start(self, seat: Seat, *, many_legs: bool) -> Confined:
        """Start a seat's bot. Its launch is kept, and made again only if a program's folder has been removed.

        Args:
            seat: The seat.
            many_legs: Whether legs will share the process.

        Raises:
            InputError: The machine can't confine the process, or a package of the settings isn't installed.
            MachineBusyError: The system starts no process now.
            RunError: The machine can't start it, or a program's command isn't found.
            OSError: Too many files are open, or a program's file can't be read.
        """
        artifact, megabytes = self._artifacts[seat.artifact], self._settings.memory_megabytes
        # A last resort, should the audit fail. The bot can read this limit, so it is the same for shared processes.
        seconds = int(self._settings.process_time(seat.kind).bank * 1000) + 86400
        if seat.kind == "program" and self._start_program:
            return self._start_program(memory_megabytes=megabytes, cpu_seconds=seconds)
        launch = self._launches.get(key := (seat.name, seat.artifact, many_legs))
        if launch is None or (launch.folder and not launch.folder.exists()):
            if seat.kind == "python":
                launch = python_bots.launch_of(
                    artifact,
                    seat.name,
                    self._contest.interface,
                    self._sandbox,
                    memory_megabytes=megabytes,
                    cpu_seconds=seconds,
                    many_legs=many_legs,
                )
            else:
                launch = programs.launch_of(
                    artifact, self._sandbox, self._cache, memory_megabytes=megabytes, cpu_seconds=seconds
                )
            self._launches[key] = launch
        return fork_server.start(launch, self._sandbox.mode)

    def seat_again(self, player: ProcessSeat, leg: Leg, core: GameCore) -> BotProcess:
        """Start a process for a player whose own has ended, even if that exceeds the memory budget.

        Raises:
            InputError: The machine can't confine the process, or a package of the settings isn't installed.
            MachineBusyError: The system starts no process now.
            RunError: The machine can't start it, or a program's command isn't found.
            OSError: Too many files are open, or a program's file can't be read.
        """
        self._take(self._most_bytes(player.seat), anyway=True)
        return self.seat(player, leg, core)

    def give_back_room(self, players: Sequence[ProcessSeat]) -> None:
        """Release what was taken for a leg that doesn't begin: reserved memory, slots, and its unshared processes."""
        for player in players:
            if process := player.process:
                player.process = None
                process.players.remove(player)
                if process.shared_by is None:
                    self.end(process)
            elif self._needing_processes([player]):
                self._give_back(self._most_bytes(player.seat))

    def has_free_slot(self, process: BotProcess) -> bool:
        """Return whether more legs can join a process. Finished legs free no slot, because their memory remains.

        No leg can join one that isn't shared, has ended, or has had as many legs as the settings allow.
        """
        return self._is_shared(process) and process.slots < self._sandbox.legs_per_process

    def _is_shared(self, process: BotProcess) -> bool:
        """Return whether a process is the one that legs of its bot share now."""
        return process.shared_by is not None and self._shared.get(process.shared_by) is process

    def stop_sharing(self, process: BotProcess) -> None:
        """Give later legs of the process's bot processes of their own, as long as this worker runs.

        The bot is known by its artifact. Legs that play in the process now stay there.
        """
        _outgrown.add(process.seat.artifact)

    def end(self, process: BotProcess, last_words: bytes = b"") -> None:
        """End a process, unless it was ended before, and release its memory.

        Args:
            process: The process.
            last_words: Bytes for a program, after what was not sent yet. It might end before it reads them. Python bots
                receive none.
        """
        if process.shared_by and self._is_shared(process):
            del self._shared[process.shared_by]
        if self.by_channel.pop(process.channel, None) is None:
            return
        confined = process.confined
        self.one_core.forget(confined.pid)
        if last_words and process.seat.kind == "program":
            with contextlib.suppress(OSError):  # has ended, or reads nothing
                os.write(confined.to, self._channels.unsent(process.channel) + last_words)
        self._channels.close(process.channel)
        confined.end()
        self._give_back(self._bytes.pop(confined))

    def close(self) -> None:
        """End every process, release all reserved memory, and give up the core. The pool can't be used afterwards."""
        self.one_core.leave()
        for confined in self._bytes:
            confined.end()
        self._give_back(self._taken)
        self._bytes.clear()
        self.by_channel.clear()

    def python_loads(self) -> dict[int, Load]:
        """Return the loads of Python bots' processes, by process ID. Programs share no core, but run simultaneously."""
        return {
            process.confined.pid: Load(
                self._channels.is_outstanding(process.channel)[1], process.confined.cpu_seconds()
            )
            for process in self.by_channel.values()
            if process.seat.kind == "python"
        }


def most_bytes_of(kind: str, memory_megabytes: int, sandbox: SandboxSettings) -> int:
    """Return the memory limit of a bot's process in bytes, or 0 if this kind of bot has no process.

    Args:
        kind: Kind by which the bot plays, such as "program", "python" or "wasm".
        memory_megabytes: Memory of a bot by the settings, in MiB.
        sandbox: The table [sandbox].
    """
    if kind == "program":
        return programs.most_megabytes(memory_megabytes) << 20
    return python_bots.most_megabytes(memory_megabytes, sandbox) << 20 if kind == "python" else 0


def _sharing_key(player: ProcessSeat) -> SharedBy:
    """Return the key of a bot whose legs share a process. Entrants with equal files share none."""
    return player.seat.name, player.seat.artifact, player.later, player.place
