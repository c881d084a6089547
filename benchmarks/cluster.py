"""Measure the number of workers that one driver keeps busy, by its processor time alone.

    python -m benchmarks.cluster [--nodes 100] [--cores 16] [--rounds 10] [--legs 10] [--seconds 2]

Real: the run (schedule, batching, commits, ranking, summaries), pickling of tasks and receipts, files in a folder.
Simulated: the workers and the clock. The clock shows the processor time of the run's own process, without that of the
simulation. When the run would wait for a receipt, the clock jumps to its arrival. So other jobs on the machine change
little. Ray's time for a task, and for a look at submitted tasks, is measured first, with empty tasks, and added. A leg
takes `--seconds` over `--legs`. The number of replicas gives each core `--rounds` batches of `--seconds`. Parts are
written in full, which counts as the driver's time.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import itertools
import math
import os
import pickle
import resource
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.growth import GAMES, make_bots, write_batch
from tournament.config import load_config
from tournament.contests import find_contest
from tournament.runner import executors, live_standings, pace, plan, round_play
from tournament.runner.contest_run import run_contest
from tournament.runner.executors import run_tasks
from tournament.runner.listener import Progress
from tournament.store.storage import open_storage
from tournament.worker.batch import Receipt, Task

VON_NEUMANN_POKER = find_contest("von_neumann_poker")

_BOTS, _SESSIONS = 100, 4  # bots of the field, sessions of a leg
_SUBMITTED = 2  # tasks for each core, as on a joined cluster
_TASKS, _ARTIFACT = 500, 5000  # number of tasks that measure Ray, bytes of a bot


@dataclass(frozen=True)
class RaysPart:
    """Ray's share of the driver's processor time: seconds for a task, and for each submitted task at a look."""

    task: float
    look: float


class Clock:
    """Seconds of this process's processor time, without those `aside`, and what was added."""

    def __init__(self) -> None:
        self._added = -time.process_time()

    def now(self) -> float:
        return time.process_time() + self._added

    def add(self, seconds: float) -> None:
        self._added += seconds

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        before = time.process_time()
        try:
            yield
        finally:
            self._added -= time.process_time() - before


class SimulatedWorkers:
    """The executor: a task is held on the core that is free first for as long as its legs take."""

    name = "ray"

    def __init__(self, cores: int, leg_seconds: float, there: Path, clock: Clock, ray: RaysPart) -> None:
        self.workers = cores
        self.waited = 0.0
        self._leg_seconds, self._clock, self._ray = leg_seconds, clock, ray
        self._free = [0.0] * cores
        self._due: list[tuple[float, int]] = []
        self._plays: list[tuple[float, float]] = []  # when each task begins and ends
        self.cluster = None
        self.played: list[tuple[float, float]] = []  # when a receipt came, and its seconds
        self.tasks_seconds = 0.0

    def play(
        self, next_task: Callable[[], Task | None], artifacts: Mapping[str, bytes]
    ) -> Generator[list[Receipt], None, None]:
        numbers = itertools.count()
        most = _SUBMITTED * self.workers + 8

        def start(task: Task) -> tuple[int, bytes]:
            return self._submit(next(numbers), pickle.dumps(task))

        yield from run_tasks(next_task, lambda: most, start, self._wait, self._receipt, [])

    def close(self) -> None:
        pass

    def _submit(self, number: int, pickled: bytes) -> tuple[int, bytes]:
        with self._clock.aside():
            task: Task = pickle.loads(pickled)
            seconds = self._leg_seconds * len(task.legs)
            begins = max(self._clock.now(), heapq.heappop(self._free))
            due = begins + seconds
            self._plays.append((begins, due))
            heapq.heappush(self._free, due)
            heapq.heappush(self._due, (due, number))
            receipt = pickle.dumps(self._played(task, seconds), 5)
        self._clock.add(self._ray.task)
        return number, receipt

    def _wait(self, running: list[tuple[int, bytes]]) -> tuple[list[tuple[int, bytes]], list[tuple[int, bytes]]]:
        with self._clock.aside():
            now = self._clock.now()
            if (sooner := self._due[0][0] - now) > 0:
                self._clock.add(sooner)
                self.waited += sooner
                now += sooner
            come = set()
            while self._due and self._due[0][0] <= now:
                come.add(heapq.heappop(self._due)[1])
            done = [one for one in running if one[0] in come]
            others = [one for one in running if one[0] not in come]
        self._clock.add(self._ray.look * len(running))
        return done, others

    def _receipt(self, come: tuple[int, bytes]) -> Receipt:
        receipt: Receipt = pickle.loads(come[1])
        self.played.append((self._clock.now(), receipt.seconds))
        return receipt

    def _played(self, task: Task, seconds: float) -> Receipt:
        legs = sorted(task.legs, key=lambda leg: (leg.plan.match, leg.plan.number))
        return Receipt((write_batch(open_storage(task.location), legs, task.origin),), seconds)

    def busy(self) -> float:
        """Return the share of the cores' time that was play, in the middle half of the time of receipts."""
        first, last = self.played[0][0], self.played[-1][0]
        window = (3 * first + last) / 4, (first + 3 * last) / 4
        begins, ends = np.clip(np.array(self._plays), *window).T
        return float((ends - begins).sum()) / (self.workers * (window[1] - window[0]))


@dataclass
class Watch:
    """Counts commits."""

    commits: int = field(default=0)

    def on_message(self, text: str) -> None:
        print(text, flush=True)

    def on_progress(self, progress: Progress) -> None:
        self.commits += 1


def nothing(pickled: bytes, artifacts: bytes) -> bytes:
    """Return the task's bytes, because a receipt has about as many."""
    return pickled


def rays_part(task_bytes: int, submitted: int) -> RaysPart:
    """Measure Ray, on one of its own: tasks like ours that do nothing, and looks at this many that aren't done."""
    import ray

    ray.init("local", num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    try:
        play = ray.remote(num_cpus=1, max_retries=3)(nothing)
        artifacts = ray.put(bytes(_BOTS * _ARTIFACT))
        content = os.urandom(task_bytes)

        def run(count: int) -> None:
            running: list[Any] = []
            for _ in range(count):
                running.append(play.options(memory=1).remote(content, artifacts))
                if len(running) == 8:
                    ray.get(running)
                    running = []
            ray.get(running)

        run(_TASKS // 5)  # starts the workers
        before = time.process_time()
        run(_TASKS)
        task = (time.process_time() - before) / _TASKS
        never = [play.options(num_cpus=1000).remote(b"", b"") for _ in range(submitted)]
        done = [ray.put(0)]
        before = time.process_time()
        for _ in range(20):
            _, left = ray.wait([*never, *done], timeout=1)
            ray.wait(left, num_returns=len(left), timeout=0)
        look = (time.process_time() - before) / 20 / submitted
        return RaysPart(task, look)
    finally:
        ray.shutdown()


def measure(cores: int, seconds: float, legs_of_batch: int, rounds: int, ray: RaysPart) -> dict[str, float]:
    """Measure a run on this many simulated cores."""
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as name:
        folder = Path(name)
        make_bots(folder, _BOTS)
        replicas = math.ceil(cores * rounds * legs_of_batch / (_BOTS * (_BOTS - 1) / 2))
        clock = Clock()
        cluster = SimulatedWorkers(cores, seconds / legs_of_batch, folder / "there", clock, ray)
        timed = SimpleNamespace(perf_counter=clock.now)
        made = plan.new_pace

        def new_pace(*arguments: Any) -> pace.Pace:
            return replace(made(*arguments), started=clock.now())

        for module, what, other in (
            (executors, "choose_executor", lambda *chosen, **options: cluster),
            (round_play, "new_pace", new_pace),
            (live_standings, "time", timed),
            (pace, "time", timed),
        ):
            setattr(module, what, other)
        places = {"entrants": f"{folder}/bots", "results": f"{folder}/results"}
        config = load_config("von_neumann_poker", sessions=_SESSIONS, replicas=replicas, seed="cluster", **places)
        rate = _SESSIONS * GAMES * legs_of_batch / seconds
        contest = replace(VON_NEUMANN_POKER, estimates=replace(VON_NEUMANN_POKER.estimates, rate=rate))
        watch = Watch()
        began = clock.now()
        run_contest(contest, config, watch)
        ended = clock.now()
        parts = [path.stat().st_size for path in (folder / "results/von_neumann_poker/sessions").iterdir()]
        first, last = cluster.played[0][0], cluster.played[-1][0]
        receipts = len(cluster.played)
        return {
            "share of the cores' time in play": cluster.busy(),
            "receipts": receipts,
            "seconds of a task": sum(of_task for _, of_task in cluster.played) / receipts,
            "receipts a second": receipts / (last - first),
            "commits a second": watch.commits / (last - first),
            "seconds from the start to the last receipt": last - began,
            "seconds from the last receipt to the end": ended - last,
            "driver's milliseconds a receipt": 1e3 * (ended - began - cluster.waited) / receipts,
            "of these Ray's": 1e3 * ray.task,
            "share of the driver's time that it waits": cluster.waited / (ended - began),
            "MB, the simulation's receipts among them": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "parts of sessions/": len(parts),
            "their MB": sum(parts) / 1e6,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how many simulated workers one driver keeps busy.")
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--cores", type=int, default=16, help="of a node")
    parser.add_argument("--rounds", type=int, default=10, help="batches for each core")
    parser.add_argument("--legs", type=int, default=10, help="of a batch of --seconds")
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--ray", type=float, nargs=2, help="Ray's seconds for a task and a look, if known")
    options = parser.parse_args()
    cores = options.nodes * options.cores
    ray = RaysPart(*options.ray) if options.ray else rays_part(600 * options.legs, _SUBMITTED * cores)
    print(
        f"Ray: {1e3 * ray.task:.3f} ms a task, {1e6 * ray.look:.3f} µs at a look for each that is submitted", flush=True
    )
    for what, value in measure(cores, options.seconds, options.legs, options.rounds, ray).items():
        print(f"{what}: {value:,.3g}" if value < 100 else f"{what}: {value:,.0f}")


if __name__ == "__main__":
    main()
