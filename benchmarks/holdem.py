"""Hold'em training: the evaluator, and hands against Bob next to a plain grader's.

python -m benchmarks.holdem [--rounds N]
"""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.fields import ROOT
from benchmarks.processes import one_core
from benchmarks.rows import medians, print_rows
from engine.games.holdem_training.hand_strength import strengths
from tournament.artifacts.bot import Entrant
from tournament.cache import cache_folder
from tournament.contests import find_contest
from tournament.contests.holdem_training.rules import BOB, Settings
from tournament.entrants.build import build_entrants
from tournament.keys import KEY_BYTES
from tournament.leg import Leg
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import AgainstHouse
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import ROWS_PER_BUFFER
from tournament.worker.leg import NullSink, play_leg
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

HOLDEM_TRAINING = find_contest("holdem_training")

SHIPPED = ROOT / "entrants" / "holdem_training"
GRADER = ROOT / "benchmarks" / "plain_grader"
# Hands of one measurement: ours, the grader's.
BOTS = {
    "always_all_in": (400_000, 4_000),
    "sampling_all_in": (40_000, 400),
    "threshold": (40_000, 250),
    "practised": (20_000, 100),
}
# The same bot in other forms, which are processes, and the hands of a session.
FORMS = {"threshold_py": 4_000, "threshold_io": 4_000}


def evaluator_rate() -> float:
    """Return the seven-card hands per second of one core, without dealing."""
    count = 2_000_000
    order = np.random.default_rng(1).random((count, 52), dtype=np.float32).argpartition(7, axis=1)
    hands = np.ascontiguousarray(order[:, :7]).astype(np.uint8)
    rates = []
    for _ in range(5):
        started = time.perf_counter()
        strengths(hands)
        rates.append(count / (time.perf_counter() - started))
    return statistics.median(rates)


def built() -> dict[str, Entrant]:
    """Build the shipped bots of the function form, by name."""
    entrants = build_entrants(
        HOLDEM_TRAINING, Settings(), SandboxSettings(), SHIPPED, lambda text: print(text, file=sys.stderr)
    )
    return {entrant.name: entrant for entrant in entrants}


def play_in_memory(bot: Entrant, hands: int) -> float:
    """Hands a second of one core, sandboxed and recorded in memory."""
    settings, (leg,), artifacts = _match(bot, hands)
    sink = NullSink.of(HOLDEM_TRAINING, ROWS_PER_BUFFER)
    started = time.perf_counter()
    games = play_leg(HOLDEM_TRAINING, settings, leg, artifacts, sink).games
    return games / (time.perf_counter() - started)


def play_in_lanes_of(bot: Entrant, hands: int) -> float:
    """Return the hands per second of a bot in a process on that core, over a contest's sessions, with its start."""
    settings, legs, artifacts = _match(bot, hands, Settings().sessions)
    with one_core(), contextlib.closing(Spool()) as spool:
        started = time.perf_counter()
        done = play_in_lanes(HOLDEM_TRAINING, settings, SandboxSettings(), legs, artifacts, cache_folder(), spool)
        return sum(played.result.games for played in done) / (time.perf_counter() - started)


def _match(bot: Entrant, hands: int, sessions: int = 1) -> tuple[Settings, list[Leg], dict[str, bytes]]:
    """Sessions of the bot against Bob, with limits that it doesn't reach."""
    settings = Settings(hands=hands, sessions=sessions, seconds=1e6, program_seconds=1e6)
    artifacts = {bot.artifact_sha256 or "": bot.artifact or b"", BOB.sha256: BOB.content}
    schedule = AgainstHouse(
        HOLDEM_TRAINING.name,
        settings.playing(),
        bytes(KEY_BYTES),
        [Competitor(0, bot.name, bot.plays_as, bot.artifact_sha256 or "")],
        [Competitor(0, BOB.name, "house", BOB.sha256)],
    )
    return settings, list(schedule.legs()), artifacts


def plain_grader(folder: Path, name: str) -> Path:
    """Build the native grader with this bot linked in."""
    program = folder / f"grader-{name}"
    sources = [str(GRADER / "grader.cpp"), str(SHIPPED / f"{name}.cpp")]
    subprocess.run(["g++", "-O3", "-std=c++17", f"-I{GRADER}", *sources, "-o", str(program)], check=True)
    return program


def run_plain(program: Path, hands: int) -> float:
    """Hands a second of the native grader."""
    output = subprocess.run([program, str(hands)], check=True, capture_output=True, text=True).stdout
    return float(json.loads(output)["hands_per_second"])


def rows(rounds: int) -> Iterator[tuple[str, str, str, float, str]]:
    """Rows: name, ours, the other's, their ratio, and the wanted limit."""
    rate = evaluator_rate()
    yield ("seven-card hands evaluated", f"{rate / 1e6:.0f} M/s", "100 M/s", rate / 1e8, "≥ 1")
    bots = built()
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as name:
        for bot, (hands, plain_hands) in BOTS.items():
            grader = plain_grader(Path(name), bot)
            pairs = [(play_in_memory(bots[bot], hands), run_plain(grader, plain_hands)) for _ in range(rounds)]
            yield _row(bot, pairs, "≥ 20" + ", ≥ 250,000 hands/s" * (bot == "always_all_in"))
        same, (_, plain_hands) = Path(name) / "grader-threshold", BOTS["threshold"]
        for bot, hands in FORMS.items():
            pairs = [(play_in_lanes_of(bots[bot], hands), run_plain(same, plain_hands)) for _ in range(rounds)]
            yield _row(bot, pairs, "")


def _row(bot: str, pairs: list[tuple[float, float]], wanted: str) -> tuple[str, str, str, float, str]:
    """Return a row from the rates of both sides, round by round."""
    mine, other, ratio = medians(pairs)
    what = f"{bot} against Bob, recorded in memory, against a plain grader"
    return what, f"{mine:,.0f} hands/s", f"{other:,.0f} hands/s", ratio, wanted


if __name__ == "__main__":
    print_rows("Measure Hold'em training.", rows)
