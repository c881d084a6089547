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
    """Wait for the end of the input, then clear up the folder that is the first argument.

    Processes that use it are killed, for ten seconds at most. This process and its parent are spared. What can't be
    removed stays.
    """
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
    """Return the ids of processes with an open file below a folder, in any order. All of Ray's processes log there.

    Processes whose open files this user can't see are left out.

    Args:
        folder: Path of the folder, without links and without a slash at its end.
        spared: Ids of processes that are left out.

    Raises:
        OSError: The list of processes can't be read.
    """
    process_ids = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in spared:
            with contextlib.suppress(OSError):
                if any(_target(entry).startswith(f"{folder}/") for entry in os.scandir(f"/proc/{name}/fd")):
                    process_ids.append(int(name))
    return process_ids


def _target(entry: os.DirEntry[str]) -> str:
    """Return the path of an open file, or "" if it can't be read, for example because the file was closed."""
    try:
        return os.readlink(entry.path)
    except OSError:
        return ""


if __name__ == "__main__":
    main()
