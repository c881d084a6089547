"""Executors play tasks, and the records are the same whatever happens to them."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.contest_runs import CONTEST, call, make_contest
from tests.processes import wait_until
from tournament.config import GeneralSettings
from tournament.runner.executors import choose_executor
from tournament.runner.executors.local import LocalExecutor
from tournament.worker.batch import Task

BOTS = ["bold", "calm", "dull", "even", "fair"]


def one_by_one(tasks: Iterator[Task]) -> Callable[[], Task | None]:
    return lambda: next(tasks, None)


def test_local_executor_plays_one_task_per_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though twice as many tasks are under way: one that waits for the disk lets another play."""
    playing, most = set[int](), 0
    two_play = threading.Barrier(2)

    def play_task(task: int, _artifacts: object, _stopping: object, turn: threading.BoundedSemaphore) -> int:
        nonlocal most
        with turn:
            playing.add(task)
            two_play.wait(60)
            most = max(most, len(playing))
            playing.remove(task)
        return task

    monkeypatch.setattr("tournament.runner.executors.local.play_task", play_task)
    receipts = LocalExecutor(2).play(one_by_one(iter(range(6))), {})  # type: ignore[arg-type]
    assert sorted(itertools.chain.from_iterable(receipts)) == list(range(6))  # type: ignore[comparison-overlap, type-var]
    assert most == 2


def test_closing_executor_stops_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bool] = []
    first_plays, started = threading.Event(), threading.Event()

    def play_task(task: int, _artifacts: object, stopping: Callable[[], bool], turn: threading.BoundedSemaphore) -> int:
        if task:
            first_plays.wait(60)
        with turn:
            if task:
                started.set()
            else:
                first_plays.set()
                started.wait(60)
            told.append(not task or wait_until(stopping))
        return task

    monkeypatch.setattr("tournament.runner.executors.local.play_task", play_task)
    receipts = LocalExecutor(2).play(one_by_one(iter([0, 1, 2, 3])), {})  # type: ignore[list-item]
    assert next(receipts) == [0]  # type: ignore[comparison-overlap]
    receipts.close()
    assert len(told) >= 3 and all(told)  # one may not have begun


def test_auto_is_local_for_small_work() -> None:
    assert choose_executor(GeneralSettings(executor="auto", workers=2), 1.0, 0.0, print).name == "local"


@pytest.mark.slow
def test_ray_plays_where_its_variable_says(tmp_path: Path) -> None:
    """Submitted jobs have only this variable."""
    done = call(["run", CONTEST, "--config", str(make_contest(tmp_path, BOTS[:2]).config)], RAY_ADDRESS="127.0.0.1:9")
    assert done.code == 2
    assert done.err.endswith("tournament: Ray can't be reached at 127.0.0.1:9: nothing listens there\n")
