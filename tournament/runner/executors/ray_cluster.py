"""Plays on Ray: one of this run alone, or a cluster that is joined. The only module that imports Ray."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from tournament.errors import BadInput, RunFailed, TournamentError
from tournament.runner.executors import keep_busy
from tournament.runner.executors.own_ray import own_ray
from tournament.store.storage import open_storage
from tournament.worker.batch import Receipt, Task, play_task
from tournament.worker.node import Invitation, accept, invite

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import ray

_QUIET: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}


class RayExecutor:
    """Tasks on Ray workers, which write their parts themselves: the results must lie where all nodes reach them."""

    name = "ray"

    def __init__(self, workers: int, address: str | None, cores: int) -> None:
        address = address or os.environ.get("RAY_ADDRESS")
        self._until_done = contextlib.ExitStack()
        if not ray.is_initialized():
            try:
                if address:
                    ray.init(address, **_QUIET)
                    self._until_done.callback(ray.shutdown)
                else:
                    self._until_done.enter_context(own_ray(ray, workers or cores, **_QUIET))
            except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
                reason = (str(error).splitlines() or [type(error).__name__])[0]
                raise BadInput(f"Ray can't be reached at {address or 'this machine'}: {reason}") from None
        self.workers = workers or max(1, int(_resources().get("CPU", 1)))

    def play(self, tasks: Iterator[Task], artifacts: Mapping[str, bytes]) -> Generator[Receipt, None, None]:
        running: list[Any] = []
        try:
            stored = {sha256: ray.put(artifact) for sha256, artifact in artifacts.items()}
            remote_play = ray.remote(num_cpus=1, max_retries=3)(_play_remotely)

            invitation: Invitation | None = None

            def start(task: Task) -> Any:
                nonlocal invitation
                invitation = invitation or invite(open_storage(task.location))
                needed = sorted({seat.artifact for leg in task.legs for seat in (leg.x, leg.y)})
                return remote_play.remote(invitation, task, needed, *[stored[sha256] for sha256 in needed])

            for reference in keep_busy(tasks, self.workers, start, ray.wait, running):
                yield self._receipt(reference)
        finally:
            for reference in running:
                ray.cancel(reference, force=True)
            self._until_done.close()

    def _receipt(self, reference: Any) -> Receipt:
        try:
            receipt = ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, OSError | TournamentError):
                raise cause from None
            raise RunFailed(f"a Ray worker failed: {str(error).strip().splitlines()[-1]}") from None
        except ray.exceptions.RayError as error:
            raise RunFailed(f"Ray lost a task: {str(error).splitlines()[0]}") from None
        assert isinstance(receipt, Receipt)
        return receipt


def _resources() -> dict[str, float]:
    found: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return found


def _play_remotely(invitation: Invitation, task: Task, needed: list[str], *artifacts: bytes) -> Receipt:
    accept(invitation)
    return play_task(task, dict(zip(needed, artifacts)))
