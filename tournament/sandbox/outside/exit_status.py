"""The ways in which processes end: as text, and with the cause."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

# Statuses for a signal: of the process itself, and as its parent reports it.
OUT_OF_TIME = (-signal.SIGXCPU, 256 - signal.SIGXCPU)
_ABORTED = (-signal.SIGABRT, 256 - signal.SIGABRT)
# A bot can exit with such a status, so these count only for builds.
_KILLED_IN_BUILD = (256 - signal.SIGKILL, 128 + signal.SIGKILL)
KILLED = "the system ended its process, for want of memory perhaps"
_FIRST_QUEUED_SIGNAL = 32  # bots can't send these


@dataclass(frozen=True)
class Ending:
    """The end of a process.

    Attributes:
        status: Exit status, or minus a signal's number.
        peak_bytes: Peak of its resident memory; 0 if unknown.
    """

    status: int
    peak_bytes: int = 0


Blame = Literal["no one", "the bot", "the machine"]


def judge(
    status: int | None, *, passed_limit: bool = False, kills: int = 0, of: Literal["bot", "build", "compiler"] = "bot"
) -> Blame:
    """Return whether the bot or the machine caused a confined process to end.

    Confined processes ignore signals from others (`inside.bootstrap`), and can't send themselves the signals that count
    as the machine's. Two of those come from their limit of processor time.

    Args:
        status: Exit status, or minus a signal's number. None for a process that had to be ended.
        passed_limit: Whether it passed a limit of time, memory, disk or processes.
        kills: Number of processes that the system killed for memory in the meantime.
        of: Kind of process. A supervisor reports the signals of builds and compilers as statuses. Compilers abort when
            memory is short.

    Returns:
        "no one" for the status 0 within the limits. "the machine" for another status within them, if the system killed
            any process for memory, or if the status is that of a signal from outside. Otherwise "the bot".
    """
    if passed_limit or status is None:
        return "the bot"
    if status == 0:
        return "no one"
    if kills or status in (-signal.SIGKILL, -signal.SIGXCPU) or -status >= _FIRST_QUEUED_SIGNAL:
        return "the machine"
    machine_statuses = {"bot": (), "build": _KILLED_IN_BUILD, "compiler": (*_KILLED_IN_BUILD, *_ABORTED)}
    return "the machine" if status in machine_statuses[of] else "the bot"


def how_it_ended(status: int) -> str:
    """Return an exit status, or minus a signal's number, as text without a subject."""
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
    """Return how many processes the system has killed so far for lack of memory. Only differences mean something.

    The count is that of this cgroup if available, otherwise of the whole machine. It is 0 if neither can be read or
    counts kills.
    """
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        group = next(line.removeprefix("0::/") for line in lines if line.startswith("0::/"))
        return _counted(Path("/sys/fs/cgroup", group, "memory.events"))
    with contextlib.suppress(OSError):
        return _counted(Path("/proc/vmstat"))
    return 0


def _counted(file: Path) -> int:
    """Return the number of kills in a file of the system, 0 if it doesn't count them.

    Raises:
        OSError: The file can't be read.
    """
    return sum(int(line.split()[1]) for line in file.read_text().splitlines() if line.startswith("oom_kill "))
