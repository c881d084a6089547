"""How a start's CPU seconds grow with the number of bots: with nothing to play, and before a game after an edit.

    python -m benchmarks.growth [BOTS …]

The records are invented: one bot's module under many names, and legs that were never played, twelve games a session.
They are written, committed and read like any others.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.fields import ROOT, built
from engine.kernel.game_core import BLOCK_COUNT
from engine.kernel.records import Table
from engine.kernel.sums import SeatSums
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.store.columns import buffer_fields
from tournament.store.ledger import Batch
from tournament.store.legs import LegResult
from tournament.store.part_writer import PartWriter
from tournament.store.storage import open_storage
from tournament.worker.batch import Receipt, Task

_GAMES = 12  # of a session
_LEGS = 1000  # of a batch

_START = """
import resource, sys
import tournament.__main__  # sets the interpreter as the command has it
from tournament.config import load_config
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.runner import contest_run

def stop(*chosen):
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(used.ru_utime + used.ru_stime)
    sys.stdout.flush()
    raise KeyboardInterrupt

contest_run.choose_executor = stop
try:
    chosen = {"entrants": "bots", "sessions": int(sys.argv[1])}
    config = load_config("von_neumann_poker", results="results", **chosen)
    contest_run.run_contest(VON_NEUMANN_POKER, config, contest_run.NobodyWatching())
    stop()
except KeyboardInterrupt:
    pass
"""


def invent(task: Task, *more: object) -> Receipt:
    """A substitute for `play_task`: parts and sums as if the batch had been played."""
    storage = open_storage(task.location)
    ((batch_name, _),) = task.batches()
    sessions = task.legs[0].plan.sessions
    chance = np.random.default_rng(task.legs[0].plan.match)
    parts = []
    for table, columns, rows in (
        ("games", VON_NEUMANN_POKER.games, sessions * _GAMES),
        ("sessions", VON_NEUMANN_POKER.sessions, sessions),
    ):
        staged = f"staging/{batch_name}-{chance.bytes(16).hex()}-{table}"
        writer = PartWriter(storage, table, columns, f"{batch_name}.parquet", staged)  # type: ignore[arg-type]
        at_once = max(1, min(len(task.legs), (1 << 18) // rows))
        buffer = Table(buffer_fields(columns), at_once * rows)
        for first in range(0, len(task.legs), at_once):
            legs = task.legs[first : first + at_once]
            buffer.rows = len(legs) * rows
            buffer.arrays["match"][: buffer.rows] = np.repeat([leg.plan.match for leg in legs], rows)
            buffer.arrays["session"][: buffer.rows] = np.tile(np.arange(rows) * sessions // rows, len(legs))
            writer.write(buffer)
        parts.append(writer.finish())
    points = chance.normal(size=(len(task.legs), BLOCK_COUNT)).tolist()
    results = tuple(
        LegResult(
            leg.digest, leg.plan.match, leg.plan.number, leg.x.name, leg.y.name, sessions, sessions * _GAMES,
            (own, own.opposite()),
        )
        for leg, blocks in zip(task.legs, points)
        for own in (SeatSums(math.fsum(blocks), 1.0, tuple(blocks)),)
    )  # fmt: skip
    return Receipt((Batch(batch_name, tuple(parts), results),), 1.0)


def make_records(folder: Path, bots: int, sessions: int) -> None:
    """Bots in bots/ and their records in results/, made in a process of its own."""
    module, _ = _modules()
    (folder / "bots").mkdir()
    for number in range(bots):
        (folder / "bots" / f"bot_{number:04}.wasm").write_bytes(module)
    script = (
        "import tournament\n"
        "from benchmarks.growth import invent\n"
        "from tournament.runner.batching import Pace\n"
        "from tournament.runner.executors import local\n"
        "local.play_task = invent\n"
        f"Pace.batch_is_full = lambda pace, legs, *more: legs == {_LEGS}\n"
        f"tournament.run(entrants='bots', results='results', sessions={sessions}, workers=1, executor='local')\n"
    )
    _python(folder, script)


def seconds_to_start(folder: Path, sessions: int) -> float:
    """CPU seconds of a run until the first game, or until it finds nothing to play."""
    return float(_python(folder, _START, str(sessions)))


def edit(folder: Path) -> None:
    """Edit the bot in the middle of the field."""
    _, other = _modules()
    bots = sorted((folder / "bots").iterdir())
    bots[len(bots) // 2].write_bytes(other)


def _modules() -> tuple[bytes, bytes]:
    one, other = built(("naive", "kuhn3"))
    return one.artifact or b"", other.artifact or b""


def _python(folder: Path, script: str, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder, env=environment).stdout


def measured(bots: int, sessions: int = 1) -> tuple[float, float]:
    """CPU seconds of a start with nothing to play, and after an edit."""
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as name:
        folder = Path(name)
        make_records(folder, bots, sessions)
        nothing = seconds_to_start(folder, sessions)
        edit(folder)
        return nothing, seconds_to_start(folder, sessions)


def rows() -> Iterator[tuple[str, str, str, float, str]]:
    """Rows of the benchmarks' table: name, ours, the other's, their ratio, and the wanted limit."""
    for bots, sessions, nothing_in, edit_in in (
        (100, 1, 2, 5),
        (300, 1, 2, 10),
        (1000, 1, 20, 100),
        (10, 10**5, 2, 10),
    ):
        nothing, edited = measured(bots, sessions)
        what = f"{bots} bots, {sessions:,} session{'s' * (sessions > 1)}"
        yield f"{what}, nothing to play, CPU", f"{nothing:.1f} s", f"{nothing_in} s", nothing / nothing_in, "≤ 1"
        yield f"{what}, one edited, CPU before a game", f"{edited:.1f} s", f"{edit_in} s", edited / edit_in, "≤ 1"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure how starting grows.")
    parser.add_argument("bots", nargs="*", type=int, default=[30, 100, 300])
    parser.add_argument("--sessions", type=int, default=1)
    options = parser.parse_args()
    for bots in options.bots:
        nothing, edited = measured(bots, options.sessions)
        print(f"{bots} bots: nothing to play {nothing:.2f} s, one edited {edited:.2f} s", flush=True)
