"""Few Python bots, all against all: the gain from keeping a worker and its bots' processes on one core.

    python -m benchmarks.few_bots [--rounds N] [--bots N] [--sessions N]

As many workers as cores play the legs, with and without that in turn. Prints medians: games a second of wall time,
which other work on the machine disturbs, and microseconds of processor time a game, of the worker and its bots'
processes with their start.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from unittest.mock import patch

from benchmarks.processes import SANDBOX, played_field, python_field
from tournament.cache import cache_folder
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER, Settings
from tournament.leg import Leg
from tournament.sandbox.outside import fork_server, probe
from tournament.worker.processes import one_core
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool


@dataclass(frozen=True)
class Cost:
    """Games a second, and microseconds of processor time a game."""

    rate: float
    worker: float
    processes: float

    @property
    def both(self) -> float:
        return self.worker + self.processes


def cost(settings: Settings, legs: Sequence[Leg], artifacts: dict[str, bytes], workers: int) -> Cost:
    """Play these legs with so many workers, each with neighbours in the schedule, as in a run."""
    share = -(-len(legs) // workers)
    parts = [legs[first : first + share] for first in range(0, len(legs), share)]

    def play(part: Sequence[Leg]) -> int:
        with contextlib.closing(Spool()) as spool:
            played = play_in_lanes(VON_NEUMANN_POKER, settings, SANDBOX, part, artifacts, cache_folder(), spool)
            return sum(leg.result.games for leg in played)

    own, others = _processor_seconds()
    started = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        games = sum(pool.map(play, parts))
    seconds = time.perf_counter() - started
    own_after, others_after = _processor_seconds()
    return Cost(games / seconds, 1e6 * (own_after - own) / games, 1e6 * (others_after - others) / games)


def _processor_seconds() -> tuple[float, float]:
    """Of this process and its ended children; those of bots count once their server has ended."""
    fork_server.end_idle()
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime, others.ru_utime + others.ru_stime


@contextlib.contextmanager
def spread() -> Iterator[None]:
    """Let the system choose the cores of workers and processes."""
    with patch.object(one_core.OneCore, "look", lambda *_: None):
        yield


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure few Python bots, on one core for a worker and spread.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bots", type=int, default=4)
    parser.add_argument("--sessions", type=int, default=1000)
    options = parser.parse_args()
    probe.probe_sandbox(SANDBOX.mode)
    settings, legs, artifacts = played_field(python_field(options.bots), options.sessions)
    print("| workers | | games/s | µs a game, worker | µs a game, processes | of the processor time, spread |")
    print("|---|---|---|---|---|---|")
    for workers in (len(os.sched_getaffinity(0)),):
        apart, together = [], []
        for _ in range(options.rounds):
            with spread():
                apart.append(cost(settings, legs, artifacts, workers))
            together.append(cost(settings, legs, artifacts, workers))
        share = statistics.median(one.both / other.both for one, other in zip(together, apart))
        for name, costs, ratio in (("spread", apart, 1.0), ("one core each", together, share)):
            rate, worker, processes = (
                statistics.median(getattr(one, field) for one in costs) for field in ("rate", "worker", "processes")
            )
            print(f"| {workers} | {name} | {rate:,.0f} | {worker:.1f} | {processes:.1f} | {ratio:.2f} |", flush=True)
        faster = statistics.median(one.rate / other.rate for one, other in zip(together, apart))
        print(f"| {workers} | ratio of games/s, round by round | {faster:.2f} | | | |", flush=True)


if __name__ == "__main__":
    main()
