"""Whoever plays, and whatever happens to him: the records are the same."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.contest_runs import CONTEST, Outcome, Place, assert_same, bot_source, call, new_place, outcome
from tests.processes import comes
from tournament.config import General
from tournament.records.results import load
from tournament.runner.executors import choose_executor, keep_busy
from tournament.runner.executors.local import LocalExecutor
from tournament.runner.watcher import Progress
from tournament.store.folder_storage import FolderStorage
from tournament.worker.batch import Receipt, Task

BOTS = ["bold", "calm", "dull", "even", "fair"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return new_place(tmp_path_factory.mktemp("executors"), BOTS, sessions=6000, settings="duplicate = true")


@pytest.fixture(scope="module")
def expected(place: Place) -> Outcome:
    """Of one worker, undisturbed."""
    place.play(workers=1, results=place.folder / "alone")
    return outcome(place.folder / "alone" / place.results.name)


class InterruptsAfter:
    """A watcher that presses Ctrl-C after some commits."""

    def __init__(self, commits: int) -> None:
        self.commits = commits

    def say(self, text: str) -> None:
        pass

    def on_progress(self, progress: Progress) -> None:
        self.commits -= 1
        if self.commits == 0:
            raise KeyboardInterrupt


def staged(place: Place) -> list[str]:
    return [path.name for path in (place.results / "staging").glob("*")]


@pytest.mark.parametrize("workers", [1, 2])
def test_stopped_and_resumed(expected: Outcome, tmp_path: Path, workers: int) -> None:
    place = new_place(tmp_path, BOTS, sessions=6000, settings="duplicate = true")
    for commits in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            place.play(workers=workers, watcher=InterruptsAfter(commits))
        assert staged(place) == []
    place.play(workers=3 - workers)
    assert_same(outcome(place.results), expected)


def test_batches_that_come_back_out_of_order_are_read_in_order(expected: Outcome, tmp_path: Path) -> None:
    """The first batch is slow; those after it are committed before, and a stop leaves a gap."""
    place = new_place(tmp_path, BOTS, sessions=6000, settings="duplicate = true")
    others_done = threading.Event()

    class Releases(InterruptsAfter):
        def on_progress(self, progress: Progress) -> None:
            if progress.legs >= 6:
                others_done.set()
                raise KeyboardInterrupt

    original = FolderStorage.finish_staged

    def finish_staged(storage: FolderStorage, stream: object) -> None:
        if "/0000000000-0-" in os.readlink(f"/proc/self/fd/{stream.fileno()}"):  # type: ignore[attr-defined]
            others_done.wait(60)
        original(storage, stream)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FolderStorage, "finish_staged", finish_staged)
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda pace, inline, *legs: inline == 2)
        with pytest.raises(KeyboardInterrupt):
            place.play(workers=2, watcher=Releases(0))
    assert not list((place.results / "games").glob("0000000000-0-*"))
    assert staged(place) == []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda pace, inline, *legs: inline == 7)
        place.play()
    assert_same(outcome(place.results), expected)


def one_by_one(tasks: Iterator[Task]) -> Callable[[], Task | None]:
    return lambda: next(tasks, None)


def test_no_more_play_at_once_than_there_are_workers(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_closing_stops_what_is_being_played(monkeypatch: pytest.MonkeyPatch) -> None:
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
            told.append(not task or comes(stopping))
        return task

    monkeypatch.setattr("tournament.runner.executors.local.play_task", play_task)
    receipts = LocalExecutor(2).play(one_by_one(iter([0, 1, 2, 3])), {})  # type: ignore[list-item]
    assert next(receipts) == [0]  # type: ignore[comparison-overlap]
    receipts.close()
    assert len(told) >= 3 and all(told)  # one may not have begun


def test_receipts_beside_a_failing_one_are_handed_over() -> None:
    def receipt_of(task: int) -> Receipt:
        if task == 1:
            raise OSError("disk")
        return Receipt((), float(task))

    def start(task: object) -> int:
        return cast(int, task)

    def wait(running: list[int]) -> tuple[list[int], list[int]]:
        return list(running), []

    done = keep_busy(one_by_one(iter(range(3))), lambda: 3, start, wait, receipt_of, [])  # type: ignore[arg-type]
    assert next(done) == [Receipt((), 0.0), Receipt((), 2.0)]
    with pytest.raises(OSError, match="disk"):
        next(done)


class CountedExecutor(LocalExecutor):
    """As one on Ray, which a command starts once."""

    name, closed = "counted", 0

    def close(self) -> None:
        self.closed += 1


def test_a_command_starts_one_executor_for_all_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[CountedExecutor] = []

    def choose(*_: object) -> CountedExecutor:
        started.append(CountedExecutor(1))
        return started[-1]

    monkeypatch.setattr("tournament.runner.executors.choose_executor", choose)
    place = new_place(tmp_path, BOTS[:3], 20, "replicas = 1\nuntil_settled = 0.95\nmost_replicas = 4")
    place.play()
    assert load(str(place.results)).ranking.matches[0].legs > 1
    assert [one.closed for one in started] == [1]
    place.write_bot("calm", bot_source(9, 8))
    with pytest.raises(KeyboardInterrupt):
        place.play(watcher=InterruptsAfter(1))
    assert [one.closed for one in started] == [1, 1]


@pytest.mark.parametrize("note", ["a link", "a folder", "no note"])
def test_a_note_of_pace_that_can_not_be_read_fails_no_run(tmp_path: Path, note: str) -> None:
    place = new_place(tmp_path, BOTS[:2])
    pace = place.results / "ledger" / "pace"
    pace.parent.mkdir(parents=True)
    if note == "a folder":
        pace.mkdir()
    elif note == "a link":
        pace.symlink_to(place.config)
    else:
        pace.write_bytes(b"fast")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.pace._WORTH_NOTING", 0.0)
        place.play()
    assert load(str(place.results)).ranking.games > 0


def test_auto_is_local_for_small_work() -> None:
    assert choose_executor(General(executor="auto", workers=2), 1.0, 0.0, print).name == "local"


@pytest.mark.slow
def test_ray_plays_where_its_variable_says(tmp_path: Path) -> None:
    """As of a submitted job, to which nothing else says where to play."""
    done = call(["run", CONTEST, "--config", str(new_place(tmp_path, BOTS[:2]).config)], RAY_ADDRESS="127.0.0.1:9")
    assert done.returncode == 2
    assert done.stderr.endswith("tournament: Ray can't be reached at 127.0.0.1:9: nothing listens there\n")
