"""The same games by the same simple bots here and in other frameworks: `make bench-peers`.

Bots are in Python on both sides. Here they are confined, and every game is recorded. The complete command counts, from
its start to the last commit, with one worker on one core. It is long enough that the start is a small share. There the
framework is imported, and its fastest documented way to play is timed without the import.
`python -m benchmarks.peers INTERPRETER` takes an interpreter whose environment has the frameworks. Missing ones are
omitted, with a message.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
# Bots here and there: the same decisions, in the words of each framework.
_DILEMMA = {
    "tit_for_tat": "def move(bot):\n    return bot.opponents_moves[-1] if bot.opponents_moves else 0\n",
    "alternator": "def move(bot):\n    return bot.turn % 2\n",
    "cooperator": "def move(bot):\n    return 0\n",
    "defector": "def move(bot):\n    return 1\n",
    "grudger": "def move(bot):\n    return int(1 in bot.opponents_moves)\n",
    "coin": "import random\n\n\ndef move(bot):\n    return int(random.random() < 0.5)\n",
}
_AXELROD = """
import axelrod
players = [axelrod.TitForTat(), axelrod.Alternator(), axelrod.Cooperator(), axelrod.Defector(), axelrod.Grudger(),
           axelrod.Random(0.5)]
def play(rounds):
    axelrod.Tournament(players, turns=200, repetitions=rounds, seed=1).play(progress_bar=False)
    return 21 * 200 * rounds  # it also plays each against itself
"""
_ROCK_PAPER_SCISSORS = {
    "roundabout": "def move(bot):\n    return bot.turn % 3\n",
    "beats_last": "def move(bot):\n    return (bot.opponents_moves[-1] + 1) % 3 if bot.opponents_moves else 0\n",
}
_PETTINGZOO = """
from pettingzoo.classic import rps_v2
def play(rounds):
    turns = 0
    for _ in range(rounds):
        env = rps_v2.raw_env(num_actions=3, max_cycles=1000)
        env.reset(seed=1)
        turn = {agent: 0 for agent in env.agents}
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            if agent == "player_0":
                action = turn[agent] % 3
            else:
                action = (int(observation) + 1) % 3 if turn[agent] else 0
            turn[agent] += 1
            env.step(action)
        turns += 1000
    return turns
"""
_KAGGLE_ROCK_PAPER_SCISSORS = """
from kaggle_environments import make
def roundabout(observation, configuration):
    return observation.step % 3
def beats_last(observation, configuration):
    return (observation.lastOpponentAction + 1) % 3 if observation.step else 0
def play(rounds):
    for _ in range(rounds):
        make("rps", configuration={"episodeSteps": 1001}).run([roundabout, beats_last])
    return 1000 * rounds
"""
_CONNECT_FOUR = {
    "leftmost": "def act(state):\n    return state.legal_actions[0]\n",
    "any_column": "import random\n\n\ndef act(state):\n    return random.choice(state.legal_actions)\n",
}
_KAGGLE_CONNECT_FOUR = """
import random
from kaggle_environments import make
def leftmost(observation, configuration):
    return next(column for column in range(7) if not observation.board[column])
def any_column(observation, configuration):
    return random.choice([column for column in range(7) if not observation.board[column]])
def play(rounds):
    env = make("connectx")
    for game in range(rounds):
        env.reset()
        env.run([leftmost, any_column] if game % 2 else [any_column, leftmost])
    return rounds
"""
_PETTINGZOO_CONNECT_FOUR = """
import random
from pettingzoo.classic import connect_four_v3
def leftmost(mask):
    return next(column for column in range(7) if mask[column])
def any_column(mask):
    return random.choice([column for column in range(7) if mask[column]])
def play(rounds):
    env = connect_four_v3.raw_env()
    for game in range(rounds):
        env.reset(seed=game)
        bots = dict(zip(env.agents, (leftmost, any_column) if game % 2 else (any_column, leftmost)))
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            env.step(None if terminated or truncated else bots[agent](observation["action_mask"]))
    return rounds
"""
_OPEN_SPIEL = """
import random
import numpy as np
import pyspiel
from open_spiel.python.algorithms import evaluate_bots
class Plain(pyspiel.Bot):
    def restart_at(self, state):
        pass
    def inform_action(self, state, player, action):
        pass
class Leftmost(Plain):
    def step(self, state):
        return state.legal_actions()[0]
class Any(Plain):
    def step(self, state):
        return random.choice(state.legal_actions())
def play(rounds):
    game = pyspiel.load_game(GAME)
    chance = np.random.RandomState(1)
    for number in range(rounds):
        bots = [Leftmost(), Any()] if number % 2 else [Any(), Leftmost()]
        evaluate_bots.evaluate_bots(game.new_initial_state(), bots, chance)
    return rounds
"""
_KUHN_POKER = dict(_CONNECT_FOUR)
_HOLDEM = {
    f"calls_{number}": "def act(view):\n    return 'call'\n\n\ndef raise_to(view):\n    return 0\n"
    for number in range(6)
}
_POKERKIT = """
from pokerkit import Automation, NoLimitTexasHoldem
def play(rounds):
    for hand in range(rounds):
        state = NoLimitTexasHoldem.create_state(tuple(Automation), True, 0, (1, 2), 2, 200, 6)
        while state.status:
            state.check_or_call()
    return rounds
"""
_TIMED = """
import sys, time
rounds = 1
while True:
    started = time.perf_counter()
    done = play(rounds)
    seconds = time.perf_counter() - started
    if seconds > 2:
        break
    rounds = max(rounds + 1, int(rounds * min(10, 2.5 / max(seconds, 1e-3))))
print("rate", done / seconds)
"""


@dataclass(frozen=True)
class Match:
    """One game in one framework.

    Attributes:
        what: The game, and what is counted.
        table: The contest's table in tournament.toml.
        bots: Sources of our bots, by name.
        counted: How many of what is counted our command plays.
        framework: The peer's name.
        peer: Its script, which defines `play(rounds)`.
        wanted: The least ratio.
    """

    what: str
    table: str
    bots: dict[str, str]
    counted: int
    framework: str
    peer: str
    wanted: float


def matches() -> list[Match]:
    """Return what is compared."""
    dilemma = (
        'rules = "matrix_game"\nmoves = ["cooperate", "defect"]\npayoffs = [[3, 0], [5, 1]]\nturns_per_game = 200\n'
        "sessions = 40\nreplicas = 20\n"
    )
    throws = (
        'rules = "matrix_game"\nmoves = ["rock", "paper", "scissors"]\npayoffs = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]\n'
        "turns_per_game = 1000\nsessions = 40\nreplicas = 200\n"
    )
    connect = 'rules = "open_spiel"\nopen_spiel_game = "connect_four"\nsessions = 1_000\nreplicas = 80\n'
    kuhn = 'rules = "open_spiel"\nopen_spiel_game = "kuhn_poker"\nsessions = 10_000\nreplicas = 100\n'
    holdem = f'rules = "{_EXAMPLES}/holdem/holdem.py"\nseats = 6\nsessions = 20\nhands = 200\n'
    turns = 15 * 200 * 400 * 2
    spiel = "OpenSpiel's evaluate_bots"
    return [
        Match("iterated prisoner's dilemma, turns", dilemma, _DILEMMA, turns, "Axelrod 4.13.1", _AXELROD, 5),
        Match("rock-paper-scissors, turns", throws, _ROCK_PAPER_SCISSORS, 8 * 10**6, "PettingZoo", _PETTINGZOO, 5),
        Match(
            "rock-paper-scissors, turns", throws, _ROCK_PAPER_SCISSORS, 8 * 10**6, "kaggle-environments",
            _KAGGLE_ROCK_PAPER_SCISSORS, 5,
        ),
        Match("connect four, games", connect, _CONNECT_FOUR, 80_000, "PettingZoo", _PETTINGZOO_CONNECT_FOUR, 5),
        Match("connect four, games", connect, _CONNECT_FOUR, 80_000, "kaggle-environments", _KAGGLE_CONNECT_FOUR, 5),
        Match("connect four, games", connect, _CONNECT_FOUR, 80_000, spiel, f'GAME = "connect_four"\n{_OPEN_SPIEL}', 2),
        Match("Kuhn poker, hands", kuhn, _KUHN_POKER, 1_000_000, spiel, f'GAME = "kuhn_poker"\n{_OPEN_SPIEL}', 2),
        Match("no-limit Hold'em for six, hands", holdem, _HOLDEM, 4_000, "PokerKit", _POKERKIT, 5),
    ]  # fmt: skip


def _on_one_core() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def our_rate(match: Match, folder: Path) -> float:
    """Return how many a second the whole command plays."""
    settings = folder / "tournament.toml"
    settings.write_text(f"[contest]\n{match.table}")
    entrants = folder / "entrants" / "contest"
    entrants.mkdir(parents=True, exist_ok=True)
    for name, source in match.bots.items():
        (entrants / f"{name}.py").write_text(source)
    with tempfile.TemporaryDirectory() as results:
        command = ["run", "contest", "--config", str(settings), "--results", results, "--workers", "1"]
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "tournament", *command], check=True, capture_output=True, preexec_fn=_on_one_core
        )
        return match.counted / (time.perf_counter() - started)


def peer_rate(match: Match, interpreter: str) -> float | None:
    """Return the peer's rate per second, or None if its environment lacks it."""
    script = f"{match.peer}\n{_TIMED}"
    done = subprocess.run([interpreter, "-c", script], capture_output=True, text=True, preexec_fn=_on_one_core)
    rates = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("rate ")]
    if done.returncode or not rates:
        print(done.stderr.strip().splitlines()[-1:], file=sys.stderr)
        return None
    return float(rates[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("interpreter", help="that of an environment with the frameworks")
    parser.add_argument("--rounds", type=int, default=5, help="of ours and the peer's in turn, for medians (default 5)")
    parser.add_argument("--game", default="", metavar="WORDS", help="only games whose name has these words")
    options = parser.parse_args()
    print("| game | peer | ours | the peer's | ratio | wanted |\n|---|---|---|---|---|---|", flush=True)
    for match in matches():
        if options.game not in match.what:
            continue
        with tempfile.TemporaryDirectory() as folder:
            ours: list[float] = []
            theirs: list[float] = []
            for _ in range(options.rounds):
                if (rate := peer_rate(match, options.interpreter)) is None:
                    break
                theirs.append(rate)
                ours.append(our_rate(match, Path(folder)))
        if not theirs:
            print(f"| {match.what} | {match.framework} (not installed) | — | — | — | ≥ {match.wanted:g} |", flush=True)
            continue
        ratio = statistics.median(own / other for own, other in zip(ours, theirs))
        print(
            f"| {match.what} | {match.framework} | {statistics.median(ours):,.0f}/s "
            f"| {statistics.median(theirs):,.0f}/s | {ratio:.1f} | ≥ {match.wanted:g} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
