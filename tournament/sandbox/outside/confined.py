"""A running confined process: what it has used of the machine, and its end."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from pathlib import Path
from typing import Protocol

from tournament.sandbox.outside.launch import Limits
from tournament.sandbox.outside.own_time import Use, run_delays

# Programs may map the files of their folders, which have at most this many bytes.
_ROOM_FOR_FILES = 64 << 20
_LONGEST_END = 10.0  # seconds


class _Running(Protocol):
    """A started process, however it was started."""

    @property
    def pid(self) -> int: ...
    def end(self) -> int: ...


class Confined:
    """A running confined process and its pipes: file descriptors, all ours to close by `end`."""

    def __init__(self, running: _Running, limits: Limits, to: int, answers: int, errors: int) -> None:
        self._running: _Running | None = running
        self._limits = limits
        self.pid = running.pid
        self.to = to
        self.answers = answers
        self.errors = errors
        self.status = 0

    def cpu_seconds(self) -> float:
        """The processor time that it has taken, over all its threads."""
        return cpu_seconds(self.pid)

    def memory_bytes(self) -> int:
        """The most memory that it has had at once."""
        return self._sizes().get("VmHWM", 0)

    def has_taken_too_much(self) -> bool:
        """Whether it has, or has had, more memory than its limits allow.

        The system's own limit forgets memory that was written to and then made read-only. What is resident now is
        known exactly. The peak includes pages of files, so some are allowed: the program's, and as much as a folder
        may have.
        """
        # Between fork and exec it has our own memory, so it is measured again once an exec was seen.
        return self._exceeds() and _addresses(str(self.pid)) != _addresses("self") and self._exceeds()

    def _exceeds(self) -> bool:
        """Whether the memory that the system now counts as its own, or once did, is more than its limits allow."""
        sizes, most = self._sizes(), self._limits.resident_bytes
        files = sizes.get("VmExe", 0) + sizes.get("VmLib", 0) + _ROOM_FOR_FILES
        now = sum(sizes.get(name, 0) for name in ("RssAnon", "RssShmem", "VmSwap"))
        return now > most or sizes.get("VmHWM", 0) > most + files

    def _sizes(self) -> dict[str, int]:
        """Bytes by the names of /proc/<pid>/status, {} when it has ended."""
        try:
            text = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return {}
        words = (line.split() for line in text.splitlines() if line.startswith(("Vm", "Rss")))
        return {name.rstrip(":"): int(size) << 10 for name, size, *_ in words}

    def waits_for_processor(self) -> bool:
        """Whether one of its threads runs, or would if the machine were not busy."""
        return any(_state(folder) in ("R", "D") for folder in self._threads())

    def run_delay(self) -> float:
        """Seconds that its threads were ready to run but had to wait for a processor."""
        return sum(run_delays(Path(f"/proc/{self.pid}")).values())

    def use(self) -> Use:
        """What it has used of the machine."""
        return Use(self.cpu_seconds(), self.run_delay(), self.waits_for_processor())

    def has_ended(self) -> bool:
        """Whether it has ended."""
        return self._running is None or _state(Path(f"/proc/{self.pid}")) in ("Z", "X", "")

    def _threads(self) -> list[Path]:
        try:
            return list(Path(f"/proc/{self.pid}/task").iterdir())
        except OSError:
            return []

    def threads(self) -> int:
        """How many threads it has."""
        try:
            text = Path(f"/proc/{self.pid}/stat").read_text()
        except OSError:
            return 0
        return int(text.rsplit(")", 1)[1].split()[17])

    def has_written(self) -> bool:
        """Whether some of its answers can be read."""
        waiting = select.poll()
        waiting.register(self.answers, select.POLLIN)
        return bool(waiting.poll(0))

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
            return self.status
        running, self._running = self._running, None
        # Before its pipes are closed, or it might see that and go on for a moment.
        self.status = running.end()
        self.close_input()
        os.close(self.answers)
        os.close(self.errors)
        return self.status

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


def _addresses(process: str) -> list[str]:
    """Where the stack, arguments and environment of a process lie: these move when it executes a program."""
    try:
        fields = Path("/proc", process, "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []
    return [fields[25], *fields[45:49]]


def _state(folder: Path) -> str:
    """The letter of a process's or thread's state, by its folder in /proc; "" when there is none."""
    try:
        return (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return ""
