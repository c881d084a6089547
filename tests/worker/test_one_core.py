"""Where all cores have workers, each stays on its own with the processes that it asks, and games are the same."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.worker.support import Played, play
from tests.worker.test_legs_in_lanes import CHANCY, STEADY, python_entrant
from tournament.contests.von_neumann_poker import Settings
from tournament.worker.processes import lanes as lanes_module
from tournament.worker.processes import one_core
from tournament.worker.processes.admission import Room
from tournament.worker.processes.one_core import OneCore

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two cores"
)


@pytest.fixture
def pid() -> Iterator[int]:
    """A process that sleeps."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process.pid
        process.kill()


def test_a_worker_and_its_processes_come_together_where_all_cores_have_workers(pid: int) -> None:
    cores = os.sched_getaffinity(0)
    core = OneCore()
    core.look([pid], len(cores) - 1)
    assert os.sched_getaffinity(pid) == cores
    core.look([pid], len(cores))
    (kept,) = os.sched_getaffinity(pid)
    with pytest.raises(KeyError), core.kept():
        assert os.sched_getaffinity(0) == {kept}
        raise KeyError
    assert os.sched_getaffinity(0) == cores
    core.look([pid], len(cores) - 1)  # another worker is done
    assert os.sched_getaffinity(pid) == cores
    assert not any(one_core._holders.values())


def test_workers_of_one_process_take_different_cores_while_there_are_any(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 7})
    workers = [OneCore() for _ in range(4)]
    for worker in workers:
        worker.look([], 4)
    assert sorted(worker._core or 0 for worker in workers) == [0, 0, 1, 7]
    for worker in workers:
        worker.leave()
    assert not any(one_core._holders.values())


def test_one_core_alone_and_a_system_that_refuses_change_nothing(monkeypatch: pytest.MonkeyPatch, pid: int) -> None:
    def refuse(_pid: int, _cores: set[int]) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    core = OneCore()
    core.look([pid, 1 << 22], 99)
    with core.kept():
        pass
    core.leave()
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {4})
    core.look([pid], 99)
    assert core._core is None


def test_records_are_the_same_with_it_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    field = [python_entrant("chancy", CHANCY.format(40, 0.5)), python_entrant("steady", STEADY.format(0.5, 0.4))]
    cores = os.sched_getaffinity(0)
    changes: dict[int, list[set[int]]] = defaultdict(list)
    change = os.sched_setaffinity

    def noted(pid: int, wanted: set[int]) -> None:
        change(pid, wanted)
        changes[pid].append(set(wanted))

    def played(workers: int) -> list[Played]:
        monkeypatch.setattr(Room, "workers", workers)
        return play(field, Settings(sessions=40, seed="3"))

    monkeypatch.setattr(lanes_module, "_AUDIT_SECONDS", 0.001)
    monkeypatch.setattr(os, "sched_setaffinity", noted)
    kept = played(len(cores))
    assert os.sched_getaffinity(0) == cores
    assert changes.pop(0)[-1] == cores
    assert len(changes) == 2 and all(len(wanted) == 1 for wanted, *_ in changes.values())
    changes.clear()
    apart = played(1)
    assert not changes
    assert [leg.what_counts for leg in kept] == [leg.what_counts for leg in apart]
