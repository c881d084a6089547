"""Measure how a start's CPU seconds grow with the number of bots: with nothing to play, and after an edit.

    python -m benchmarks.growth [BOTS …] [--sessions N] [--played | --edits N]

The records are invented: one bot's module under many names, and legs that were never played, twelve games a session.
They are written, committed and read like any others.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.fields import PEAK_MEGABYTES, ROOT, built
from engine.kernel.records import Table
from tournament.contests import find_contest
from tournament.leg import Leg
from tournament.store.columns import Column, buffer_fields
from tournament.store.field import Batch, Origin, TableName, new_batch_name
from tournament.store.leg_result import LegResult
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Legs
from tournament.store.parquet_file import Runs
from tournament.store.part_writer import PartWriter, finish_batch
from tournament.store.storage import Storage, open_storage, staged_name
from tournament.worker.batch import Receipt, Task
from tournament.worker.leg import leg_values

VON_NEUMANN_POKER = find_contest("von_neumann_poker")

GAMES = 12  # games of a session
_LEGS = 1000  # legs of a batch

_START = """
import resource, sys
import tournament.__main__  # sets the interpreter as the command has it
from tournament.config import load_config
from tournament.contests import find_contest
from tournament.runner import contest_run, executors
from tournament.runner.listener import NullListener

def stop(*chosen, **options):
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(used.ru_utime + used.ru_stime)
    sys.stdout.flush()
    raise KeyboardInterrupt

executors.choose_executor = stop
try:
    chosen = {"entrants": "bots", "sessions": int(sys.argv[1])}
    config = load_config("von_neumann_poker", results="results", **chosen)
    contest_run.run_contest(find_contest("von_neumann_poker"), config, NullListener())
    stop()
except KeyboardInterrupt:
    pass
"""


def invent(task: Task, *more: object) -> Receipt:
    """Return parts and sums as if `play_task` had played the task."""
    legs = sorted(task.legs, key=lambda leg: (leg.plan.match, leg.plan.number))
    return Receipt((write_batch(open_storage(task.location), legs, task.origin),), 1.0)


def write_batch(storage: Storage, legs: Sequence[Leg], origin: Origin) -> Batch:
    """Write a staged batch with as many rows as these legs would have."""
    name = new_batch_name(legs[0].plan.match, legs[0].plan.number)
    return finish_batch(*write_parts(storage, name, legs), invented_legs(legs), origin, "", name)


def write_parts(storage: Storage, name: str, legs: Sequence[Leg]) -> tuple[PartWriter, PartWriter]:
    """Staged parts with as many rows as these legs would have."""
    sessions = legs[0].plan.sessions
    parts, of_both = [], staged_name(name)
    tables: list[tuple[TableName, tuple[Column, ...], int]] = [
        ("games", VON_NEUMANN_POKER.games, sessions * GAMES),
        ("sessions", VON_NEUMANN_POKER.sessions, sessions),
    ]
    for table, columns, rows in tables:
        writer = PartWriter(storage, table, columns, f"{name}.parquet", f"{of_both}-{table}")
        at_once = max(1, min(len(legs), (1 << 18) // rows))
        buffer = Table(buffer_fields(columns), at_once * rows)
        for first in range(0, len(legs), at_once):
            several = legs[first : first + at_once]
            buffer.rows = len(several) * rows
            buffer.arrays["match"][: buffer.rows] = np.repeat([leg.plan.match for leg in several], rows)
            buffer.arrays["session"][: buffer.rows] = np.tile(np.arange(rows) * sessions // rows, len(several))
            lengths = np.full(len(several), rows, np.int64)
            values = [leg_values(leg) for leg in several]
            places = np.arange(len(several))
            named = {
                column.name: Runs.from_runs([one[column.name] for one in values], places, lengths)
                for column in columns
                if column.of_leg
            }
            writer.append({**buffer.arrays, **named}, buffer.rows)
        parts.append(writer)
    return parts[0], parts[1]


def invented_legs(legs: Sequence[Leg]) -> Legs:
    """Results of these legs, with twelve games a session and points by chance."""
    sessions = legs[0].plan.sessions
    points = np.random.default_rng(legs[0].plan.match).normal(0, 5, len(legs))
    return Legs.from_results(
        [
            LegResult(
                *(leg.digest, leg.plan.match, leg.plan.number, leg.names, sessions, sessions * GAMES),
                (own := LegSums(won, 1.0, 0.0, 25.0, 25.0, -25.0), own.opposite()),
            )
            for leg, won in zip(legs, points.tolist())
        ]
    )


def make_bots(folder: Path, count: int) -> None:
    """This many bots in bots/, of one module."""
    module, _ = _modules()
    (folder / "bots").mkdir()
    for number in range(count):
        (folder / "bots" / f"bot_{number:04}.wasm").write_bytes(module)


def make_records(folder: Path, bots: int, sessions: int) -> None:
    """Bots in bots/ and their records in results/, made in a process of its own."""
    make_bots(folder, bots)
    script = (
        "import tournament\n"
        "from benchmarks.growth import invent\n"
        "from tournament.runner.tasks import TaskSize\n"
        "from tournament.runner.executors import local\n"
        "local.play_task = invent\n"
        f"TaskSize.is_full = lambda pace, legs, *more: legs == {_LEGS}\n"
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


_PLAY = f"""{PEAK_MEGABYTES}
import resource, sys
import tournament
tournament.run(entrants="bots", results="results", sessions=int(sys.argv[1]), workers=2, executor="local")
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, peak_megabytes())
"""


def played(bots: int, sessions: int) -> tuple[float, float]:
    """CPU seconds and peak MB of a run of short legs, two workers, everything played."""
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as name:
        folder = Path(name)
        make_bots(folder, bots)
        seconds, megabytes = map(float, _python(folder, _PLAY, str(sessions)).split())
        return seconds, megabytes


def parts_after(bots: int, edits: int, sessions: int = 1) -> tuple[int, float]:
    """Return the parts of games/ after this many edits of one bot, each with a run, and CPU seconds of an edit."""
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as name:
        folder = Path(name)
        make_bots(folder, bots)
        script = f"from benchmarks.growth import edit_often\nprint(*edit_often({edits}, {sessions}))"
        parts, seconds = _python(folder, script).split()[-2:]
        return int(parts), float(seconds)


def edit_often(edits: int, sessions: int) -> tuple[int, float]:
    """Play the bots in bots/, and again after each edit: the parts of games/, and CPU seconds of an edit."""
    import tournament

    def play() -> None:
        tournament.run(entrants="bots", results="results", sessions=sessions, workers=2, executor="local")

    play()
    modules, chance, began = _modules(), random.Random(1), time.process_time()
    for _ in range(edits):
        bot = chance.choice(sorted(Path("bots").iterdir()))
        bot.write_bytes(modules[bot.read_bytes() == modules[0]])
        play()
    parts = list(Path("results/von_neumann_poker/games").iterdir())
    return len(parts), (time.process_time() - began) / max(edits, 1)


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
    parts, _ = parts_after(30, 50)
    yield "30 bots, 50 edits, parts of games", f"{parts}", "100", parts / 100, "≤ 1"
    before, _ = played(100, 4)
    seconds, megabytes = played(300, 4)
    what = "300 bots, 4 sessions, all played"
    grows = f"grows with the power {math.log(seconds / before, 3):.1f} of the bots"
    yield f"{what}, CPU, which {grows}", f"{seconds:.0f} s", "12 s", seconds / 12, "≤ 1"
    yield f"{what}, peak memory", f"{megabytes:.0f} MB", "300 MB", megabytes / 300, "≤ 1"
    seconds, _ = played(1000, 1)
    yield "1,000 bots, 1 session, all played, CPU", f"{seconds:.0f} s", "80 s", seconds / 80, "≤ 1"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measure how starting grows.")
    parser.add_argument("bots", nargs="*", type=int, default=[30, 100, 300])
    parser.add_argument("--sessions", type=int, default=1)
    parser.add_argument("--played", action="store_true", help="play everything, which takes half a millisecond a leg")
    parser.add_argument("--edits", type=int, default=0, help="count the parts of games/ after this many edits")
    options = parser.parse_args()
    for bots in options.bots:
        if options.edits:
            parts, seconds = parts_after(bots, options.edits, options.sessions)
            print(f"{bots} bots, {options.edits} edits: {parts} parts, {seconds:.2f} s of processor time an edit")
            continue
        if options.played:
            seconds, megabytes = played(bots, options.sessions)
            print(f"{bots} bots, all played: {seconds:.1f} s of processor time, {megabytes:.0f} MB", flush=True)
            continue
        nothing, edited = measured(bots, options.sessions)
        print(f"{bots} bots: nothing to play {nothing:.2f} s, one edited {edited:.2f} s", flush=True)
