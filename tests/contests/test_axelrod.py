"""Scores of the Axelrod library's strategies as bots of docs/reference/matrix_game.md, against its own tournament."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tournament

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "matrix_game.md"
TURNS = 200
DETERMINISTIC = re.findall(
    r"\w+",
    """
Aggravater AlternatorHunter AntiCycler AntiTitForTat BackStabber Bully Cooperator
CooperatorHunter CycleHunter CyclerCCCD DefectorHunter Defector Detective DoubleCrosser EasyGo
EventualCycleHunter FoolMeOnce Forgiver ForgivingTitForTat Fortress3
GoByMajority Gradual Grudger Grumpy HardProber HardTitFor2Tats
LimitedRetaliate Prober2 Punisher Raider Retaliate SneakyTitForTat SoftGrudger
SuspiciousTitForTat Thumper TitFor2Tats TitForTat TrickyDefector VeryBad WinStayLoseShift
""",
)

# Before a bot: for strategies that draw nothing, a stand-in for what draws, which takes two thirds of a process's
# start. A match of such bots starts two, and there are 780.
WITHOUT_NUMPY = """
import sys
import types


class Absent(types.ModuleType):
    def __getattr__(self, name):
        return self

    def __call__(self, *values, **named):
        return self

    __getitem__ = __call__


sys.modules["numpy"] = sys.modules["numpy.random"] = Absent("numpy")
"""

SETTINGS = f"""
[sandbox]
packages = ["axelrod"]
[dilemma]
game = "matrix_game"
moves = ["cooperate", "defect"]
payoffs = [[3, 0], [5, 1]]
rounds = {TURNS}
sessions = 1
seed = "the seed of a comparison with Axelrod"
entrants = "bots"
memory_megabytes = 256
wall_seconds_per_decision = 60.0
wall_seconds_per_leg = 600.0
cpu_seconds_per_decision = 20.0
"""

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def library() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import axelrod
        except ModuleNotFoundError as missing:
            pytest.fail(f"{missing}; make test-thorough installs it, and so does: pip install 'axelrod<4.14'")
        yield axelrod


def bot_source(strategy: type) -> str:
    """The bot of docs/reference/matrix_game.md, with another strategy."""
    (source,) = re.findall(r"```python\n(import importlib.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert source.count("grudger import Grudger") == source.count("Grudger()") == 1
    module = strategy.__module__.removeprefix("axelrod.strategies.")
    source = source.replace("grudger import Grudger", f"{module} import {strategy.__name__}")
    return str(source.replace("Grudger()", f"{strategy.__name__}()"))


def test_deterministic_strategies_score_what_they_do_in_the_library(library: Any, tmp_path: Path) -> None:
    """One worker has two dozen processes at once, which is enough for two cores."""
    strategies = [getattr(library, name) for name in sorted(DETERMINISTIC)]
    players = [strategy() for strategy in strategies]
    assert len(players) >= 40 and not any(library.Classifiers["stochastic"](player) for player in players)
    own = library.Tournament(players, turns=TURNS, repetitions=1).play(progress_bar=False).payoffs

    (tmp_path / "bots").mkdir()
    for strategy in strategies:
        (tmp_path / "bots" / f"{strategy.__name__}.py").write_text(WITHOUT_NUMPY + bot_source(strategy))
    (tmp_path / "tournament.toml").write_text(SETTINGS)
    found = tournament.run("dilemma", config=tmp_path / "tournament.toml", executor="local", workers=1)

    assert not len(found.faults), found.faults.to_string()
    matches = {(match.x, match.y): (match.points_0, match.points_1) for match in found.ranking.matches}
    assert len(matches) == math.comb(len(players), 2)
    differing = []
    for (i, x), (j, y) in itertools.combinations(enumerate(strategy.__name__ for strategy in strategies), 2):
        theirs = (round(own[i][j][0] * TURNS, 6), round(own[j][i][0] * TURNS, 6))
        if matches[x, y] != theirs:
            differing.append((x, y, matches[x, y], theirs))
    assert not differing, (len(differing), differing[:10])
