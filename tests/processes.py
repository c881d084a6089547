"""Processes of the system: which descend from one, which have ended, and waiting for a condition."""

from __future__ import annotations

import contextlib
import os
import re
import select
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path


def wait_until(what: Callable[[], object], seconds: float = 60.0, run: subprocess.Popen[str] | None = None) -> bool:
    """Wait until `what()` is true, and return whether it is within this many seconds and before `run` ends."""
    began = time.monotonic()
    while not what():
        waited = time.monotonic() - began
        if waited > seconds or (run is not None and run.poll() is not None):
            return bool(what())
        # Looking costs processor time that the others need.
        time.sleep(min(max(0.01, waited / 20), 0.25))
    return True


def wait_until_exited(processes: Iterable[int], seconds: float = 60.0) -> bool:
    """Return whether all of these end within this many seconds, even if their parents haven't reaped them."""
    end = time.monotonic() + seconds
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            descriptor = os.pidfd_open(process)
            try:
                if not select.select([descriptor], [], [], max(0, end - time.monotonic()))[0]:
                    return False
            finally:
                os.close(descriptor)
    return True


def _parents() -> dict[int, int]:
    """Return the parent of each process that has not ended."""
    found: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            state, parent = Path(f"/proc/{name}/stat").read_text().rsplit(")", 1)[1].split()[:2]
            if state not in "ZX":
                found[int(name)] = int(parent)
    return found


def descendants(of: int) -> dict[int, str]:
    """Return the processes that descend from one, with their command lines."""
    parents = _parents()

    def descends(process: int) -> bool:
        while process in parents and process != of:
            process = parents[process]
        return process == of

    lines: dict[int, str] = {}
    for process in parents:
        if process != of and descends(process):
            with contextlib.suppress(OSError):
                lines[process] = Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    return lines


def ray_workers(driver: int) -> list[int]:
    """Return the workers of the Ray that a process started."""
    return [process for process, line in descendants(driver).items() if re.match("ray::.*play", line)]
