"""Shared by all tests: a quiet Ray, and an object store for those that ask."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests import ray_cluster
from tests.object_store import ServedStore, serve
from tests.processes import wait_until
from tests.ray_cluster import Cluster
from tournament.sandbox.outside.confined import Confined

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# Ray's workers leave the processor to others, and a busy machine starves them.
os.environ.setdefault("RAY_worker_niceness", "0")
# Commands under test are small: they need no thread of linear algebra for each processor.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# A busy machine must not fail a test.
hypothesis.settings.register_profile("patient", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("patient")
# A shell that starts the tests in the background makes them ignore Ctrl-C; the runs under test must not.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests that count processes, and those that start Ray: one of each kind at a time, and first, since they take longest.
_ONE_AT_A_TIME = {"test_cluster.py": "Ray", "test_executors.py": "Ray", "hostile": "hostile"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--times", type=int, default=1, help="as many times longer limits, where a processor is emulated")


# First: xdist reads the groups in a hook of its own.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group those that must not run side by side: those of a file, which share fixtures, and those named above."""
    here = Path(__file__).parent

    def kind_of(item: pytest.Item) -> str | None:
        parts = item.path.relative_to(here).parts
        return _ONE_AT_A_TIME.get(parts[-1]) or _ONE_AT_A_TIME.get(parts[0])

    groups: dict[pytest.Item, str] = {}
    for item in items:
        kind = kind_of(item)
        together = item.path.parent if item.path.parent.name == "reporting" else item.path  # shared fixtures
        if "served_store" in getattr(item, "fixturenames", ()):  # one store for all, which takes seconds to start
            together = here / "object_store.py"
        groups[item] = kind or str(together)
        item.add_marker(pytest.mark.xdist_group(groups[item]))
    # A group that takes long and begins last is waited for. Forking takes longer the more memory a process has, and
    # tests leave some behind: those that fork much go first.
    long = {group for item, group in groups.items() if item.get_closest_marker("slow")}
    items.sort(
        key=lambda item: (
            kind_of(item) is None,
            groups[item] not in long,
            item.path.parent.name not in ("worker", "sandbox"),
        )
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a test without the group that xdist adds, with which --last-failed would not find it again."""
    if hasattr(report, "node"):
        report.nodeid = report.nodeid.rpartition("@")[0] or report.nodeid


@pytest.fixture
def read_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs come to read all that was written to them, and then end by themselves."""
    end = Confined.end

    def end_in_time(process: Confined) -> int:
        if threading.current_thread().name == "fork servers":  # ends idle servers
            return end(process)
        process.close_input()
        assert wait_until(process.has_ended)
        return end(process)

    monkeypatch.setattr(Confined, "end", end_in_time)


@pytest.fixture(scope="session")
def served_store() -> Iterator[ServedStore]:
    """Yield an object store that runs while tests do."""
    with serve() as served:
        yield served


@pytest.fixture(scope="session")
def object_store(served_store: ServedStore) -> str:
    """Return the options of URLs into the store."""
    return served_store.options


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Yield a Ray cluster that runs while tests do."""
    with ray_cluster.serve() as cluster:
        yield cluster


@pytest.fixture
def little_time_to_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Return a fifth of a second of processor time for a decision of a process, so that endless loops end soon."""
    monkeypatch.setattr("tournament.contests.settings.DECISION_SECONDS", 0.2)
