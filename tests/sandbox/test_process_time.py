"""Late is who has used its time, or sleeps: whoever waits for a processor is not."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from tests.processes import wait_until
from tests.worker.support import build, problem_of
from tournament.artifacts import program_build
from tournament.errors import RunError
from tournament.sandbox.outside import process_time
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.process_time import (
    Doing,
    GroupUse,
    MachineBusyError,
    ProcessClock,
    ProcessUse,
    TimeBudget,
    doing,
)
from tournament.worker.processes import python_bots

# Seconds, the processor time in them, and whether it sleeps at their end.
SLEEPS = (1.0, 0.0, True)
WORKS = (1.0, 1.0, False)
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
        ([WORKS] * 100, 20),
        ([NAPS] * 100, 20),
        ([SLEEPS, WORKS] * 50, 20),
        ([HALF] * 100, 40),
        ([*[WAITS] * 19, *[SLEEPS] * 50], 39),
        ([*[WAITS] * 5, GOT_ONE] * 30, None),  # too busy: no more than 140 seconds
        ([*[SLEEPS] * 10, *[HALF] * 10, *[SLEEPS] * 90], 25),
        ([*[SLEEPS] * 10, IN_PARALLEL] * 90, 20),
        ([IN_PARALLEL] * 90, 20),
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


def test_waiting_process_sleeps_or_is_held_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "opened")
    found: dict[str, Doing] = {
        "import time; print(); time.sleep(99)": "sleeps",
        "print(); input()": "sleeps",
        "import threading; print(); threading.Event().wait()": "sleeps",
        "import os, sys\nprint(); os.sendfile(os.pipe()[1], os.open(sys.executable, 0), 0, 1 << 20)": "sleeps",
        "import socket\na, b = socket.socketpair(); print(); a.sendall(bytes(1 << 24))": "sleeps",
        # Waits for a child that shares its memory, as one waits for a disk.
        "import ctypes\nc = ctypes.PyDLL(None)\nprint()\nc.vfork() or (c.prctl(1, 9), c.pause())": "sleeps",
        # Its first thread has ended.
        "import ctypes, threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start(); print()\n"
        "ctypes.CDLL(None).syscall(60, 0)": "sleeps",
        "print()\nwhile True: pass": "runs",
        f"print(); open({str(tmp_path / 'opened')!r})": "sleeps",
        "import threading as t, time\nt.Thread(target=time.sleep, args=(99,)).start(); print()\nwhile 1: pass": "runs",
    }
    for code, expected in found.items():
        with running(code) as (_, folder):
            assert wait_until(partial(_does, folder, expected)), code
            assert expected == "sleeps" or not any(_does(folder, "sleeps") for _ in range(50)), code


def _does(folder: Path, what: Doing) -> bool:
    return doing(folder) == what


# Seconds between looks, of processor time and of waits for one that have ended, and what it does at the look.
Look = tuple[float, float, float, Doing]
NAPS_BETWEEN: Look = (0.05, 0.01, 0.0, "runs")
QUEUES: Look = (0.05, 0.0, 0.0, "runs")
BUSY: list[Look] = [(0.05, 0.002, 0.01, "runs"), (0.05, 0.002, 0.086, "runs")]
MANY_THREADS: Look = (0.5, 1.0, 60.0, "runs")
ASLEEP: Look = (0.05, 0.0, 0.0, "sleeps")


@pytest.mark.parametrize(
    ("looks", "slept", "at_most"),
    [
        ([NAPS_BETWEEN] * 100, 3.95, 4.0),  # though it runs whenever it is looked at
        ([ASLEEP] * 20, 1.0, 1.0),
        ([QUEUES] * 100, 0.0, 0.0),
        ([*[QUEUES] * 99, (0.05, 0.001, 4.999, "runs"), *[QUEUES] * 99], 0.0, 0.0),
        (BUSY * 100, 0.0, 0.05),
        ([*BUSY * 100, (0.05, 0.05, 0.0, "sleeps")], 0.0, 0.05),
        ([MANY_THREADS, *[ASLEEP] * 20], 1.0, 1.0),  # their waits are nothing to sleep on
        ([(5.0, 0.0, 0.0, "is held up")] * 20, 0.0, 0.0),
        ([*[QUEUES] * 20, (0.05, 0.0, 0.0, "is held up"), (0.05, 0.01, 1.04, "runs")], 0.0, 0.05),
    ],
    ids=["naps", "sleeps", "queues", "queued", "busy", "busy, then asleep", "threads", "held up", "held up, queued"],
)
def test_sleep_excludes_waits_for_processor(looks: list[Look], slept: float, at_most: float) -> None:
    now = ProcessUse(0.0, sleeps=False)
    clocks = ProcessClock(lambda: now)
    most = 0.0
    for elapsed, cpu, queued, what in looks:
        now = ProcessUse(now.cpu + cpu, what == "sleeps", (now.waited or 0.0) + queued, what == "runs")
        clocks.look(elapsed)
        most = max(most, clocks.slept)
    assert slept - 1e-9 <= clocks.slept and most <= at_most + 1e-9


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


@pytest.fixture
def starved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every process wait for a processor, with little patience."""
    monkeypatch.setattr(process_time, "_MAX_TIMES", 1)
    monkeypatch.setattr(process_time, "_MORE_SECONDS", 0)

    def use(_self: object) -> ProcessUse:
        return ProcessUse(0.0, sleeps=False)

    monkeypatch.setattr(Confined, "use", use)
    monkeypatch.setattr(GroupUse, "__call__", use)


SLEEPY = "import time\ntime.sleep(30)\ndef a(bot): return 1\ndef b(bot, bet): return 1\n"
SLOW_BUILD = {"bot.toml": 'command = ["./x"]\nbuild = ["sh", "-c", "while :; do :; done"]'}


@pytest.mark.slow
def test_bot_without_processor_is_not_at_fault(starved: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_bots, "_TRIAL_OWN_SECONDS", 0.1)
    monkeypatch.setattr(program_build, "_SECONDS", 1)
    problem = problem_of(SLEEPY)
    assert problem.startswith("this machine is too busy") and "set aside in this run" in problem
    with pytest.raises(RunError, match="this machine is too busy"):  # nor does a program of our own get one
        build({"bot": SLOW_BUILD})


@pytest.mark.slow
def test_bot_that_sleeps_at_its_start_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_bots, "_TRIAL_OWN_SECONDS", 1.0)
    assert problem_of(SLEEPY) == "can't start: slept or waited for more than 5 s"
