"""A running confined process: its use of the machine, and its end."""

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

# Bytes of files that a program can map: the maximum size of its folder.
_FILE_BYTES = 64 << 20
# Lines of status and of smaps_rollup in /proc.
_SIZES = re.compile(rb"^(VmHWM|VmRSS|VmSwap|VmPTE|VmExe|VmLib|RssAnon|RssShmem):\s+(\d+)", re.MULTILINE)
_OWN = re.compile(rb"^(Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+)", re.MULTILINE)
_LONGEST_END = 10.0  # seconds
_PATIENCE_SECONDS = 0.2


class _Running(Protocol):
    """A started process, no matter how it was started."""

    @property
    def pid(self) -> int:
        """Process ID."""

    def end(self) -> Ending:
        """Kill the process and all that it started, wait for its end, and return how it ended.

        Raises:
            OSError: The system can't be asked for its end.
        """


class Confined:
    """A running confined process and its pipes. `end` closes all of its descriptors, so callers must call it.

    Attributes:
        pid: Its process ID.
        to: Descriptor of its input, −1 once `close_input` or `end` has closed it.
        answers: Descriptor of its output.
        errors: Descriptor of its standard error.

    Args:
        running: The started process.
        limits: Its limits, against which its use is compared here.
        to: Descriptor of its input, which this object closes, as the others.
        answers: Descriptor of its output.
        errors: Descriptor of its standard error.
    """

    def __init__(self, running: _Running, limits: ProcessLimits, to: int, answers: int, errors: int) -> None:
        self._running: _Running | None = running
        self._limits = limits
        self.pid = running.pid
        self.to = to
        self.answers = answers
        self.errors = errors
        self._ending, self._cpu_at_end = Ending(0), 0.0
        self._others_bytes = 0  # resident bytes of files and of shared memory

    def cpu_seconds(self) -> float:
        """Return the processor time that its threads have used, in seconds, or 0 once it has ended."""
        return cpu_seconds(self.pid)

    def memory_bytes(self) -> int:
        """Return the peak of its resident memory, in bytes.

        Once it has ended, this is the system's figure, which is known after `end`. Before that call it is 0. It stays 0
        for a process that wasn't forked by a server.
        """
        return self._sizes().get("VmHWM", self._ending.peak_bytes)

    def has_taken_too_much(self) -> bool:
        """Return whether its own memory exceeds its limits, or once did.

        The system's limit misses memory that was written and then made read-only. The resident memory is known exactly.
        The peak includes pages of files, so the check allows for the file pages seen, and for the maximum size of a
        bot's folder.
        """
        sizes, most = self._sizes(), self._limits.resident_bytes
        self._others_bytes = max(self._others_bytes, sizes.get("VmExe", 0) + sizes.get("VmLib", 0))
        own = sum(sizes.get(name, 0) for name in ("RssAnon", "RssShmem", "VmSwap", "VmPTE"))
        peak = sizes.get("VmHWM", self._ending.peak_bytes)
        if own > most or peak > most + self._others_bytes + _FILE_BYTES:
            if exactly := own_bytes(self.pid):  # 0 once it has ended
                own = min(own, exactly + sizes.get("VmPTE", 0))
            self._others_bytes = max(self._others_bytes, sizes.get("VmRSS", 0) - own)
        return own > most or peak > most + self._others_bytes + _FILE_BYTES

    def _sizes(self) -> dict[str, int]:
        """Return sizes in bytes by the names of /proc/<pid>/status, empty once it has ended."""
        return _sizes(self.pid, "status", _SIZES)

    def use(self) -> ProcessUse:
        """Return what it has used of the machine. If it is stopped, it receives SIGCONT.

        Once it has ended, its processor time is 0, and it counts as asleep.
        """
        folder = Path(f"/proc/{self.pid}")
        now, waits = doing(folder), waited(folder)
        return ProcessUse(self.cpu_seconds(), now == "sleeps", waits, waits is not None and now == "runs")

    def has_ended(self) -> bool:
        """Return whether it has ended, with all its threads. A process that isn't reaped yet has ended, too."""
        fields = stat_fields(Path(f"/proc/{self.pid}")) if self._running else []
        return not fields or (fields[0] in "ZX" and int(fields[17]) < 2)

    def threads(self) -> int:
        """Return the number of its threads, 0 once it has ended."""
        try:
            return os.stat(f"/proc/{self.pid}/task").st_nlink - 2  # each thread is a folder in it
        except OSError:
            return 0

    def has_written(self, seconds: float = 0.0) -> bool:
        """Return whether some of its answers, or their end, can be read now or within this many seconds.

        Args:
            seconds: Longest wait. By default there is none.
        """
        waiting = select.poll()
        waiting.register(self.answers, select.POLLIN)
        return bool(waiting.poll(1000 * seconds))

    def read(self, most: int) -> bytes:
        """Wait for some of its answers, no matter how long, and read up to `most` bytes. Continue it if it is stopped.

        Returns:
            The bytes, at least one, or b"" if it has closed its output or ended.
        """
        while not self.has_written(_PATIENCE_SECONDS):
            self.use()  # continues it if it was stopped
        try:
            return os.read(self.answers, most)
        except ConnectionResetError:  # the process ended before it read all of its input
            return b""

    def write(self, content: bytes) -> None:
        """Write all bytes to its input, no matter how long that takes.

        Raises:
            BrokenPipeError: It has ended, or closed its input.
            OSError: Its input was closed here (`close_input`).
        """
        view = memoryview(content)
        while view:
            view = view[os.write(self.to, view) :]

    def close_input(self) -> None:
        """Close its input, unless that is closed already."""
        if self.to >= 0:
            os.close(self.to)
            self.to = -1

    def kill(self) -> None:
        """Kill it, and leave its pipes open, so that the next reader finds out. Do nothing if it no longer exists."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def end(self) -> int:
        """Kill it with everything that it started, and close its pipes.

        If it has ended before, its status remains. A second call only returns the status.

        Returns:
            Its exit status, or minus the signal's number.

        Raises:
            OSError: The system can't be asked for its end. Its pipes stay open then.
        """
        if self._running is None:
            return self._ending.status
        running, self._running = self._running, None
        self._cpu_at_end = self.cpu_seconds()
        # Kill it before its pipes are closed, because it might react to that for a moment.
        self._ending = running.end()
        self.close_input()
        os.close(self.answers)
        os.close(self.errors)
        return self._ending.status

    def was_killed_from_outside(self) -> bool:
        """Return whether a signal ended it that neither it nor its limits can have sent. Call it after `end`."""
        passed_limit = self._cpu_at_end >= self._limits.cpu_seconds or self.has_taken_too_much()
        return judge(self._ending.status, passed_limit=passed_limit) == "the machine"

    def ended_by_itself(self, patience: float = 0.5) -> int | None:
        """Wait for its end, and return its status as `end` does, or None if it is still running.

        If it has ended, its pipes are closed, too.

        Args:
            patience: Seconds of wall-clock time to wait. A process that has lost its memory is about to end and has ten
                more.

        Raises:
            OSError: The system can't be asked for its end.
        """
        started = time.monotonic()
        while not self.has_ended():
            passed = time.monotonic() - started
            # A process without memory is about to end, which can take long on a busy machine.
            if passed >= patience and (self._sizes() or passed >= patience + _LONGEST_END):
                return None
            time.sleep(0.001)
        return self.end()


def cpu_seconds(process: int) -> float:
    """Return the processor time in seconds that a process's threads have used, or 0 once it has ended."""
    clock = (~process << 3) | 2  # Linux's number for the CPU clock of a process
    try:
        return time.clock_gettime(clock)
    except OSError:
        return 0.0


def own_bytes(process: int) -> int:
    """Return a process's own memory in bytes: without pages of files, and with its share of what processes share.

    It is 0 once the process has ended, or if the system doesn't count it.
    """
    return sum(_sizes(process, "smaps_rollup", _OWN).values())


def _sizes(process: int, file: str, wanted: re.Pattern[bytes]) -> dict[str, int]:
    """Return the sizes in bytes that a file in /proc/<pid> lists, by the names in it.

    The result is empty once the process has ended, or if the file can't be read.

    Args:
        file: Name of the file.
        wanted: Pattern of lines, with groups for the name and the number of KiB.
    """
    folder = f"/proc/{process}"
    if sizes := _sizes_in(f"{folder}/{file}", wanted):
        return sizes
    try:  # the first thread may have ended while others run
        threads = os.listdir(f"{folder}/task")
    except OSError:
        return {}
    return next(filter(None, (_sizes_in(f"{folder}/task/{thread}/{file}", wanted) for thread in threads)), {})


def _sizes_in(path: str, wanted: re.Pattern[bytes]) -> dict[str, int]:
    """Return the sizes in bytes that the file at a path lists, by name, or none if it can't be read."""
    try:
        with open(path, "rb", buffering=0) as file:  # this is done often
            content = file.read()
    except OSError:
        return {}
    return {name.decode(): int(size) << 10 for name, size in wanted.findall(content)}
