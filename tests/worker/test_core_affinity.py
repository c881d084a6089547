"""A worker stays on one core with the quick processes that it asks, and games are the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.worker.support import play
from tests.worker.test_legs_in_lanes import CHANCY, STEADY, python_entrant
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.worker.processes import core_affinity
from tournament.worker.processes import lanes as lanes_module
from tournament.worker.processes.core_affinity import CoreAffinity, Load

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two cores"
)


@pytest.fixture
def pid() -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process.pid
        process.kill()


def test_a_worker_and_quick_processes_share_a_core_and_slow_ones_get_all_cores_back(pid: int) -> None:
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


def test_records_are_the_same_with_it_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    field = [python_entrant("chancy", CHANCY.format(40, 0.5)), python_entrant("steady", STEADY.format(0.5, 0.4))]
    cores = os.sched_getaffinity(0)
    changes: dict[int, list[set[int]]] = defaultdict(list)
    change = os.sched_setaffinity

    def noted(pid: int, wanted: set[int]) -> None:
        change(pid, wanted)
        changes[pid].append(set(wanted))

    monkeypatch.setattr(lanes_module, "_AUDIT_SECONDS", 0.001)
    monkeypatch.setattr(os, "sched_setaffinity", noted)
    monkeypatch.setattr(core_affinity, "QUICK_SECONDS", 1.0)  # a loaded machine holds no one up so long
    kept = play(field, Settings(sessions=40, seed="3"))
    assert os.sched_getaffinity(0) == cores
    assert changes.pop(0)[-1] == cores
    assert len(changes) == 2 and all(len(wanted) == 1 for wanted, *_ in changes.values())
    changes.clear()
    monkeypatch.setattr(CoreAffinity, "look", lambda *_: None)
    apart = play(field, Settings(sessions=40, seed="3"))
    assert not changes
    assert [leg.what_counts for leg in kept] == [leg.what_counts for leg in apart]
