"""Contests in Python and games of OpenSpiel, beside OpenSpiel's own evaluate_bots with the same two bots.

    python -m benchmarks.python_contests [--rounds N]

Both sides of a row run in turn, round by round; a row shows medians. Ours are sandboxed and recorded in memory, once
with an empty tree, as in the first leg of a contest, and once with one that knows these deals, as in later legs.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyspiel

from benchmarks.processes import SANDBOX
from tests.python_rules import play_field
from tournament.cache import cache_folder
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.contests.open_spiel.game_tree import game_of
from tournament.contests.python_contest import Column, Decision, Play, PythonContest, Session, whole
from tournament.contests.python_contest.rules import contest_of
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.keys import KEY_BYTES
from tournament.runner.schedule.legs import Competitor, Replicas, RoundRobin
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

TURNS = 100
_REPLICAS = 250
UNIFORM_IN_C = "int act(const Bot *bot) { return bot->legal_actions[rand() % bot->legal_actions_count]; }\n"
UNIFORM_IN_PYTHON = "import random\ndef act(state):\n    return random.choice(state.legal_actions)\n"


class Trivial(PythonContest):
    """A game of a hundred decisions, and nothing else."""

    name = "trivial"
    decisions = (Decision("move", "Move", tells={"turn": whole(0, TURNS, "turn")}, answer=whole(0, 9, "a move")),)
    columns = (Column("moved", "int32", "sum of the moves"),)

    def play(self, session: Session) -> Play:
        (move,) = self.decisions
        moved = 0
        for turn in range(TURNS):
            moved += yield move(turn & 1, turn=turn)
        session.record(moved, -moved, moved=moved)


class UniformBot(pyspiel.Bot):  # type: ignore[misc]
    """The Python bot above, as a bot of OpenSpiel's."""

    def __init__(self) -> None:
        pyspiel.Bot.__init__(self)

    def restart_at(self, state: Any) -> None:
        pass

    def step(self, state: Any) -> int:
        return int(random.choice(state.legal_actions()))


def ours(contest: Contest, bots: dict[str, tuple[str, str]], sessions: int, **settings: Any) -> float:
    """Games a second of one pairing; building its bots isn't counted."""

    def seconds(count: int) -> float:
        begun = time.perf_counter()
        play_field(contest, bots, sessions=count, **settings)
        return time.perf_counter() - begun

    return sessions / max(1e-9, seconds(sessions + 1) - seconds(1))


def in_step(contest: Contest, replicas: int, sessions: int, **settings: Any) -> float:
    """Games a second of two Python bots in so many replicas, played in step, with the start of their processes."""
    chosen = contest.settings.model_validate({"sessions": sessions, **settings})
    artifacts = {}
    competitors = []
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate("ab"):
            path = Path(folder, f"{name}.py")
            path.write_text(UNIFORM_IN_PYTHON)
            entrant = build_entrant(read_submission(path), contest.interface, chosen, SANDBOX)
            assert entrant.artifact and entrant.artifact_sha256, entrant.problem
            artifacts[entrant.artifact_sha256] = entrant.artifact
            competitors.append(Competitor(number, name, entrant.plays_as, entrant.artifact_sha256))
    schedule = RoundRobin(contest.name, chosen.playing(), bytes(KEY_BYTES), competitors, replicas=Replicas(replicas))
    with contextlib.closing(Spool()) as spool:
        begun = time.perf_counter()
        legs = play_in_lanes(contest, chosen, SANDBOX, list(schedule.legs()), artifacts, cache_folder(), spool)
        return sum(leg.result.games for leg in legs) / (time.perf_counter() - begun)


def theirs(game: str, bots: list[Any], games: int) -> float:
    """Games a second of evaluate_bots."""
    loaded = pyspiel.load_game(game)
    begun = time.perf_counter()
    for number in range(games):
        pyspiel.evaluate_bots(loaded.new_initial_state(), bots, number)
    return games / (time.perf_counter() - begun)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds

    def median(measure: Callable[[], float]) -> float:
        return statistics.median(measure() for _ in range(rounds))

    in_c = dict.fromkeys("ab", (".c", "int move(const Bot *bot) { return 1; }\n"))
    rate = median(lambda: TURNS * ours(contest_of(Trivial), in_c, 2000))
    print(f"trivial rules, C bots: {rate:,.0f} decisions/s")
    contest = find_contest("open_spiel")
    print("| game | bots | ours, first met, games/s | met before | evaluate_bots | ratios |\n|---|---|---|---|---|---|")
    for game, games in (("kuhn_poker", 40_000), ("leduc_poker", 20_000), ("tic_tac_toe", 6_000)):
        for language, source, count, new_bots in (
            ("C, C++", (".c", UNIFORM_IN_C), games, lambda: [pyspiel.make_uniform_random_bot(n, n) for n in range(2)]),
            ("Python", (".py", UNIFORM_IN_PYTHON), games // 4, lambda: [UniformBot(), UniformBot()]),
        ):
            field = {"a": source, "b": source}
            new, known, other = [], [], []
            ours(contest, field, 1, open_spiel=game)  # compiles the bots
            for _ in range(rounds):
                game_of.cache_clear()
                new.append(ours(contest, field, count, open_spiel=game))
                known.append(ours(contest, field, count, open_spiel=game))
                other.append(theirs(game, new_bots(), count))
            one, two, three = map(statistics.median, (new, known, other))
            ratios = f"{one / three:.2f}, {two / three:.2f}"
            print(f"| {game} | {language} | {one:,.0f} | {two:,.0f} | {three:,.0f} | {ratios} |", flush=True)
            if language == "Python":
                many = statistics.median([in_step(contest, _REPLICAS, 1000, open_spiel=game) for _ in range(rounds)])
                print(f"| {game} | Python, {_REPLICAS} replicas | | {many:,.0f} | | {many / three:.2f} |", flush=True)


if __name__ == "__main__":
    main()
