"""Plays on Ray: one of this run alone, or a cluster that is joined. The only module that imports Ray."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import pickle
import re
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.cores import cores
from tournament.errors import InputError, RunError, TournamentError, truncate
from tournament.runner.executors import existing_cluster, keep_busy
from tournament.runner.executors.existing_cluster import JoinedCluster, join
from tournament.runner.executors.private_ray import memory_for, own_ray
from tournament.store.storage import open_storage
from tournament.worker.batch import Receipt, Task, play_task
from tournament.worker.node import Invitation, accept, accept_contest, invite
from tournament.worker.processes import admission
from tournament.worker.processes.admission import MemoryBudget, free_memory
from tournament.worker.wasm.stack import on_deep_stack

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # of tasks that no one asks for any longer

import ray

_QUIET: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
_LOOK_SECONDS = 1.0


class RayExecutor:
    """Tasks on Ray workers, which write their parts themselves: the results must lie where all nodes reach them."""

    name = "ray"

    def __init__(self, workers: int, address: str | None, say: Callable[[str], None]) -> None:
        self._until_closed = contextlib.ExitStack()
        self._workers = workers
        self.waited = 0.0
        self._cluster: JoinedCluster | None = None
        self._memory = 0  # of the latest task, in bytes
        self._stays_joined = ray.is_initialized()
        try:
            if address or self._stays_joined:
                if not self._stays_joined:
                    join(ray, address or "auto", **_QUIET)
                    if not existing_cluster.ends_after_play:
                        self._until_closed.callback(ray.shutdown)
                self._cluster = JoinedCluster(ray, say)
            else:
                self._workers = workers or cores()
                self._start_own(say)
        except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise InputError(f"Ray can't be reached at {address or 'this machine'}: {_in_a_line(error)}") from None

    def _start_own(self, say: Callable[[str], None]) -> None:
        """Start a Ray of this run. It gives itself half a minute, so a busy machine gets a second try."""
        try:
            self._until_closed.enter_context(own_ray(ray, self._workers, **_QUIET))
        except RuntimeError as error:
            say(f"Ray did not start ({_in_a_line(error)}); trying once more…")
            self._until_closed.enter_context(own_ray(ray, self._workers, **_QUIET))

    @property
    def workers(self) -> int:
        return self._workers or max(1, self._cluster.cores if self._cluster else 1)

    def play(
        self, next_task: Callable[[], Task | None], artifacts: Mapping[str, bytes]
    ) -> Generator[list[Receipt], None, None]:
        running: list[Any] = []
        try:
            start = self._starter(artifacts)
            yield from keep_busy(next_task, self._most, start, self._wait, self._receipt, running)
        finally:
            # Who leaves a cluster ends its tasks. Ray aborts where one that is cancelled is done just then.
            for reference in running if self._stays_joined and not existing_cluster.ends_after_play else ():
                ray.cancel(reference, force=True)

    def close(self) -> None:
        self._until_closed.close()

    def _most(self) -> int:
        """How many tasks to keep submitted."""
        if self._cluster is None:
            return self._workers
        self._cluster.look(self._memory)
        return self._workers or self._cluster.most

    def _starter(self, artifacts: Mapping[str, bytes]) -> Callable[[Task], Any]:
        """What submits a task, and returns the reference of its receipt."""
        # All in one object: Ray takes a tenth of a millisecond for each that a task is given.
        stored = ray.put(_Stored.of(artifacts))
        # Workers of a private Ray inherit the command's hash seed. Those of a cluster are given it, so that sets keep
        # one order.
        environment = {"runtime_env": {"env_vars": {"PYTHONHASHSEED": "0"}}} if self._cluster else {}
        remote_play = ray.remote(num_cpus=1, max_retries=3, **environment)(_play_remotely)
        invitation: Invitation | None = None

        def start(task: Task) -> Any:
            nonlocal invitation
            invitation = invitation or invite(open_storage(task.location))
            here = 0 if self._cluster else int(ray.cluster_resources().get("memory", 0))
            self._memory = task.memory_bytes if self._cluster else memory_for(task, here, self._workers)
            with_memory = remote_play.options(memory=self._memory or None)
            # Ray's own way to write objects is in Python, and takes as long as all the rest.
            return with_memory.remote(invitation, pickle.dumps(task), stored)

        return start

    def _wait(self, running: list[Any]) -> tuple[list[Any], list[Any]]:
        began = time.perf_counter()
        first, left = ray.wait(running, timeout=_LOOK_SECONDS)
        self.waited += time.perf_counter() - began
        more, left = ray.wait(left, num_returns=len(left), timeout=0) if first and left else ([], left)
        return first + more, left

    def _receipt(self, reference: Any) -> Receipt:
        try:
            receipt = ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, OSError | TournamentError):
                raise cause from None
            raise RunError(_failure(str(error).strip())) from None
        except ray.exceptions.RayError as error:
            raise RunError(f"Ray lost a task: {str(error).splitlines()[0]}") from None
        assert isinstance(receipt, Receipt)
        return receipt


def _in_a_line(error: Exception) -> str:
    return truncate(" ".join(str(error).split()) or type(error).__name__, 300)


def _failure(text: str) -> str:
    """A line for an error on a node that isn't the tournament's own, from Ray's long text."""
    node = re.search(r"\bip=([\w.:]+)", text)
    reason = text.splitlines()[-1]
    # Such errors come from a node without the package, or with another version of it.
    mend = "; install the same on every node" if re.match("ModuleNotFound|Import|Attribute", reason) else ""
    return f"a worker failed on node {node.group(1) if node else 'unknown'}: {reason}{mend}"


@dataclass(frozen=True)
class _Stored:
    """The bots' bytes one after the other, which the workers of a node share, and where each begins and ends."""

    content: npt.NDArray[np.uint8]
    places: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, artifacts: Mapping[str, bytes]) -> _Stored:
        ends = itertools.accumulate(map(len, artifacts.values()), initial=0)
        places = dict(zip(artifacts, itertools.pairwise(ends)))
        return cls(np.frombuffer(b"".join(artifacts.values()), np.uint8), places)

    def needed(self, task: Task) -> dict[str, bytes]:
        """What a task's legs need of them, by its sha256."""
        needed = {player.artifact for leg in task.legs for player in leg.players}
        return {sha256: self.content[slice(*self.places[sha256])].tobytes() for sha256 in needed}


def _play_remotely(invitation: Invitation, pickled: bytes, stored: _Stored) -> Receipt:
    accept(invitation)
    task: Task = pickle.loads(pickled)
    accept_contest(task.rules, task.requires, task.source)
    admission.room = MemoryBudget(lambda: max(task.memory_bytes, free_memory() // cores()))
    return on_deep_stack(play_task, task, stored.needed(task))
