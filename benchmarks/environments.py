"""Steps a second of one core's time of training environments of 256 sessions, next to PettingZoo's connect four.

The time is the processor time of all threads, so that other programs on the machine don't count.

python -m benchmarks.environments [--rounds N]
"""

from __future__ import annotations

import importlib.util
import random
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.fields import ROOT
from benchmarks.rows import print_rows
from tournament.config import load_config
from tournament.training.table import new_table
from tournament.training.vector import VectorEnvironment

SESSIONS_AT_ONCE, STEPS = 256, 2_000
RULES = """\
from tournament.rules import Decision, Int, Rules


class Say(Rules):
    name = "say"
    seats = 2
    decisions = (Decision("say", "Say a number", observation={"said": Int(0, 5)}, answer=Int(1, 5)),)

    def play(self, session):
        for _ in range(100):
            first = yield self.ask.say(0, said=0)
            second = yield self.ask.say(1, said=first)
            session.record([first - second, second - first])
"""
SAYS_THREE = "int say(const View *view) { return view->said > 3 ? 1 : 3; }\n"


def _steps_a_second(contest: str, config: Path | None, opponent: Path, answer: int) -> float:
    chosen = load_config(contest, config, seed="1", sessions=100)
    table = new_table(chosen, [opponent], Path, lambda text: None, [0], 1)
    answers = np.full(SESSIONS_AT_ONCE, answer)
    with VectorEnvironment(table, SESSIONS_AT_ONCE) as environment:
        for _ in range(20):
            environment.step(answers)
        began = time.process_time()
        for _ in range(STEPS):
            environment.step(answers)
        return STEPS * SESSIONS_AT_ONCE / (time.process_time() - began)


def _steps_of_connect_four(steps: int) -> float:
    from pettingzoo.classic import connect_four_v3

    chance, environment = random.Random(1), connect_four_v3.env()
    environment.reset(seed=1)
    began = time.process_time()
    for _ in range(steps):
        seen, _, over, _, _ = environment.last()
        if over:
            environment.reset()
        else:
            environment.step(chance.choice(np.flatnonzero(seen["action_mask"])))
    return steps / (time.process_time() - began)


def rows(rounds: int) -> Iterator[tuple[str, str, str, float | None, str]]:
    """Rows: name, ours, the other's, their ratio, and the wanted limit."""

    def median(rate: Callable[[], float]) -> float:
        return statistics.median(rate() for _ in range(rounds))

    naive = ROOT / "entrants" / "von_neumann_poker" / "naive.c"
    ours = median(lambda: _steps_a_second("von_neumann_poker", None, naive, 0))
    what = f"environment of {SESSIONS_AT_ONCE} sessions"
    yield f"{what}, poker against a C bot", f"{ours:,.0f} steps/s", "1 M/s", ours / 1e6, "≥ 1"
    with TemporaryDirectory(prefix="tournament-bench-") as folder:
        rules, bot = Path(folder) / "say.py", Path(folder) / "three.c"
        rules.write_text(RULES)
        bot.write_text(SAYS_THREE)
        config = Path(folder) / "tournament.toml"
        config.write_text('[say]\nrules = "say.py"\n')
        ours = median(lambda: _steps_a_second("say", config, bot, 2))
    yield f"{what}, rules in Python against a C bot", f"{ours:,.0f} steps/s", "150,000/s", ours / 150_000, "≥ 1"
    if importlib.util.find_spec("pygame") is None:
        yield "PettingZoo's connect four, random play", "—", "not installed", None, ""
        return
    peer = median(lambda: _steps_of_connect_four(20_000))
    yield "PettingZoo's connect four, random play", "—", f"{peer:,.0f} steps/s", None, ""


if __name__ == "__main__":
    print_rows(__doc__.split("\n")[0], rows)
