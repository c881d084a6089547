"""Scores of the Axelrod library's strategies, entered as bots, against those of its own tournament.

Needs `pip install axelrod`, which brings much else: so it is none of the tests' own packages.
"""

from __future__ import annotations

import importlib.util
import itertools
import math
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tournament

PAGE = Path(__file__).parents[2] / "docs" / "matrix_game.md"
TURNS = 200
DETERMINISTIC = re.findall(
    r"\w+",
    """
Aggravater AlternatorHunter AntiCycler AntiTitForTat AverageCopier BackStabber Bully Calculator Cooperator
CooperatorHunter CycleHunter CyclerCCCD CyclerDDC Davis Defector DefectorHunter Detective DoubleCrosser EasyGo
EventualCycleHunter ForgetfulFoolMeOnce FoolMeOnce Forgiver ForgivingTitForTat Fortress3 Fortress4
GoByMajority Gradual Grudger GrudgerAlternator Grumpy HardProber HardTitFor2Tats HardTitForTat Hopeless
LimitedRetaliate Prober Prober2 Prober3 Punisher Raider Retaliate SneakyTitForTat SoftGrudger Stalker
SuspiciousTitForTat Thumper TitFor2Tats TitForTat TrickyCooperator TrickyDefector TwoTitsForTat VeryBad
Willing WinShiftLoseStay WinStayLoseShift
""",
)
STOCHASTIC = ("Random", "GTFT", "StochasticCooperator", "Joss", "ZDExtort2", "TitForTat", "WinStayLoseShift")

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not importlib.util.find_spec("axelrod"), reason="needs: pip install axelrod"),
]


def bot_source(strategy: str) -> str:
    """The bot of docs/matrix_game.md, with another strategy."""
    (source,) = re.findall(r"```python\n(import random\n.*?)```", PAGE.read_text(), flags=re.DOTALL)
    return str(source).replace("axl.Grudger()", f"axl.{strategy}()")


def played(folder: Path, strategies: tuple[str, ...], settings: str) -> tournament.Results:
    (folder / "bots").mkdir()
    for name in strategies:
        (folder / "bots" / f"{name}.py").write_text(bot_source(name))
    (folder / "tournament.toml").write_text(f"""
[sandbox]
packages = ["axelrod"]
[dilemma]
game = "matrix_game"
moves = ["cooperate", "defect"]
payoffs = [[3, 0], [5, 1]]
rounds = {TURNS}
seed = "the seed of a comparison with Axelrod"
entrants = "bots"
memory_megabytes = 1024
cpu_seconds_per_decision = 60.0
cpu_seconds_per_leg = 600.0
wall_seconds_per_decision = 120.0
wall_seconds_per_leg = 1200.0
{settings}
""")
    return tournament.run("dilemma", config=folder / "tournament.toml", executor="local")


def library() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import axelrod

        return axelrod


def test_deterministic_strategies_score_what_they_do_in_the_library(tmp_path: Path) -> None:
    axelrod = library()
    chosen = tuple(
        name
        for name in DETERMINISTIC
        if hasattr(axelrod, name) and not axelrod.Classifiers["stochastic"](getattr(axelrod, name)())
    )
    assert len(chosen) >= 40
    found = played(tmp_path, chosen, "sessions = 1")
    assert not len(found.faults), found.faults.to_string()
    matches = {(match.x, match.y): match for match in found.ranking.matches}
    assert len(matches) == math.comb(len(chosen), 2)
    differing = []
    for x, y in itertools.combinations(sorted(chosen), 2):
        match = axelrod.Match((getattr(axelrod, x)(), getattr(axelrod, y)()), turns=TURNS)
        match.play()
        ours = (matches[x, y].x_points, matches[x, y].y_points)
        if ours != match.final_score():
            differing.append((x, y, ours, match.final_score()))
    assert not differing, differing[:10]


@pytest.mark.statistical
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_stochastic_strategies_and_noise_agree_within_four_errors(tmp_path: Path, noise: float) -> None:
    axelrod = library()
    sessions = 60
    found = played(tmp_path, STOCHASTIC, f"sessions = {sessions}\nnoise = {noise}")
    for match in found.ranking.matches:
        players = (getattr(axelrod, match.x)(), getattr(axelrod, match.y)())
        theirs = []
        for seed in range(sessions):
            own = axelrod.Match(players, turns=TURNS, noise=noise, seed=seed)
            own.play()
            theirs.append(own.final_score())
        for side, (points, error) in enumerate(
            ((match.x_points, match.x_points_stderr), (match.y_points, match.y_points_stderr))
        ):
            library_points = np.array(theirs)[:, side]
            spread = math.hypot(error or 0.0, math.sqrt(sessions) * library_points.std(ddof=1))
            assert abs(points - library_points.sum()) <= 4 * spread + 1e-9, (match.x, match.y, side)
