"""A worker and the bots that it asks stay on one core where that is faster, and nobody is the worse for it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worker.support import SILENT_C, build, play, script
from tests.worker.test_legs_in_lanes import CHANCY, STEADY, python_entrant
from tournament.contests.von_neumann_poker import Settings
from tournament.worker.processes import lanes as lanes_module
from tournament.worker.processes import one_core
from tournament.worker.processes.one_core import QUICK_SECONDS, Asked, OneCore

# Quick at first; then each decision takes some 30 ms of processor time.
BURNING = """
n = 0

def a(bot):
    global n
    n += 1
    if n > 40:
        for _ in range(300000):
            pass
    return 10

def b(bot, bet): return True
"""


class Machine:
    """A machine as the system tells of it: which cores each process may use (0 is the worker's thread), and clocks."""

    def __init__(self, allowed: set[int], refuses: frozenset[int] = frozenset()) -> None:
        self.first = frozenset(allowed)
        self.cores = defaultdict[int, set[int]](lambda: set(allowed))
        self.refuses = refuses
        self.here = min(allowed)
        self.clock = 0.0

    def use_of(self, pid: int) -> set[int]:
        return set(self.cores[pid])

    def confine(self, pid: int, cores: set[int]) -> None:
        if pid in self.refuses:
            raise ProcessLookupError
        assert cores and cores <= self.first, "outside of what is allowed"
        self.cores[pid] = set(cores)

    @property
    def confined(self) -> set[int]:
        return {pid for pid, cores in self.cores.items() if cores != self.first}

    @contextmanager
    def running(self) -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(os, "sched_getaffinity", self.use_of)
            patched.setattr(os, "sched_setaffinity", self.confine)
            patched.setattr(time, "thread_time", lambda: self.clock)
            patched.setattr(one_core, "_here", lambda: self.here)
            yield


class Bench:
    """A worker's processes between two looks: what each was sent and took, and what the worker took itself."""

    def __init__(self, machine: Machine, *pids: int) -> None:
        self.machine = machine
        self.core = OneCore()
        self.asked = {pid: Asked(pid, 0, False, 0.0) for pid in pids}

    def pass_time(self, own_seconds: float, **taken: tuple[int, float]) -> None:
        """`taken`: messages and seconds, by "p" and the process's number. The interval is 50 ms long."""
        self.machine.clock += own_seconds
        for name, (messages, seconds) in taken.items():
            before = self.asked[int(name[1:])]
            self.asked[before.pid] = Asked(before.pid, before.messages + messages, True, before.cpu_seconds + seconds)
        self.core.look(self.asked.values(), 0.05)


QUICK = (1000, 0.01)
SLOW = (3, 0.04)


@given(
    allowed=st.sets(st.integers(0, 200), min_size=1, max_size=6),
    refuses=st.frozensets(st.integers(0, 4), max_size=2),
    looks=st.lists(
        st.tuples(
            st.floats(0, 0.05),
            st.dictionaries(st.integers(1, 4), st.tuples(st.integers(0, 2000), st.floats(0, 0.05)), max_size=4),
            st.booleans(),
        ),
        max_size=12,
    ),
)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_never_outside_of_what_is_allowed_and_all_is_given_back(
    allowed: set[int],
    refuses: frozenset[int],
    looks: list[tuple[float, dict[int, tuple[int, float]], bool]],
) -> None:
    machine = Machine(allowed, refuses)
    bench = Bench(machine, 1, 2, 3, 4)
    with machine.running():
        for own, taken, ends in looks:
            bench.pass_time(own, **{f"p{pid}": what for pid, what in taken.items() if pid in bench.asked})
            with bench.core.kept():
                held = {frozenset(machine.cores[pid]) for pid in machine.confined}
                assert len(held) <= 1
                assert all(len(cores) == 1 for cores in held)
            assert 0 not in machine.confined
            if ends and len(bench.asked) > 1:
                pid = max(bench.asked)
                bench.core.forget(pid)
                del bench.asked[pid]
                machine.cores.pop(pid, None)
        bench.core.leave()
        assert not machine.confined
        assert not any(one_core._holders.values())


def test_quick_ones_come_together_and_one_that_takes_its_time_gets_all_cores_back() -> None:
    machine = Machine({3, 5})
    machine.here = 5
    bench = Bench(machine, 1, 2)
    with machine.running():
        bench.pass_time(0.02)
        bench.pass_time(0.02, p1=QUICK, p2=QUICK)
        assert (machine.cores[1], machine.cores[2]) == ({5}, {5})
        with pytest.raises(KeyError), bench.core.kept():
            assert machine.cores[0] == {5}
            raise KeyError
        assert machine.cores[0] == {3, 5}
        bench.pass_time(0.02, p1=SLOW, p2=QUICK)
        assert (machine.cores[1], machine.cores[2]) == ({3, 5}, {5})
        # Still at the message that it has had since: no more messages, hardly any time of a processor.
        bench.pass_time(0.04, p1=(0, 0.0), p2=(1, 2 * QUICK_SECONDS))
        assert machine.confined == set()
        bench.pass_time(0.02, p1=QUICK, p2=QUICK)
        assert machine.cores[1] == machine.cores[2] == {5}
        bench.core.leave()


def test_workers_of_one_process_take_different_cores_while_there_are_any() -> None:
    machine = Machine({0, 1, 7})
    benches = [Bench(machine, pid) for pid in range(1, 5)]
    with machine.running():
        for number, bench in enumerate(benches, 1):
            bench.pass_time(0.0)
            bench.pass_time(0.04, **{f"p{number}": QUICK})
        assert sorted(min(machine.cores[pid]) for pid in range(1, 5)) == [0, 0, 1, 7]
        for bench in benches:
            bench.core.leave()
    assert not any(one_core._holders.values())


def test_a_core_that_others_need_is_left_each_time_later() -> None:
    """Who gets half of a core can do no worse elsewhere, but on a machine where all are busy to move is of no use."""
    machine = Machine({0, 1})
    bench = Bench(machine, 1)
    with machine.running():
        bench.pass_time(0.0)
        stays: list[int] = []
        held = 0
        for _ in range(100):
            bench.pass_time(0.015, p1=QUICK)
            if machine.confined:
                held += 1
            elif held:
                stays.append(held)
                held = 0
        assert stays == [2, 4, 8, 16, 32]
        bench.core.leave()


def test_one_core_alone_changes_nothing() -> None:
    machine = Machine({4})
    bench = Bench(machine, 1)
    with machine.running():
        bench.pass_time(0.0)
        bench.pass_time(0.04, p1=QUICK)
        machine.cores.clear()
        with bench.core.kept():
            assert not machine.cores


several_cores = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two cores"
)


@several_cores
def test_a_process_that_burns_its_core_is_not_kept_beside_the_others() -> None:
    """As the system has it."""
    cores = os.sched_getaffinity(0)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        try:
            core = OneCore()
            core.look([Asked(process.pid, 0, True, 0.0)], 0.05)
            core.look([Asked(process.pid, 100, True, 0.01)], 0.05)
            (kept,) = os.sched_getaffinity(process.pid)
            with core.kept():
                assert os.sched_getaffinity(0) == {kept}
                assert kept in cores
            assert os.sched_getaffinity(0) == cores
            core.look([Asked(process.pid, 101, True, 0.05)], 0.05)
            assert os.sched_getaffinity(process.pid) == cores
        finally:
            process.kill()


@several_cores
def test_threads_that_were_started_on_the_core_get_all_cores_back() -> None:
    cores = os.sched_getaffinity(0)
    start = "import threading, time; input(); threading.Thread(target=time.sleep, args=[60]).start(); print(flush=True)"
    with subprocess.Popen([sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdin and process.stdout
            core = OneCore()
            core.look([Asked(process.pid, 0, True, 0.0)], 0.05)
            core.look([Asked(process.pid, 100, True, 0.01)], 0.05)
            process.stdin.write(b"\n")
            process.stdin.flush()
            process.stdout.readline()
            threads = [int(name) for name in os.listdir(f"/proc/{process.pid}/task")]
            assert [len(os.sched_getaffinity(thread)) for thread in threads] == [1, 1]
            core.look([], 0.05)
            assert [os.sched_getaffinity(thread) for thread in threads] == [cores, cores]
        finally:
            process.kill()


PROGRAM = """
    import sys, threading, time
    THREAD = {}
    for number, line in enumerate(sys.stdin):
        if number == 0 and THREAD:
            threading.Thread(target=time.sleep, args=[60], daemon=True).start()
        print("ACTION PASS" if " A " in line else "ACTION FOLD") if number else None
    """


@several_cores
@pytest.mark.parametrize("has_thread", [False, True])
def test_a_program_that_plays_alone_is_kept_if_it_has_one_thread(
    has_thread: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cores = os.sched_getaffinity(0)
    kept = []
    change = os.sched_setaffinity

    def noted(pid: int, wanted: set[int]) -> None:
        change(pid, wanted)
        if pid and len(wanted) == 1:
            kept.append(pid)

    monkeypatch.setattr(lanes_module, "_AUDIT_SECONDS", 0.001)
    monkeypatch.setattr(os, "sched_setaffinity", noted)
    (leg,) = play(build({"told": script(PROGRAM.format(has_thread)), "silent.c": SILENT_C}), Settings(sessions=60))
    assert not leg.faults
    assert bool(kept) == (not has_thread)
    assert os.sched_getaffinity(0) == cores


@several_cores
def test_records_are_the_same_with_it_and_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside a neighbour that burns its processor's time; nobody is at fault for what it takes."""
    field = [
        python_entrant("burning", BURNING),
        python_entrant("chancy", CHANCY.format(40, 0.5)),
        python_entrant("steady", STEADY.format(0.5, 0.4)),
    ]
    # The shortest that a bot may be held up without a fault, unless it waits for a processor.
    playing = Settings(sessions=6, seed="3", wall_seconds_per_decision=0.1, cpu_seconds_per_decision=0.5)
    cores = os.sched_getaffinity(0)
    changes: dict[int, list[set[int]]] = defaultdict(list)
    change = os.sched_setaffinity

    def noted(pid: int, wanted: set[int]) -> None:
        change(pid, wanted)
        changes[pid].append(set(wanted))

    monkeypatch.setattr(lanes_module, "_AUDIT_SECONDS", 0.001)
    monkeypatch.setattr(os, "sched_setaffinity", noted)
    kept = play(field, playing)
    assert os.sched_getaffinity(0) == cores
    thread, *processes = [changes[pid] for pid in sorted(changes)]
    assert thread[-1] == cores
    assert all(all(wanted <= cores for wanted in changed) for changed in changes.values())
    assert any(len(wanted) == 1 for wanted in thread)
    assert any(changed[0] != cores for changed in processes)
    monkeypatch.setattr(one_core, "_take", lambda: None)
    changes.clear()
    apart = play(field, playing)
    assert not changes
    assert [leg.what_counts for leg in kept] == [leg.what_counts for leg in apart]
    assert not any(leg.faults for leg in kept)
    for leg in kept:
        for use, name in zip(leg.uses, (leg.result.x, leg.result.y)):
            assert use
            if name != "burning":  # what it is charged is its own, not its neighbour's
                assert use.cpu_seconds < 0.5
