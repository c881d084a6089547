"""Bots to measure, and both ways to play them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tournament.artifacts.bot import Entrant
from tournament.contests import find_contest
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.entrants.build import build_entrants
from tournament.keys import KEY_BYTES
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import RoundRobin
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import ROWS_PER_BUFFER
from tournament.worker.leg import NullSink, play_leg
from tournament.worker.wasm.stack import deeply

VON_NEUMANN_POKER = find_contest("von_neumann_poker")

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "entrants" / "von_neumann_poker"
STATEMENT_BOTS = ("kuhn3", "likeme", "naive")


def bot_files(names: Sequence[str]) -> list[Path]:
    """Return the shipped bots of these names, or all."""
    files = sorted(path for path in SHIPPED.iterdir() if path.suffix in (".c", ".cpp"))
    return [path for path in files if not names or path.stem in names]


def built(names: Sequence[str]) -> list[Entrant]:
    """Build the shipped bots of these names, or all compiled ones."""
    entrants = build_entrants(
        VON_NEUMANN_POKER, Settings(), SandboxSettings(), SHIPPED, lambda text: print(text, file=sys.stderr)
    )
    return [entrant for entrant in entrants if entrant.plays_as == "wasm" and (not names or entrant.name in names)]


@deeply  # once for all legs, like a worker's thread
def play_in_memory(entrants: Sequence[Entrant], sessions: int) -> float:
    """Games a second of one core over all pairs, sandboxed and recorded in memory."""
    artifacts = {e.artifact_sha256 or "": e.artifact or b"" for e in entrants}
    competitors = [Competitor(n, e.name, "wasm", e.artifact_sha256 or "") for n, e in enumerate(entrants)]
    settings = Settings(sessions=sessions)
    sink = NullSink.of(VON_NEUMANN_POKER, ROWS_PER_BUFFER)
    games = 0
    legs = list(RoundRobin(VON_NEUMANN_POKER.name, settings.playing(), bytes(KEY_BYTES), competitors).legs())
    started = time.perf_counter()
    for leg in legs:
        games += play_leg(VON_NEUMANN_POKER, settings, leg, artifacts, sink).games
    return games / (time.perf_counter() - started)


def plain_controller(folder: Path, names: Sequence[str], *, fast_random: bool) -> Path:
    """Build the native controller with these bots linked in."""
    program = folder / f"plain-{'fast' if fast_random else 'libc'}-{len(names) or 'all'}"
    build = ROOT / "benchmarks" / "plain_controller" / "build.py"
    options = ["--fast-random"] if fast_random else []
    subprocess.run([sys.executable, build, program, *options, *bot_files(names)], check=True)
    return program


def run_plain(program: Path, sessions: int) -> float:
    """Games a second of the native controller over all its pairs."""
    output = subprocess.run([program, str(sessions)], check=True, capture_output=True, text=True).stdout
    return float(json.loads(output)["games_per_second"])


# A process's own peak: `getrusage` tells at least that of the one which started it.
PEAK_MEGABYTES = """
import re
def peak_megabytes():
    return int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) / 1024
"""
_SCRIPT = f"""{PEAK_MEGABYTES}
import json, sys
import tournament

class Last:
    def on_message(self, text):
        pass
    def on_progress(self, progress):
        self.progress = progress

last = Last()
options = json.loads(sys.argv[1])
tournament.run(executor="local", listener=last, **options)
print(json.dumps({{
    "games": last.progress.games,
    "seconds": last.progress.seconds,
    "megabytes": peak_megabytes(),
}}))
"""


def run_tournament(names: Sequence[str], sessions: int, workers: int) -> dict[str, float]:
    """Measure a run in its own process: games, seconds from the first batch to the last commit, wall time, peak MB."""
    with _bots(names) as folder:
        options = {
            "entrants": f"{folder}/bots",
            "results": f"{folder}/results",
            "sessions": sessions,
            "workers": workers,
        }
        started = time.perf_counter()
        output = subprocess.run(
            [sys.executable, "-c", _SCRIPT, json.dumps(options)],
            check=True, capture_output=True, text=True, cwd=folder, env=environment(),
        ).stdout  # fmt: skip
        figures: dict[str, float] = json.loads(output)
        return figures | {"wall": time.perf_counter() - started}


def run_command(names: Sequence[str], sessions: int) -> float:
    """Wall seconds of the command `tournament run`, from start to end."""
    with _bots(names) as folder:
        command = [sys.executable, "-m", "tournament", "run", "von_neumann_poker", "--entrants", "bots"]
        started = time.perf_counter()
        subprocess.run(
            [*command, "--sessions", str(sessions)], check=True, capture_output=True, cwd=folder, env=environment()
        )
        return time.perf_counter() - started


@contextmanager
def _bots(names: Sequence[str]) -> Iterator[str]:
    """Yield a new folder with these bots in bots/."""
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as folder:
        bots = Path(folder) / "bots"
        bots.mkdir()
        for path in bot_files(names):
            (bots / path.name).write_bytes(path.read_bytes())
        yield folder


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)}
