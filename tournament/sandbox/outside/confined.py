"""A running confined process: what it has used of the machine, and its end."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import time
from pathlib import Path
from typing import Protocol

from tournament.sandbox.outside.exit_status import Ending, judge
from tournament.sandbox.outside.launch import ProcessLimits
from tournament.sandbox.outside.process_time import ProcessUse, doing, stat_fields, waited

# Programs may map the files of their folders, which have at most this many bytes.
_ROOM_FOR_FILES = 64 << 20
# Lines of status and of smaps_rollup in /proc.
_SIZES = re.compile(rb"^(VmHWM|VmRSS|VmSwap|VmPTE|VmExe|VmLib|RssAnon|RssShmem):\s+(\d+)", re.MULTILINE)
_OWN = re.compile(rb"^(Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+)", re.MULTILINE)
_LONGEST_END = 10.0  # seconds
_PATIENCE_SECONDS = 0.2


class _Running(Protocol):
    """A started process, however it was started."""

    @property
    def pid(self) -> int: ...
    def end(self) -> Ending: ...


class Confined:
    """A running confined process and its pipes: file descriptors, all ours to close by `end`."""

    def __init__(self, running: _Running, limits: ProcessLimits, to: int, answers: int, errors: int) -> None:
        self._running: _Running | None = running
        self._limits = limits
        self.pid = running.pid
        self.to = to
        self.answers = answers
        self.errors = errors
        self._ending, self._cpu_at_end = Ending(0), 0.0
        self._others_bytes = 0  # resident in it, of files and of what it shares

    def cpu_seconds(self) -> float:
        """The processor time that it has taken, over all its threads."""
        return cpu_seconds(self.pid)

    def memory_bytes(self) -> int:
        """The most memory that it has had at once."""
        return self._sizes().get("VmHWM", self._ending.peak_bytes)

    def has_taken_too_much(self) -> bool:
        """Whether it has, or has had, more memory of its own than its limits allow.

        The system's own limit forgets memory that was written to and then made read-only. What is resident now is
        known exactly. The peak includes pages of files, so some are allowed: those that it was seen with, and as much
        as a folder may have.
        """
        # Between fork and exec it has our own memory, so it is measured again once an exec was seen.
        return self._exceeds() and _addresses(str(self.pid)) != _addresses("self") and self._exceeds()

    def _exceeds(self) -> bool:
        """Whether the memory that the system now counts as its own, or once did, is more than its limits allow."""
        sizes, most = self._sizes(), self._limits.resident_bytes
        self._others_bytes = max(self._others_bytes, sizes.get("VmExe", 0) + sizes.get("VmLib", 0))
        own = sum(sizes.get(name, 0) for name in ("RssAnon", "RssShmem", "VmSwap", "VmPTE"))
        peak = sizes.get("VmHWM", self._ending.peak_bytes)
        if own > most or peak > most + self._others_bytes + _ROOM_FOR_FILES:
            if exactly := own_bytes(self.pid):  # else it has ended
                own = min(own, exactly + sizes.get("VmPTE", 0))
            self._others_bytes = max(self._others_bytes, sizes.get("VmRSS", 0) - own)
        return own > most or peak > most + self._others_bytes + _ROOM_FOR_FILES

    def _sizes(self) -> dict[str, int]:
        """Bytes by the names of /proc/<pid>/status, {} when it has ended."""
        return _sizes(self.pid, "status", _SIZES)

    def use(self) -> ProcessUse:
        """What it has used of the machine. If somebody has stopped it, it is told to go on."""
        folder = Path(f"/proc/{self.pid}")
        now, waits = doing(folder), waited(folder)
        return ProcessUse(self.cpu_seconds(), now == "sleeps", waits, waits is not None and now == "runs")

    def has_ended(self) -> bool:
        """Whether it has ended, with all its threads."""
        fields = stat_fields(Path(f"/proc/{self.pid}")) if self._running else []
        return not fields or (fields[0] in "ZX" and int(fields[17]) < 2)

    def threads(self) -> int:
        """How many threads it has."""
        try:
            return os.stat(f"/proc/{self.pid}/task").st_nlink - 2  # of each folder in it, as of any folder
        except OSError:
            return 0

    def has_written(self, seconds: float = 0.0) -> bool:
        """Whether some of its answers can be read now, or within this many seconds."""
        waiting = select.poll()
        waiting.register(self.answers, select.POLLIN)
        return bool(waiting.poll(1000 * seconds))

    def read(self, most: int) -> bytes:
        """Read some of its answers, however long that takes; b"" when it has ended."""
        while not self.has_written(_PATIENCE_SECONDS):
            self.use()  # which has it go on if it was stopped
        try:
            return os.read(self.answers, most)
        except ConnectionResetError:  # it has ended before it read all that was written to it
            return b""

    def write(self, content: bytes) -> None:
        """Write all of it to its input, however long that takes."""
        view = memoryview(content)
        while view:
            view = view[os.write(self.to, view) :]

    def close_input(self) -> None:
        """Let it read the end of its input."""
        if self.to >= 0:
            os.close(self.to)
            self.to = -1

    def kill(self) -> None:
        """Kill it, and leave its pipes open: who asks it next finds out."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def end(self) -> int:
        """Kill it, with all that it started, and close the pipes; its exit status, or minus the signal's number."""
        if self._running is None:
            return self._ending.status
        running, self._running = self._running, None
        self._cpu_at_end = self.cpu_seconds()
        # Before its pipes are closed, or it might see that and go on for a moment.
        self._ending = running.end()
        self.close_input()
        os.close(self.answers)
        os.close(self.errors)
        return self._ending.status

    def was_killed_from_outside(self) -> bool:
        """Whether a signal has ended it that neither it nor one of its limits can have sent; asked after its end."""
        passed_limit = self._cpu_at_end >= self._limits.cpu_seconds or self.has_taken_too_much()
        return judge(self._ending.status, passed_limit=passed_limit) == "the machine"

    def ended_by_itself(self, patience: float = 0.5) -> int | None:
        """Its status as `end` gives it if it has ended or ends soon; None while it goes on."""
        started = time.monotonic()
        while not self.has_ended():
            passed = time.monotonic() - started
            # Without memory it is about to end, which may take long on a busy machine.
            if passed >= patience and (self._sizes() or passed >= patience + _LONGEST_END):
                return None
            time.sleep(0.001)
        return self.end()


def cpu_seconds(process: int) -> float:
    """The processor time that a process has taken, over all its threads; 0 when it has ended."""
    clock = (~process << 3) | 2  # Linux's number for the CPU clock of a process
    try:
        return time.clock_gettime(clock)
    except OSError:
        return 0.0


def own_bytes(process: int) -> int:
    """The memory that is a process's own: no pages of files, and of what processes share each its part."""
    return sum(_sizes(process, "smaps_rollup", _OWN).values())


def _sizes(process: int, file: str, wanted: re.Pattern[bytes]) -> dict[str, int]:
    """What a file in /proc/<pid> says of memory, in bytes; {} when the process has ended."""
    folder = f"/proc/{process}"
    if sizes := _sizes_in(f"{folder}/{file}", wanted):
        return sizes
    try:  # its first thread may have ended, and others go on
        threads = os.listdir(f"{folder}/task")
    except OSError:
        return {}
    return next(filter(None, (_sizes_in(f"{folder}/task/{thread}/{file}", wanted) for thread in threads)), {})


def _sizes_in(path: str, wanted: re.Pattern[bytes]) -> dict[str, int]:
    try:
        with open(path, "rb", buffering=0) as file:  # this is done often
            content = file.read()
    except OSError:
        return {}
    return {name.decode(): int(size) << 10 for name, size in wanted.findall(content)}


def _addresses(process: str) -> list[str]:
    """Where the stack, arguments and environment of a process lie: these move when it executes a program."""
    fields = stat_fields(Path("/proc", process))
    return [fields[25], *fields[45:49]] if fields else []
