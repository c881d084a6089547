"""Clears up after a run that started a Ray, however the run ends.

Run by its path, with a folder as its argument and a pipe as its input. When the pipe closes, the run is over. Then
processes that still use the folder are killed, and the folder is removed. Ray's own agents would live on for a minute.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time

_SECONDS = 10.0


def main() -> None:
    """Wait for the end of the input, then clear up."""
    folder = sys.argv[1]
    spared = {os.getpid(), os.getppid()}  # a run that has ended well goes on
    while os.read(0, 1):
        pass
    deadline = time.monotonic() + _SECONDS
    while (processes := working_in(folder, spared)) and time.monotonic() < deadline:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)


def working_in(folder: str, spared: set[int]) -> list[int]:
    """Return the ids of processes, except those spared, with an open file in a folder, in which all of Ray's log."""
    process_ids = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in spared:
            with contextlib.suppress(OSError):
                if any(_target(entry).startswith(f"{folder}/") for entry in os.scandir(f"/proc/{name}/fd")):
                    process_ids.append(int(name))
    return process_ids


def _target(entry: os.DirEntry[str]) -> str:
    try:
        return os.readlink(entry.path)
    except OSError:
        return ""


if __name__ == "__main__":
    main()
