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

# Below this many seconds of play on one core, Ray's start-up would cost more than it brings.
RAY_WORTH_SECONDS = 60.0
_LARGE = 1e9  # bytes of records that are announced
_Played = TypeVar("_Played")


class Executor(Protocol):
    """`play` asks for tasks only as workers come free, and yields the receipts of those that have been played since.
    Where it is given None it asks again once others are played, and ends when there are none.

    `workers`: how many play at once, which may change while they do. `waited`: for how many
    seconds `play` had nothing to do but wait for them. It may `play` again, until `close`. `cluster`: the state of a
    cluster that was joined, None elsewhere.
    """

    name: str

    waited: float

    @property
    def workers(self) -> int: ...

    @property
    def cluster(self) -> ClusterState | None: ...

    def play(
        self, next_task: Callable[[], Task | None], artifacts: Mapping[str, bytes]
    ) -> Generator[list[Receipt], None, None]: ...
    def close(self) -> None: ...


class Executors(contextlib.AbstractContextManager["Executors"]):
    """The executor of a command, however many rounds and contests it plays: Ray starts once."""

    def __init__(self, *, strict: bool = False) -> None:
        """With `strict` the first problem of a cluster's node ends a run."""
        self._strict = strict
        self._started: Executor | None = None

    def chosen(self, general: GeneralSettings, seconds: float, size: float, say: Callable[[str], None]) -> Executor:
        """The executor that plays next. Raises as `choose_executor`."""
        if self._started is None or self._started.name == "local":  # of which a new one costs nothing
            self._started = choose_executor(general, seconds, size, say, strict=self._strict)
        return self._started

    @property
    def set_aside(self) -> Mapping[str, str]:
        """Why nodes were set aside, by their names."""
        cluster = self._started.cluster if self._started else None
        return cluster.set_aside if cluster else {}

    def close(self) -> None:
        """End it. After an error it may not be sound: the next play starts another."""
        started, self._started = self._started, None
        if started is not None:
            started.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def cluster_address(general: GeneralSettings) -> str | None:
    """Return the address of the cluster that a run joins; None if it plays on this machine alone.

    Without an address in the settings RAY_ADDRESS counts, which Ray sets for its jobs.
    """
    address = general.ray_address or os.environ.get("RAY_ADDRESS")
    return None if general.executor == "local" else address


def require_results_outside_job(location: str) -> None:
    """Refuse results in the folder that Ray unpacks for a job: it goes with the cluster.

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
    general: GeneralSettings, seconds: float, size: float, say: Callable[[str], None], *, strict: bool = False
) -> Executor:
    """The executor that the settings name; `auto` takes Ray for a cluster's address or long work on many cores.

    The work takes about this many seconds of one core, and leaves `size` bytes of records. `say` is called with what
    takes long. Raises InputError where Ray can't be reached.
    """
    if size > _LARGE:
        say(f"This will take about {size / 1e9:.0f} GB of records")
    if general.executor == "ray":
        say("Starting Ray…")
    name, workers = general.executor, general.workers
    address = cluster_address(general)
    if name == "auto":
        name = "ray" if address or (seconds > RAY_WORTH_SECONDS and cores() > 8) else "local"
    if name == "ray":
        try:
            from tournament.runner.executors.ray_cluster import RayExecutor
        except ImportError as error:
            raise InputError(f"executor \"ray\": {error}; pip install 'ray>=2.59,<2.61'") from None

        return RayExecutor(workers, address, say, strict=strict)
    from tournament.runner.executors.local import LocalExecutor

    return LocalExecutor(workers or cores())


def keep_busy(
    next_task: Callable[[], Task | None],
    most: Callable[[], int],
    start: Callable[[Task], _Played],
    wait: Callable[[list[_Played]], tuple[list[_Played], list[_Played]]],
    receipt_of: Callable[[_Played], Receipt | None],
    running: list[_Played],
) -> Iterator[list[Receipt]]:
    """Keep at most this many tasks running, and yield the receipts of those that are done.

    `most` is called before each task is taken; `start` begins one, `wait` splits those running into done and not done.
    `running` always has those not yet done, so that they can be stopped. Where `receipt_of` returns None, it has
    appended the task to `running` again.
    """
    while True:
        while len(running) < most() and (task := next_task()) is not None:
            running.append(start(task))
        if not running:
            return
        done, running[:] = wait(running)
        receipts: list[Receipt] = []
        failures: list[Exception] = []
        for one in done:
            try:
                receipt = receipt_of(one)
            except Exception as failure:
                failures.append(failure)
            else:
                receipts += [] if receipt is None else [receipt]
        if receipts:
            yield receipts
        if failures:
            raise failures[0]
