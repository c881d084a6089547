"""Who plays the batches: this process, or Ray. Batches in, receipts out, as they complete."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Protocol, TypeVar

from tournament.config import ExecutorName
from tournament.worker.batch import Receipt, Task

# Below this many seconds of play on one core, Ray's start-up would cost more than it brings.
RAY_WORTH_SECONDS = 60.0
_Played = TypeVar("_Played")


class Executor(Protocol):
    """`play` takes tasks only as workers come free, and yields receipts in the order of completion."""

    name: str
    workers: int

    def play(self, tasks: Iterator[Task], artifacts: Mapping[str, bytes]) -> Generator[Receipt, None, None]: ...


def choose_executor(name: ExecutorName, workers: int, address: str | None, estimated_seconds: float) -> Executor:
    """The executor of that name; `auto` takes Ray for a cluster's address or long work on many cores.

    `workers` 0 means one for each core. Raises BadInput when Ray can't be reached.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if name == "auto":
        name = "ray" if address or (estimated_seconds > RAY_WORTH_SECONDS and cores > 8) else "local"
    if name == "ray":
        from tournament.runner.executors.ray_cluster import RayExecutor

        return RayExecutor(workers, address, cores)
    from tournament.runner.executors.local import LocalExecutor

    return LocalExecutor(workers or cores)


def keep_busy(
    tasks: Iterator[Task],
    workers: int,
    start: Callable[[Task], _Played],
    wait: Callable[[list[_Played]], tuple[list[_Played], list[_Played]]],
    running: list[_Played],
) -> Iterator[_Played]:
    """Have so many tasks in play, and yield each once it is done.

    `start` begins one, `wait` parts those in play into done and not done.
    `running` has those in play at every moment, for who must stop them.
    """
    while True:
        while len(running) < workers and (task := next(tasks, None)) is not None:
            running.append(start(task))
        if not running:
            return
        done, running[:] = wait(running)
        yield from done
