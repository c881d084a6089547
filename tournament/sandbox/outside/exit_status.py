"""How processes end: in words, and who is to blame."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

# Statuses for a signal: of the process itself, and as reported by the one that started it.
OUT_OF_TIME = (-signal.SIGXCPU, 256 - signal.SIGXCPU)
_ABORTED = (-signal.SIGABRT, 256 - signal.SIGABRT)
# A bot may end with such a status by itself, so these count only for builds.
_KILLED_IN_BUILD = (256 - signal.SIGKILL, 128 + signal.SIGKILL)
KILLED = "the system ended its process, for want of memory perhaps"
_FIRST_QUEUED_SIGNAL = 32  # bots can't send these


@dataclass(frozen=True)
class Ending:
    """How a process ended: exit status, minus a signal's number, and the most memory that it had at once, if known."""

    status: int
    peak_bytes: int = 0


Blame = Literal["no one", "the bot", "the machine"]


def judge(
    status: int | None, *, passed_limit: bool = False, kills: int = 0, of: Literal["bot", "build", "compiler"] = "bot"
) -> Blame:
    """Return who is to blame for how a confined process ended.

    Confined processes ignore what others send them (`inside.bootstrap`) and can't send themselves the signals that
    count as the machine's. Their limit of processor time sends two of these.

    Args:
        status: Exit status, or minus a signal's number; None for a process that had to be ended.
        passed_limit: Whether it passed a limit of time, memory, disk or processes.
        kills: How many processes the system killed for memory meanwhile.
        of: What ended: a supervisor tells the signals of builds and compilers, and compilers abort without memory.
    """
    if passed_limit or status is None:
        return "the bot"
    if status == 0:
        return "no one"
    if kills or status in (-signal.SIGKILL, -signal.SIGXCPU) or -status >= _FIRST_QUEUED_SIGNAL:
        return "the machine"
    told = {"bot": (), "build": _KILLED_IN_BUILD, "compiler": (*_KILLED_IN_BUILD, *_ABORTED)}
    return "the machine" if status in told[of] else "the bot"


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
