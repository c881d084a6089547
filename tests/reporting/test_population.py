"""The picture of a population in the report of a repeated game."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import shown
from tournament.standings.ratings import ecology
from tournament.standings.results import load

DILEMMA = """
[dilemma]
game = "matrix_game"
moves = ["cooperate", "defect"]
payoffs = [[3, 0], [5, 1]]
rounds = 10
sessions = 4
noise = 0.1
seed = "a seed of this test"
"""
MOVES = {"defects": "return 1;", "cooperates": "return 0;", "forgives": "return bot->opponents_previous_move == 1;"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tournament.toml").write_text(DILEMMA)
    (tmp_path / "entrants" / "dilemma").mkdir(parents=True)
    for name, body in MOVES.items():
        for copy in (name, f"{name}_too"):
            (tmp_path / "entrants" / "dilemma" / f"{copy}.c").write_text(f"int move(const Bot *bot) {{ {body} }}\n")
    return tmp_path


def test_the_areas_of_the_picture_are_the_shares_of_the_ratings(folder: Path) -> None:
    assert shown("run").code == 0
    assert shown("report", "-o", "report.html").code == 0
    page = (folder / "report.html").read_text()
    areas = re.findall(r'<polygon class="k(\d)" points="([^"]+)"><title>(\w+)</title>', page)
    ranking = load("results/dilemma").ranking
    ends = {line.name: line.rating for line in ecology(ranking, "replicator")}
    assert {name for _, _, name in areas} == set(ends)
    heights = []
    for _, text, name in areas:
        points = np.array([[float(number) for number in point.split(",")] for point in text.split()])
        below, above = points[: len(points) // 2], points[len(points) // 2 :][::-1]
        assert (below[:, 0] == above[:, 0]).all() and below[0, 0] == 0 and below[-1, 0] == 100
        heights.append(below[:, 1] - above[:, 1])
        assert heights[-1][-1] == pytest.approx(100 * ends[name], abs=0.02)
    assert np.array(heights)[:, 0] == pytest.approx(100 / 3, abs=0.02)  # equal at first
    assert np.sum(heights, axis=0) == pytest.approx(100, abs=0.05)
    moran = {line.name: f"{100 * line.rating:.1f}%" for line in ecology(ranking, "moran")}
    for name, share in moran.items():
        assert re.search(
            rf'{name}</th><td class="num">[\d.]+%</td><td class="num">{share}</td>', page.replace("<wbr>", "")
        )
    for name in MOVES:
        (folder / "entrants" / "dilemma" / f"{name}_too.c").unlink()
    assert shown("run").code == 0
    assert shown("report", "-o", "report.html").code == 0
    page = (folder / "report.html").read_text()
    assert "enter a copy of" in page and "<polygon" not in page
