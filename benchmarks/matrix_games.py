"""Repeated matrix games: turns a second of C bots and of Python bots, beside the Axelrod library.

    AXELROD_PYTHON=… python -m benchmarks.matrix_games [--rounds N]

Ours are sandboxed, and every turn is recorded. Python bots and the library play on one core, one after the other in
each round.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.fields import ROOT
from benchmarks.processes import SANDBOX, one_core
from tournament.artifacts.bot import Entrant
from tournament.cache import cache_folder
from tournament.contests import find_contest
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import build_entrants
from tournament.keys import KEY_BYTES
from tournament.leg import Leg
from tournament.runner.schedule.legs import Competitor, Replicas, RoundRobin
from tournament.store.columns import ROWS_PER_BUFFER
from tournament.worker.leg import NullSink, play_leg
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

DILEMMA = find_contest("prisoners_dilemma", "matrix_game")
TURNS = 200
_FIELD = 30
_IN_C = {
    "tit_for_tat": "int move(const Bot *bot) { return bot->turn ? bot->opponents_moves[bot->turn - 1] : 0; }\n",
    "stay_or_shift": "int move(const Bot *bot) {\n"
    "    return bot->turn ? bot->my_previous_move ^ bot->opponents_previous_move : 0; }\n",
    "alternator": "int move(const Bot *bot) { return bot->turn & 1; }\n",
}
# What Axelrod's TitForTat, Alternator, Grudger, Cooperator, Defector and WinStayLoseShift do, in turn.
_IN_PYTHON = (
    "def move(bot):\n    return bot.opponents_moves[-1] if bot.turn else 0\n",
    "def move(bot):\n    return bot.turn % 2\n",
    "grudge = 0\n\n\ndef move(bot):\n    global grudge\n"
    "    grudge = bot.turn > 0 and (grudge or bot.opponents_previous_move)\n    return grudge\n",
    "def move(bot):\n    return 0\n",
    "def move(bot):\n    return 1\n",
    "def move(bot):\n    return bot.my_moves[-1] ^ bot.opponents_moves[-1] if bot.turn else 0\n",
)
_AXELROD = f"""
import time
import axelrod
kinds = [axelrod.TitForTat, axelrod.Alternator, axelrod.Grudger, axelrod.Cooperator, axelrod.Defector,
         axelrod.WinStayLoseShift]
players = [kinds[number % 6]() for number in range({_FIELD})]
# By matches, as ours; and by its tournament, which plays a pair of deterministic strategies once and remembers it.
started = time.perf_counter()
turns = 0
for i in range({_FIELD}):
    for j in range(i):
        match = axelrod.Match((players[i], players[j]), turns={TURNS})
        match.play()
        turns += {TURNS}
by_match = turns / (time.perf_counter() - started)
started = time.perf_counter()
axelrod.Tournament(players, turns={TURNS}, repetitions=2, seed=1).play(progress_bar=False)
print(by_match, {_FIELD} * ({_FIELD} + 1) / 2 * 2 * {TURNS} / (time.perf_counter() - started))
"""


def built(sources: dict[str, str], settings: ContestSettings) -> list[Entrant]:
    """Bots from sources by file name."""
    with tempfile.TemporaryDirectory() as folder:
        for name, source in sources.items():
            (Path(folder) / name).write_text(source)
        return build_entrants(
            DILEMMA, settings, SANDBOX, Path(folder), lambda text: print(text, file=sys.stderr, flush=True)
        )


def legs_of(
    entrants: Sequence[Entrant], settings: ContestSettings, replicas: int = 1
) -> tuple[list[Leg], dict[str, bytes]]:
    """The legs of all pairs, in so many replicas, and what plays them."""
    artifacts = {}
    competitors = []
    for number, entrant in enumerate(entrants):
        assert entrant.artifact and entrant.artifact_sha256, entrant.problem
        artifacts[entrant.artifact_sha256] = entrant.artifact
        competitors.append(Competitor(number, entrant.name, entrant.plays_as, entrant.artifact_sha256))
    schedule = RoundRobin(DILEMMA.name, settings.playing(), bytes(KEY_BYTES), competitors, replicas=Replicas(replicas))
    return list(schedule.legs()), artifacts


def settings_of(sessions: int) -> ContestSettings:
    return DILEMMA.settings.model_validate(
        {"moves": ["cooperate", "defect"], "payoffs": [[3, 0], [5, 1]], "rounds": TURNS, "sessions": sessions}
    )


def turns_in_c(entrants: Sequence[Entrant], sessions: int) -> float:
    """Turns a second of processor time, over all pairs, played by one thread and recorded in memory."""
    settings = settings_of(sessions)
    legs, artifacts = legs_of(entrants, settings)
    sink = NullSink.of(DILEMMA, ROWS_PER_BUFFER)
    started = time.process_time()
    turns = sum(play_leg(DILEMMA, settings, leg, artifacts, sink).games for leg in legs)
    return turns / (time.process_time() - started)


def turns_in_python(entrants: Sequence[Entrant], sessions: int, replicas: int) -> float:
    """The same for Python bots by wall time, with the start of their processes."""
    settings = settings_of(sessions)
    legs, artifacts = legs_of(entrants, settings, replicas)
    with one_core(), contextlib.closing(Spool()) as spool:
        started = time.perf_counter()
        turns = 0
        for played in play_in_lanes(DILEMMA, settings, SANDBOX, legs, artifacts, cache_folder(), spool):
            turns += played.result.games
        return turns / (time.perf_counter() - started)


def axelrods_turns() -> tuple[float, float] | None:
    """Turns a second of the same field in Axelrod: of matches, and of its tournament; None when it isn't installed."""
    interpreter = os.environ.get("AXELROD_PYTHON")
    if not interpreter:
        return None
    with one_core():
        done = subprocess.run(
            [interpreter, "-c", _AXELROD], capture_output=True, text=True, check=True, cwd=ROOT.anchor
        )
    by_match, of_tournament = map(float, done.stdout.split())
    return by_match, of_tournament


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds

    def median(measure: Callable[[], float]) -> float:
        return statistics.median(measure() for _ in range(rounds))

    in_c = built({f"{name}.c": source for name, source in _IN_C.items()}, settings_of(1))
    print(f"C bots: {median(lambda: turns_in_c(in_c, 20_000)) / 1e6:.1f} M turns/s", flush=True)
    in_python = built(
        {f"bot{number:02}.py": _IN_PYTHON[number % len(_IN_PYTHON)] for number in range(_FIELD)}, settings_of(1)
    )
    for _ in range(rounds):
        theirs = axelrods_turns()
        for sessions, replicas in ((42, 1), (20, 7)):
            mine = turns_in_python(in_python, sessions, replicas)
            print(f"{_FIELD} Python bots, {sessions} games of {replicas} replicas: {mine:,.0f} turns/s", end="")
            if theirs:
                print(f"; Axelrod's matches {theirs[0]:,.0f} ({mine / theirs[0]:.1f}),", end="")
                print(f" its tournament {theirs[1]:,.0f} ({mine / theirs[1]:.1f})", end="")
            print(flush=True)


if __name__ == "__main__":
    main()
