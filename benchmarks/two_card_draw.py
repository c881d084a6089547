"""Two-card draw: our core with a WebAssembly bot, the plain native simulator, and how servers are made."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.fields import ROOT
from engine.games.two_card_draw.climbing import HillClimber, random_strategy
from tournament.artifacts.bot import Entrant
from tournament.contests import find_contest
from tournament.contests.two_card_draw.rules import Settings
from tournament.contests.two_card_draw.servers import generated_servers
from tournament.entrants.build import build_entrants
from tournament.keys import KEY_BYTES
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import AgainstHouse
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import ROWS_PER_BUFFER
from tournament.worker.leg import NullSink, play_leg
from tournament.worker.wasm.stack import deeply

TWO_CARD_DRAW = find_contest("two_card_draw")

SHIPPED = ROOT / "entrants" / "two_card_draw"
SERVERS = generated_servers(bytes(KEY_BYTES), 4, lambda _text: None)


def built(name: str) -> Entrant:
    """Build the shipped bot of that name."""
    entrants = build_entrants(
        TWO_CARD_DRAW, Settings(), SandboxSettings(), SHIPPED, lambda text: print(text, file=sys.stderr)
    )
    return next(entrant for entrant in entrants if entrant.name == name)


@deeply  # once for all legs, like a worker's thread
def play_in_memory(bot: Entrant, sessions: int, hands: int) -> float:
    """Hands a second of one core against the servers, sandboxed and recorded in memory."""
    settings = Settings(sessions=sessions, hands=hands)
    artifacts = {bot.artifact_sha256 or "": bot.artifact or b""}
    artifacts |= {server.sha256: server.content for server in SERVERS}
    field = [Competitor(0, bot.name, "wasm", bot.artifact_sha256 or "")]
    house = [Competitor(n, server.name, "house", server.sha256) for n, server in enumerate(SERVERS)]
    legs = list(AgainstHouse(TWO_CARD_DRAW.name, settings.playing(), bytes(KEY_BYTES), field, house).legs())
    sink = NullSink.of(TWO_CARD_DRAW, ROWS_PER_BUFFER)
    started = time.perf_counter()
    played = sum(play_leg(TWO_CARD_DRAW, settings, leg, artifacts, sink).games for leg in legs)
    return played / (time.perf_counter() - started)


def plain_simulator(folder: Path, name: str) -> list[str]:
    """Build the native simulator with a shipped C++ bot, and return its command without the last argument."""
    program = folder / f"simulator-{name}"
    source = ROOT / "benchmarks" / "plain_simulator" / "plain_simulator.cpp"
    bot = f'-DBOT_FILE="{SHIPPED / name}.cpp"'
    subprocess.run(["g++", "-O3", "-std=c++17", "-w", bot, source, "-o", program], check=True)
    files = []
    for server in SERVERS:
        files.append(folder / f"{server.name}.txt")
        files[-1].write_bytes(server.content)
    return [str(program), *map(str, files)]


def run_plain(command: list[str], hands: int) -> float:
    """Hands a second of the native simulator."""
    program, *files = command
    run = subprocess.run([program, str(hands), *files], check=True, capture_output=True, text=True)
    return float(json.loads(run.stdout)["hands_per_second"])


def seconds_to_make(steps: int) -> float:
    """Seconds that a server of this many steps takes on one core."""
    started = time.perf_counter()
    climber = HillClimber(random_strategy(1), 2, 4)
    climber.climb(1, 0, steps)
    climber.strategy()
    return time.perf_counter() - started
