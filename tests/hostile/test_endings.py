"""However a tournament ends, no confined process outlives it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.contest_runs import command_line, environment
from tests.hostile.field import (
    GOOD,
    HERE,
    Ground,
    confined_processes,
)
from tests.processes import are_gone, comes, descendants, ray_workers

PEOPLE = {name: GOOD[name] for name in ("steady.c", "patient.py", "plain")}
DEAF = [HERE / "programs" / "deaf_to_signals", HERE / "python" / "outlives_its_leg.py", HERE / "python" / "sleeps.py"]


@contextmanager
def run(ground: Ground, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A run of so many sessions that it goes on until something ends it."""
    config = ground.config(sessions=100_000, wall_seconds_per_decision=60.0)
    arguments = ["--config", str(config), "--entrants", str(ground.entrants), "--results", str(ground.results)]
    with subprocess.Popen(
        command_line(["run", "von_neumann_poker", *arguments, "--workers", "2", *more]),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_confined(process: subprocess.Popen[str], least: int) -> set[int]:
    """The confined processes of a run, once there are so many."""
    mine: set[int] = set()

    def play() -> bool:
        nonlocal mine
        mine = {pid for pid, line in descendants(process.pid).items() if is_playing(pid, line)}
        return len(mine) >= least

    assert comes(play, 300, process), process.poll()  # the compiler may have to build its libraries first
    return mine


def is_playing(pid: int, line: str) -> bool:
    """Whether a process is a bot's: it starts with its orders, or it is a program in its folder."""
    with suppress(OSError):
        return "purpose" in line or "/programs/" in os.readlink(f"/proc/{pid}/cwd")
    return False


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_driver_that_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    ground = Ground(tmp_path)
    ground.prepare(DEAF, PEOPLE)
    with run(ground, "--executor", "local") as process:
        mine = wait_for_confined(process, 6)
        process.send_signal(number)
        process.wait(30)
        assert are_gone(mine)
    assert not {pid for pid in confined_processes() if pid in mine}


def test_ray_and_its_workers_that_are_killed(tmp_path: Path) -> None:
    """A worker is killed: its bots end, and its batch is played again. Then the driver is."""
    ground = Ground(tmp_path)
    ground.prepare(DEAF, PEOPLE)
    with run(ground, "--executor", "ray") as process:
        wait_for_confined(process, 6)
        worker = next(pid for pid in ray_workers(process.pid) if any_playing(pid))
        mine = {pid for pid, line in descendants(worker).items() if is_playing(pid, line)}
        os.kill(worker, signal.SIGKILL)
        assert are_gone(mine)
        again = wait_for_confined(process, 6)
        assert not again & mine
        process.kill()
        process.wait(30)
        assert are_gone(again, 15.0)  # workers notice after some seconds that their driver is gone


def any_playing(worker: int) -> bool:
    return any(is_playing(pid, line) for pid, line in descendants(worker).items())
