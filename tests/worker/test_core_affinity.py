"""A worker stays on one core with the quick processes that it asks, and games are the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tournament.worker.processes import core_affinity
from tournament.worker.processes.core_affinity import CoreAffinity, Load

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two cores"
)


@pytest.fixture
def pid() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process.pid
        process.kill()


def test_only_quick_processes_share_the_workers_core(pid: int) -> None:
    cores, core = os.sched_getaffinity(0), CoreAffinity()
    core.look({pid: Load(3, 0.04)})
    assert os.sched_getaffinity(pid) == cores
    core.look({pid: Load(1003, 0.05)})
    (kept,) = os.sched_getaffinity(pid)
    with pytest.raises(KeyError), core.kept():
        assert os.sched_getaffinity(0) == {kept}
        raise KeyError
    assert os.sched_getaffinity(0) == cores
    core.look({pid: Load(1003, 0.09)})  # still at its last message
    assert os.sched_getaffinity(pid) == cores
    assert not any(core_affinity._holders.values())
