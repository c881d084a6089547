"""Late is who has used its time, or sleeps: whoever waits for a processor is not."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.processes import wait_until
from tournament.sandbox.outside.process_time import (
    Doing,
    GroupUse,
    MachineBusyError,
    ProcessClock,
    ProcessUse,
    TimeBudget,
    doing,
)

# Seconds, the processor time in them, and whether it sleeps at their end.
SLEEPS = (1.0, 0.0, True)
HALF = (1.0, 0.5, False)
WAITS = (1.0, 0.0, False)
GOT_ONE = (1.0, 0.1, False)
NAPS = (1.0, 0.25, True)
IN_PARALLEL = (1.0, 2.0, False)  # 64 processes on two processors


def time_given(ticks: Sequence[tuple[float, float, bool]]) -> float:
    """Return the seconds after which a process with a limit of 20 is late."""
    now, cpu, sleeping = 0.0, 0.0, False
    had = TimeBudget(lambda: ProcessUse(cpu, sleeping), 20, lambda: now)
    for seconds, used, sleeping in ticks:  # noqa: B007
        now, cpu = now + seconds, cpu + used
        if had.is_over():
            break
    return now


@pytest.mark.parametrize(
    ("ticks", "given"),
    [
        ([SLEEPS] * 100, 20),
        ([NAPS] * 100, 20),
        ([HALF] * 100, 40),
        ([*[WAITS] * 19, *[SLEEPS] * 50], 39),
        ([*[WAITS] * 5, GOT_ONE] * 30, None),  # too busy: no more than 140 seconds
        ([*[SLEEPS] * 10, *[HALF] * 10, *[SLEEPS] * 90], 25),
        ([*[SLEEPS] * 10, IN_PARALLEL] * 90, 20),
    ],
)
def test_own_time_excludes_waits(ticks: list[tuple[float, float, bool]], given: float | None) -> None:
    if given is not None:
        assert time_given(ticks) == given
        return
    with pytest.raises(MachineBusyError, match="too busy"):
        time_given(ticks)


@contextlib.contextmanager
def running(code: str) -> Iterator[tuple[int, Path]]:
    """Provide the ID of a Python process that has written a line, and its folder in /proc."""
    with subprocess.Popen([sys.executable, "-uc", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield process.pid, Path(f"/proc/{process.pid}")
        finally:
            process.kill()


def test_waiting_process_sleeps() -> None:
    found: dict[str, Doing] = {
        "import time; print(); time.sleep(99)": "sleeps",
        "print(); input()": "sleeps",
        "import os, sys\nprint(); os.sendfile(os.pipe()[1], os.open(sys.executable, 0), 0, 1 << 20)": "sleeps",
        # Waits for a child that shares its memory, as one waits for a disk.
        "import ctypes\nc = ctypes.PyDLL(None)\nprint()\nc.vfork() or (c.prctl(1, 9), c.pause())": "sleeps",
        # Its first thread has ended.
        "import ctypes, threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start(); print()\n"
        "ctypes.CDLL(None).syscall(60, 0)": "sleeps",
        "print()\nwhile True: pass": "runs",
        "import threading as t, time\nt.Thread(target=time.sleep, args=(99,)).start(); print()\nwhile 1: pass": "runs",
    }
    for code, expected in found.items():
        with running(code) as (_, folder):
            assert wait_until(lambda: doing(folder) == expected), code  # noqa: B023
            assert expected == "sleeps" or not any(doing(folder) == "sleeps" for _ in range(50)), code


# Seconds between looks, of processor time and of waits for one that have ended, and what it does at the look.
Look = tuple[float, float, float, Doing]
QUEUES: Look = (0.05, 0.0, 0.0, "runs")
BUSY: list[Look] = [(0.05, 0.002, 0.01, "runs"), (0.05, 0.002, 0.086, "runs")]
ASLEEP: Look = (0.05, 0.0, 0.0, "sleeps")


@pytest.mark.parametrize(
    ("looks", "slept"),
    [
        ([(0.05, 0.01, 0.0, "runs")] * 100, 3.95),  # naps, though it runs whenever it is looked at
        ([ASLEEP] * 20, 1.0),
        ([*[QUEUES] * 99, (0.05, 0.001, 4.999, "runs"), *[QUEUES] * 99], 0.0),
        ([*BUSY * 100, (0.05, 0.05, 0.0, "sleeps")], 0.0),
        ([(0.5, 1.0, 60.0, "runs"), *[ASLEEP] * 20], 1.0),  # waits of many threads are nothing to sleep on
        ([*[QUEUES] * 20, (0.05, 0.0, 0.0, "is held up"), (0.05, 0.01, 1.04, "runs")], 0.0),
    ],
    ids=["naps", "sleeps", "queued", "busy", "threads", "held up"],
)
def test_sleep_excludes_waits_for_processor(looks: list[Look], slept: float) -> None:
    now = ProcessUse(0.0, sleeps=False)
    clock = ProcessClock(lambda: now)
    for elapsed, cpu, queued, what in looks:
        now = ProcessUse(now.cpu + cpu, what == "sleeps", (now.waited or 0.0) + queued, what == "runs")
        clock.look(elapsed)
        assert clock.slept <= slept + 0.05 + 1e-9
    assert slept - 1e-9 <= clock.slept


def test_use_of_ended_group_is_kept() -> None:
    burns = "import time\nwhile time.process_time() < 0.2: pass"
    command = [
        sys.executable,
        "-c",
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {burns!r}])\ninput()",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as process:
        use = GroupUse(process.pid)
        assert wait_until(lambda: use().cpu >= 0.2 and use().sleeps)
        found = use()
        process.communicate()
    assert use().cpu == found.cpu
