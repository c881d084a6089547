"""Executors play the batches, in this process or on Ray: tasks in, receipts out as they complete."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Protocol, TypeVar

from tournament.config import GeneralSettings
from tournament.cores import cores
from tournament.errors import InputError
from tournament.runner.executors.cluster_nodes import ClusterState
from tournament.worker.batch import Receipt, Task

# Seconds of play on one core below which Ray's start-up would cost more than Ray saves.
RAY_WORTH_SECONDS = 60.0
_LARGE = 1e9  # bytes of records that are announced
_Played = TypeVar("_Played")


class Executor(Protocol):
    """Plays tasks on this machine or a cluster.

    Attributes:
        name: "local" or "ray".
        waited: Seconds in which `play` could only wait for workers.
    """

    name: str

    waited: float

    @property
    def workers(self) -> int:
        """Number of simultaneous tasks, which can change during play."""

    @property
    def cluster(self) -> ClusterState | None:
        """State of the joined cluster, or None if none was joined."""

    def play(
        self, next_task: Callable[[], Task | None], artifacts: Mapping[str, bytes]
    ) -> Generator[list[Receipt], None, None]:
        """Request tasks only when workers are free. Closing the generator stops the tasks that run.

        After None from `next_task` it asks again when other tasks have ended, and ends when there are none.

        Args:
            next_task: Returns the next task, or None if there is none now.
            artifacts: Contents of bots and house players, by sha256.

        Yields:
            The receipts of tasks that have ended.

        Raises:
            InputError: No machine can play, for a reason that the user can fix.
            RunError: A machine can't play, or workers were lost.
            OSError: A worker in this process can't write its parts, or a file for nodes can't be written.
            ValueError: A worker in this process can't read its parts again.
        """

    def close(self) -> None:
        """Free all resources. Until then `play` can be called again."""


class Executors(contextlib.AbstractContextManager["Executors"]):
    """The executor of a command, no matter how many rounds and contests it plays. So Ray starts once.

    Args:
        strict: Whether the first problem of a cluster's node ends the run.
    """

    def __init__(self, *, strict: bool = False) -> None:
        self._strict = strict
        self._started: Executor | None = None

    def chosen(
        self, general: GeneralSettings, seconds: float, size: float, on_message: Callable[[str], None]
    ) -> Executor:
        """Return the executor that plays next: the one on Ray if it has started, otherwise that of `choose_executor`.

        Args:
            general: General settings.
            seconds: Expected seconds of one core.
            size: Expected bytes of records. More than 1 GB are announced.
            on_message: Called with a message before a slow step.

        Raises:
            InputError: Ray can't be reached, or isn't installed.
            RunError: A Ray of this run would be open to others, or no temporary folder has a short enough path.
            OSError: The folder or the cleaner of a Ray of this run can't be made.
        """
        if self._started is None or self._started.name == "local":  # a new local one costs nothing
            self._started = choose_executor(general, seconds, size, on_message, strict=self._strict)
        return self._started

    @property
    def set_aside(self) -> Mapping[str, str]:
        """Reasons why nodes were set aside, by their names. Empty without a joined cluster."""
        cluster = self._started.cluster if self._started else None
        return cluster.set_aside if cluster else {}

    def close(self) -> None:
        """End the executor. After an error it might be unusable, so the next play starts another."""
        started, self._started = self._started, None
        if started is not None:
            started.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def cluster_address(general: GeneralSettings) -> str | None:
    """Return the address of the cluster that a run joins, or None if it plays on this machine alone.

    Without an address in the settings RAY_ADDRESS counts, which Ray sets for its jobs. It can be "", which means that
    there is no cluster, too.
    """
    address = general.ray_address or os.environ.get("RAY_ADDRESS")
    return None if general.executor == "local" else address


def require_results_outside_job(location: str) -> None:
    """Check that results aren't in the folder that Ray unpacks for a job, because that is lost with the cluster.

    Raises:
        InputError: The location is a path in such a folder.
    """
    folder = os.path.realpath(location)
    if "://" not in location and f"{os.sep}runtime_resources{os.sep}" in folder:
        raise InputError(
            f"{location}: this is a folder of Ray's job, which is lost with the cluster; give results as a URL such as"
            " s3://bucket/prefix, or as a folder that all nodes share"
        )


def choose_executor(
    general: GeneralSettings, seconds: float, size: float, on_message: Callable[[str], None], *, strict: bool = False
) -> Executor:
    """Return the executor of the settings. `auto` uses Ray for a cluster's address or long work on many cores.

    Work is long from a minute of one core, and cores are many if there are more than eight.

    Args:
        general: General settings.
        seconds: Expected seconds of one core.
        size: Expected bytes of records. More than 1 GB are announced.
        on_message: Called with a message before a slow step.
        strict: Whether the first problem of a cluster's node ends the run.

    Raises:
        InputError: Ray can't be reached, or isn't installed.
        RunError: A Ray of this run would be open to others, or no temporary folder has a short enough path.
        OSError: The folder or the cleaner of a Ray of this run can't be made.
    """
    if size > _LARGE:
        on_message(f"This will take about {size / 1e9:.0f} GB of records")
    if general.executor == "ray":
        on_message("Starting Ray…")
    name, workers = general.executor, general.workers
    address = cluster_address(general)
    if name == "auto":
        name = "ray" if address or (seconds > RAY_WORTH_SECONDS and cores() > 8) else "local"
    if name == "ray":
        try:
            from tournament.runner.executors.ray_cluster import RayExecutor
        except ImportError as error:
            raise InputError(f"executor \"ray\": {error}; pip install 'ray>=2.59,<2.61'") from None

        return RayExecutor(workers, address, on_message, strict=strict)
    from tournament.runner.executors.local import LocalExecutor

    return LocalExecutor(workers or cores())


def run_tasks(
    next_task: Callable[[], Task | None],
    get_max_running: Callable[[], int],
    start: Callable[[Task], _Played],
    wait: Callable[[list[_Played]], tuple[list[_Played], list[_Played]]],
    get_receipt: Callable[[_Played], Receipt | None],
    running: list[_Played],
) -> Iterator[list[Receipt]]:
    """Keep at most a given number of tasks running, until there is no next task and none runs.

    If `get_receipt` raises an exception, it is passed on after the receipts of other finished tasks were yielded. Of
    several exceptions only the first is raised. Those of the other callables are passed on at once.

    Args:
        next_task: Returns the next task, or None if there is none now.
        get_max_running: Returns the maximum number of running tasks, before each task.
        start: Starts a task.
        wait: Waits for a moment, and splits the running tasks into done and not done. Both can be empty.
        get_receipt: Returns a task's receipt, or None after it appended the task to `running` again.
        running: Always has the unfinished tasks, so that they can be stopped.

    Yields:
        The receipts of tasks that are done, at least one at a time, in the order of `wait`.
    """
    while True:
        while len(running) < get_max_running() and (task := next_task()) is not None:
            running.append(start(task))
        if not running:
            return
        done, running[:] = wait(running)
        receipts: list[Receipt] = []
        failures: list[Exception] = []
        for one in done:
            try:
                receipt = get_receipt(one)
            except Exception as failure:
                failures.append(failure)
            else:
                receipts += [] if receipt is None else [receipt]
        if receipts:
            yield receipts
        if failures:
            raise failures[0]
