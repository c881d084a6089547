"""How processes end: in words, and whether the system ended them because memory was short."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import dataclass
from pathlib import Path

from tournament.sandbox.outside.process_time import MachineBusyError

# Statuses for SIGKILL: of the process itself, and as reported by the one that started it.
KILLED = (-signal.SIGKILL, 256 - signal.SIGKILL, 128 + signal.SIGKILL)

_FIRST_QUEUED_SIGNAL = 32  # bots can't send these


@dataclass(frozen=True)
class Ending:
    """How a process ended: exit status, minus a signal's number, and the most memory that it had at once, if known."""

    status: int
    peak_bytes: int = 0


def comes_from_outside(status: int) -> bool:
    """Whether a status is that of a signal which no confined process can send itself.

    Its limit of processor time sends two of them. All others are ignored unless they come from what it executes itself
    (`inside.bootstrap`).
    """
    return -status in (signal.SIGKILL, signal.SIGXCPU) or -status >= _FIRST_QUEUED_SIGNAL


def how_it_ended(status: int) -> str:
    """An exit status in words."""
    if status == 0:
        return "ended"
    if status > 0:
        return f"ended with status {status}"
    if -status == signal.SIGXCPU:
        return "used up its processor time"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return "was killed"


def kills_for_memory() -> int:
    """How many processes the system has killed because memory was short: of our cgroup where that is counted, else of
    the whole machine."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        group = next(line.removeprefix("0::/") for line in lines if line.startswith("0::/"))
        return _counted(Path("/sys/fs/cgroup", group, "memory.events"))
    with contextlib.suppress(OSError):
        return _counted(Path("/proc/vmstat"))
    return 0


def _counted(file: Path) -> int:
    """The kills that a file of the system's counts."""
    return sum(int(line.split()[1]) for line in file.read_text().splitlines() if line.startswith("oom_kill "))


def check_killed(status: int | None) -> None:
    """Raise MachineBusyError for a status that tells so."""
    if status == -signal.SIGKILL:
        raise MachineBusyError("the system ended its process, for want of memory perhaps")
