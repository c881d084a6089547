"""Processes of the system: which descend from one, which have ended; and waiting for a condition."""

from __future__ import annotations

import contextlib
import re
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path


def comes(what: Callable[[], object], seconds: float = 60.0, run: subprocess.Popen[str] | None = None) -> bool:
    """Wait until `what()` is true; False when it isn't within so many seconds, or when the process `run` has ended."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end or (run is not None and run.poll() is not None):
            return bool(what())
        time.sleep(0.01)
    return True


def is_gone(pid: int) -> bool:
    """Whether a process has ended; its parent need not have reaped it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


def are_gone(processes: Iterable[int], seconds: float = 5.0) -> bool:
    """Whether all of these end within so many seconds."""
    return comes(lambda: all(map(is_gone, processes)), seconds)


def descendants(of: int) -> dict[int, str]:
    """The processes that descend from one, with their command lines."""
    parents: dict[int, int] = {}
    lines: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                if fields[0] not in ("Z", "X"):
                    parents[int(entry.name)] = int(fields[1])
                    lines[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ")

    def descends(process: int) -> bool:
        while process in parents and process != of:
            process = parents[process]
        return process == of

    return {process: lines[process] for process in lines if process != of and descends(process)}


def innermost(of: int) -> list[int]:
    """Those descendants of a process that have none themselves: in a run, mostly bots."""
    found = descendants(of)
    return [process for process in found if not descendants(process)]


def ray_workers(driver: int) -> list[int]:
    """The workers of the Ray that a process started."""
    return [process for process, line in descendants(driver).items() if re.match("ray::.*play", line)]
