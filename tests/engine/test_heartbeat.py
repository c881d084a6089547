"""The clock of sleeps stands still while this process doesn't run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from engine.processes.heartbeat import awake_seconds

# Says how long it took by both clocks.
MEASURES = """
import sys, time
from engine.processes.heartbeat import awake_seconds
began = time.monotonic(), awake_seconds()
print("ready", flush=True)
sys.stdin.readline()
print(time.monotonic() - began[0], awake_seconds() - began[1], flush=True)
"""


def test_clock_runs_while_process_waits_or_holds_lock() -> None:
    """Try again on a busy machine, where the clock may stand still because nothing of this process runs."""

    def taken() -> tuple[float, float]:
        began = time.monotonic(), awake_seconds()
        time.sleep(0.3)
        sum(range(10**7))
        return time.monotonic() - began[0], awake_seconds() - began[1]

    tries = [taken()]
    while len(tries) < 50 and tries[-1][1] < 0.3:
        tries.append(taken())
    assert tries[-1][1] > 0.3 and all(awake <= elapsed + 0.001 for elapsed, awake in tries)


@pytest.mark.parametrize("forked", [False, True])
def test_clock_stands_still_while_process_is_stopped(forked: bool) -> None:
    """Forks of a process that has read the clock have no thread of their parent's."""
    fork = "from engine.processes.heartbeat import awake_seconds; awake_seconds(); import os; os.fork() and os._exit(0)"
    with subprocess.Popen(
        [sys.executable, "-c", (fork + MEASURES) if forked else MEASURES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(1.0)
        os.killpg(process.pid, signal.SIGCONT)
        process.stdin.write("\n")
        process.stdin.flush()
        elapsed, awake = map(float, process.stdout.readline().split())
    assert elapsed > 1.0 and elapsed - awake > 0.7
