"""How many workers one driver keeps busy, on nodes that are simulated.

    python -m benchmarks.cluster [--nodes 100] [--cores 16] [--rounds 20] [--legs 10] [--seconds 2]

Real: the run (schedule, batching, commits, ranking, summaries), Ray with its tasks and receipts, files in a folder.
Simulated: the nodes. A few Ray actors hold each task for as long as its legs take, as many tasks at once as their
nodes have cores, and answer with a receipt whose sums are invented. Its parts are links to parts that were written once
for their number of rows. A leg takes `--seconds` over `--legs`, so that a batch of two seconds has about so many; the
field has as many replicas as give each core `--rounds` batches.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import math
import os
import pickle
import resource
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import ray

from benchmarks.growth import GAMES, invented_legs, make_bots, write_parts
from engine.kernel.game_core import BLOCK_COUNT
from tournament.config import load_config
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.runner import contest_run
from tournament.runner.contest_run import run_contest
from tournament.runner.executors.ray_cluster import RayExecutor
from tournament.runner.watcher import Progress
from tournament.store.folder_storage import FolderStorage
from tournament.store.ledger import Batch, Part
from tournament.worker.batch import Receipt, Task

_ACTORS = 2  # processes that simulate all nodes
_BOTS, _SESSIONS = 100, 4  # of the field, of a leg


class Nodes:
    """Some of the nodes, with so many cores in all; parts are written to `there` once."""

    def __init__(self, cores: int, leg_seconds: float, there: str) -> None:
        self._free = asyncio.Semaphore(cores)
        self._leg_seconds = leg_seconds
        self._there = FolderStorage(there)
        self._there.prepare()
        self._written: dict[int, tuple[Part, ...]] = {}

    async def play(self, pickled: bytes) -> Receipt:
        """Take as long as the legs of a task would."""
        task: Task = pickle.loads(pickled)
        seconds = self._leg_seconds * len(task.legs)
        async with self._free:
            await asyncio.sleep(seconds)
        batches = []
        for name, legs in task.named_batches():
            if len(legs) not in self._written:
                self._written[len(legs)] = write_parts(self._there, name, legs)
            parts = tuple(self._linked(task.location, name, part) for part in self._written[len(legs)])
            batches.append(Batch(name, parts, invented_legs(legs)))
        luck = tuple(np.zeros((len(batch.legs), BLOCK_COUNT)) for batch in batches)
        return Receipt(tuple(batches), seconds, luck=luck)

    def _linked(self, location: str, name: str, written: Part) -> Part:
        """A staged part of another batch with the same bytes."""
        staged = f"staging/{name}-{os.urandom(16).hex()}-{written.table}"
        os.link(Path(self._there.location) / written.staged, Path(location) / staged)
        return replace(written, name=f"{name}.parquet", staged=staged)

    def are_there(self) -> bool:
        return True


class SimulatedCluster(RayExecutor):
    """The executor on a Ray of its own, whose tasks go to the actors."""

    def __init__(self, cores: int, leg_seconds: float, there: Path) -> None:
        super().__init__(_ACTORS, None, _ACTORS, print)
        self._workers = cores
        kind = ray.remote(num_cpus=1, max_concurrency=4 * cores)(Nodes)
        self.actors = [kind.remote(cores // _ACTORS, leg_seconds, f"{there}/{number}") for number in range(_ACTORS)]
        ray.get([actor.are_there.remote() for actor in self.actors])
        self.played: list[tuple[float, float]] = []  # when a receipt came, and its seconds

    def _most(self) -> int:
        return 2 * self._workers + 8

    def _starter(self, artifacts: Mapping[str, bytes]) -> Callable[[Task], Any]:
        turns = itertools.cycle(self.actors)
        return lambda task: next(turns).play.remote(pickle.dumps(task))

    def _receipt(self, reference: Any) -> Receipt:
        receipt = super()._receipt(reference)
        self.played.append((time.monotonic(), receipt.seconds))
        return receipt

    def busy(self) -> float:
        """The share of the cores' time that was play, from the second quarter of the receipts to the third."""
        quarter = len(self.played) // 4
        middle = self.played[quarter : 3 * quarter]
        seconds = middle[-1][0] - middle[0][0]
        return sum(of_task for _, of_task in middle[1:]) / (self._workers * seconds)


@dataclass
class Watch:
    """Counts commits."""

    began: float = field(default_factory=time.monotonic)
    commits: int = 0
    ended: float = 0.0

    def say(self, text: str) -> None:
        print(text, flush=True)

    def on_progress(self, progress: Progress) -> None:
        self.commits += 1
        self.ended = time.monotonic()


def measure(cores: int, seconds: float, legs_of_batch: int, rounds: int) -> dict[str, float]:
    """A run on so many simulated cores."""
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as name:
        folder = Path(name)
        make_bots(folder, _BOTS)
        replicas = math.ceil(cores * rounds * legs_of_batch / (_BOTS * (_BOTS - 1) / 2))
        clusters: list[SimulatedCluster] = []

        def simulated(*chosen: object) -> SimulatedCluster:
            clusters.append(SimulatedCluster(cores, seconds / legs_of_batch, folder))
            return clusters[-1]

        setattr(contest_run, "choose_executor", simulated)  # noqa: B010
        places = {"entrants": f"{folder}/bots", "results": f"{folder}/results"}
        config = load_config("von_neumann_poker", sessions=_SESSIONS, replicas=replicas, seed="cluster", **places)
        rate = _SESSIONS * GAMES * legs_of_batch / seconds
        contest = replace(VON_NEUMANN_POKER, estimates=replace(VON_NEUMANN_POKER.estimates, rate=rate))
        watch = Watch()
        run_contest(contest, config, watch)
        (cluster,) = clusters
        used = resource.getrusage(resource.RUSAGE_SELF)
        processor = used.ru_utime + used.ru_stime
        ledger = [path.stat().st_size for path in (folder / "results/von_neumann_poker/ledger").glob("0*.json")]
        first, last = cluster.played[0][0], cluster.played[-1][0]
        return {
            "busy": cluster.busy(),
            "receipts": len(cluster.played),
            "receipts a second": len(cluster.played) / (last - first),
            "commits a second": watch.commits / (last - first),
            "seconds from the last receipt to the end": time.monotonic() - last,
            "driver's milliseconds of processor a receipt": 1e3 * processor / len(cluster.played),
            "driver's MB": used.ru_maxrss / 1024,
            "ledger's entries": len(ledger),
            "ledger's MB": sum(ledger) / 1e6,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how many simulated workers one driver keeps busy.")
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--cores", type=int, default=16, help="of a node")
    parser.add_argument("--rounds", type=int, default=10, help="batches for each core")
    parser.add_argument("--legs", type=int, default=10, help="of a batch of --seconds")
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    found = measure(options.nodes * options.cores, options.seconds, options.legs, options.rounds)
    for what, value in found.items():
        print(f"{what}: {value:,.3g}" if value < 100 else f"{what}: {value:,.0f}")


if __name__ == "__main__":
    main()
