"""Bots that are processes: games a second of one core, beside Axelrod's turns, and actions a second of programs.

Axelrod (PyPI axelrod 4.14) is measured when AXELROD_PYTHON names an
interpreter that has it: it needs older libraries than this project.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.fields import built, environment
from tournament.artifacts import python_artifact
from tournament.cache import cache_folder
from tournament.contests import find_contest
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.keys import KEY_BYTES
from tournament.leg import Leg, PlaysAs
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import RoundRobin
from tournament.sandbox.outside import fork_server
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

VON_NEUMANN_POKER = find_contest("von_neumann_poker")

# A bot of ordinary size: looks at its card, at the price, and now and then at the opponent's stack.
_PYTHON_BOT = """
def a(bot):
    if bot.card > 0.{high} or bot.card < 0.1:
        return {bet}
    return 0


def b(bot, bet):
    return bot.card > 0.4 + bet / (20 + 2 * bet) / 2
"""
_C_PROGRAM = r"""
#include <stdio.h>
int main(void)
{
    char line[256], role;
    float card;
    fgets(line, sizeof line, stdin);
    while (fgets(line, sizeof line, stdin) && sscanf(line, "{\"decision\": \"%c\", \"card\": %f", &role, &card) == 2) {
        puts(role == 'a' ? (card > 0.6 ? "ACTION 25" : "ACTION 0")
                         : (card > 0.5 ? "ACTION 1" : "ACTION 0"));
        fflush(stdout);
    }
    return 0;
}
"""
_AXELROD = """
import time
import axelrod
players = [axelrod.TitForTat(), axelrod.Alternator(), axelrod.Cooperator(), axelrod.Defector(), axelrod.Grudger(),
           axelrod.Random(0.5)]
started = time.perf_counter()
axelrod.Tournament(players, turns=200, repetitions=5, seed=1).play(progress_bar=False)
print(21 * 5 * 200 / (time.perf_counter() - started))
"""
SANDBOX = SandboxSettings()
Bot = tuple[str, PlaysAs, bytes]


def python_field(count: int) -> list[Bot]:
    """Python bots that differ a little."""
    sources = [_PYTHON_BOT.format(high=5 + number % 4, bet=10 + number % 40) for number in range(count)]
    packed = [python_artifact.pack(text.encode(), SANDBOX, legs_may_share=True) for text in sources]
    return [(f"p{number:03}", "python", artifact) for number, artifact in enumerate(packed)]


def c_field(count: int) -> list[Bot]:
    """This many of the shipped C and C++ bots."""
    entrants = [entrant for entrant in built(()) if entrant.plays_as == "wasm" and entrant.artifact]
    return [(entrant.name, "wasm", entrant.artifact or b"") for entrant in entrants[:count]]


def program_field(count: int) -> list[Bot]:
    """Compiled programs, all alike."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "program")
        folder.mkdir()
        (folder / "bot.c").write_text(_C_PROGRAM)
        (folder / "bot.toml").write_text('build = ["cc", "-O2", "-o", "bot", "bot.c"]\ncommand = ["./bot"]\n')
        entrant = build_entrant(read_submission(folder), VON_NEUMANN_POKER.interface, Settings(), SANDBOX)
    if entrant.artifact is None:
        sys.exit(f"the program can't be measured: {entrant.problem}")
    return [(f"program{number:02}", "program", entrant.artifact) for number in range(count)]


def games_a_second(bots: Sequence[Bot], sessions: int, *, only_mixed: bool = False) -> float:
    """Return games per second on one core, including starts, of all pairs or only of pairs of different kinds."""
    games, _, seconds = _play(bots, sessions, only_mixed)
    return games / seconds


def actions_a_second(bots: Sequence[Bot], sessions: int) -> float:
    """Decisions a second on one core, start of the processes included."""
    _, actions, seconds = _play(bots, sessions, False)
    return actions / seconds


def axelrod_turns_a_second() -> float | None:
    """Turns a second of an Axelrod tournament on one core, None when it isn't installed."""
    interpreter = os.environ.get("AXELROD_PYTHON")
    if not interpreter:
        return None
    with one_core():
        done = subprocess.run([interpreter, "-c", _AXELROD], capture_output=True, text=True, check=True)
    return float(done.stdout)


def seconds_of_importing(module: str, packages: Sequence[str]) -> float:
    """Return the wall seconds of a second `tournament run` with eight Python bots that begin with this import."""
    table = '[rps]\nrules = "matrix_game"\nturns_per_game = 200\nsessions = 1\n'
    table += f"[sandbox]\npython_packages = {json.dumps(packages)}\n"
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as name:
        bots = Path(name, "entrants", "rps")
        bots.mkdir(parents=True)
        Path(name, "tournament.toml").write_text(table)
        for number in range(8):
            text = f"import {module}\n\n\ndef move(bot):\n    return (bot.turn + {number}) % 3\n"
            (bots / f"b{number}.py").write_text(text)
        for results in ("first", "second"):
            command = [sys.executable, "-m", "tournament", "run", "--results", results]
            started = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True, cwd=name, env=environment())
            seconds = time.perf_counter() - started
    return seconds


def _play(bots: Sequence[Bot], sessions: int, only_mixed: bool) -> tuple[int, int, float]:
    """Games, decisions of processes, and seconds of one core."""
    settings, legs, artifacts = played_field(bots, sessions, only_mixed=only_mixed)
    with one_core(), contextlib.closing(Spool()) as spool:
        started = time.perf_counter()
        games = actions = 0
        for played in play_in_lanes(VON_NEUMANN_POKER, settings, SANDBOX, legs, artifacts, cache_folder(), spool):
            games += played.outcome.games
            actions += sum(played.decisions)
        return games, actions, time.perf_counter() - started


def played_field(
    bots: Sequence[Bot], sessions: int, *, only_mixed: bool = False
) -> tuple[Settings, list[Leg], dict[str, bytes]]:
    """Return settings, the legs of all pairs or only of pairs of different kinds, and the bots by sha256."""
    settings = Settings(sessions=sessions)
    artifacts = {hashlib.sha256(content).hexdigest(): content for _, _, content in bots}
    competitors = [
        Competitor(number, name, kind, hashlib.sha256(content).hexdigest())
        for number, (name, kind, content) in enumerate(bots)
    ]
    legs = list(RoundRobin(VON_NEUMANN_POKER.name, settings.playing(), bytes(KEY_BYTES), competitors).legs())
    if only_mixed:
        legs = [leg for leg in legs if leg.seats[0].kind != leg.seats[1].kind]
    return settings, legs, artifacts


@contextmanager
def one_core() -> Iterator[None]:
    """Play on one core, which the bots' processes share."""
    before = os.sched_getaffinity(0)
    _keep_on({min(before)})
    try:
        yield
    finally:
        _keep_on(before)


def _keep_on(cores: set[int]) -> None:
    """Have all threads of this process run on these cores, and what they start from now on."""
    fork_server.end_idle()  # bots would have the cores of who starts them
    for thread in os.listdir("/proc/self/task"):
        os.sched_setaffinity(int(thread), cores)
