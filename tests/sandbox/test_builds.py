"""Limits that the processes of a build share."""

from __future__ import annotations

import os

import pytest

from tests.processes import descendants, wait_until
from tournament.sandbox.outside import run_command
from tournament.sandbox.outside.launch import Build, LaunchSpec, ProcessLimits
from tournament.sandbox.outside.readable_paths import interpreter

FORKS = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
# Each has all that it takes before the next begins, so that a look sees as many as there may be at most.
FEW = """
import os, sys
for _ in range({count}):
    if not os.fork():
        sys.stdin.read()
        os._exit(0)
print("started", flush=True)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
"""
THREADS = """
import threading, time
threading.stack_size(64 << 10)
while True:
    try:
        threading.Thread(target=time.sleep, args=(60,)).start()
    except RuntimeError:
        time.sleep(0.01)
"""

HOARDS = """
import ctypes, threading, time
def hoard():
    kept = b"x" * (250 << 20)
    time.sleep(60)
threading.Thread(target=hoard).start()
{then}
"""


def built(source: str, seconds: float = 60.0, megabytes: int = 4096, *, watched: bool = True) -> run_command.Finished:
    build = Build([[interpreter(), "-S", "-c", source]], {"PATH": "/usr/bin:/bin"}, watched=watched)
    launch = LaunchSpec(build, ProcessLimits(megabytes, 60, open_files=1024, processes=64))
    return run_command.run(launch, "on", seconds)


@pytest.mark.parametrize("source", [FORKS, THREADS], ids=["processes", "threads"])
def test_bomb_in_build_leaves_nothing(source: str) -> None:
    before = set(descendants(os.getpid()))
    done = built(source)
    assert done.in_words == "took more than 64 processes or 1,024 threads"
    assert wait_until(lambda: set(descendants(os.getpid())) <= before)


@pytest.mark.parametrize("then", ["", "ctypes.CDLL(None).syscall(60, 0)"], ids=["", "in the last thread"])
def test_build_with_too_much_memory_is_stopped(then: str) -> None:
    forks = "import os\nfor _ in range(2): os.fork()\n"
    done = built(forks + HOARDS.format(then=then), megabytes=400)
    assert done.in_words == "took more than 800 MB of memory"


def test_shared_memory_of_build_counts_once() -> None:
    """That of all 20 would be 2,000 MB."""
    few = FEW.format(count=19).replace("sys.stdin.read()", "time.sleep(0.5)")
    done = built(f"import time\nx = bytearray(b'x') * (100 << 20)\n{few}", megabytes=400)
    assert (done.status, done.output, done.excess) == (0, b"started\n", "")


def test_build_may_start_64_processes() -> None:
    done = built(FEW.format(count=63))
    assert (done.status, done.output, done.excess) == (0, b"started\n", "")


def test_no_process_of_a_build_leaves_its_group() -> None:
    tries = "\n".join(
        f"try:\n    {attempt}\nexcept OSError:\n    pass\nelse:\n    print({attempt!r})"
        for attempt in ("os.setsid()", "os.setpgid(0, 0)", "os.setpgid(os.getpid(), os.getppid())")
    )
    done = built(f"import os\nif os.fork():\n    os.wait()\nelse:\n    exec({tries!r})\n")
    assert (done.status, done.output, done.errors) == (0, b"", b"")
