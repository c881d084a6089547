"""Luck is the same to the last bit on any processor."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.contest_runs import CONTEST, environment, make_shipped_contest
from tournament.api import run

# Contests, with bots and settings of each.
PLAYED = {
    CONTEST: ("likeme.c naive.c", "sessions = 100"),
    "holdem_training": ("threshold.cpp", "hands = 2000\nsessions = 1"),
}
WORKS_OUT = """
import json, math, sys
import numpy as np
from tournament.contests import find_contest
from tournament.records.results import load
from tournament.store.leg_sums import compute_leg_sums
from tournament.store.parts import read_rows
from tournament.store.storage import open_storage
for place in sys.argv[1:]:
    loaded, storage = load(place), open_storage(place)
    contest = find_contest(loaded.setup.contest)
    settings = contest.settings.model_validate({**loaded.setup.settings, "seed": None})
    found = {}
    for batch in loaded.batches:
        games = {}
        for rows in read_rows(storage, batch.part("games"), contest.games):
            for name in contest.luck.columns:
                games.setdefault(name, []).append(rows[name].view(np.uint8) if rows[name].dtype == bool else rows[name])
        games = {name: np.concatenate(pieces) for name, pieces in games.items()}
        end = 0
        for leg in batch.legs:
            first, end = end, end + leg.games
            luck, began = contest.luck.new(settings), leg.number * contest.sessions_per_leg(settings)
            luck.add({name: column[first:end] for name, column in games.items()}, [0], [began])
            (points,) = luck.blocks()
            own = np.array([leg.sums[0].points, leg.sums[0].squared_points, *(3 * points[::-1])])
            other = np.concatenate([-own[:1], own[1:2], -own[2:]])
            sums = compute_leg_sums(np.array([[own, other]]), np.array([3200]), points[np.newaxis])
            found[leg.digest] = points.tobytes().hex() + sums.tobytes().hex()
            assert math.fsum(points.tolist()) == leg.sums[0].luck
    print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("rounding")
    for name, bots_and_settings in PLAYED.items():
        config = make_shipped_contest(folder / name, name, *bots_and_settings)
        run(name, config=config, results=folder / "results", executor="local")
    return [folder / "results" / name for name in PLAYED]


def features() -> str:
    """Return the features of this processor that numpy can do without."""
    known: dict[str, bool] = np._core._multiarray_umath.__cpu_features__  # type: ignore[attr-defined]
    dispatched: list[str] = np._core._multiarray_umath.__cpu_dispatch__  # type: ignore[attr-defined]
    return " ".join(name for name in dispatched if known.get(name))


@pytest.mark.slow
def test_luck_is_the_same_whatever_the_processor_can(places: list[Path]) -> None:
    """OpenBLAS and numpy are told to work as on an old processor, without fused multiplications."""
    command = [sys.executable, "-c", WORKS_OUT, *map(str, places)]
    found = [
        subprocess.run(command, env=environment(more), capture_output=True, text=True, check=True).stdout
        for more in ({}, {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": features()})
    ]
    assert found[0] == found[1]
    noted = [json.loads(line) for line in found[0].splitlines()]
    assert len(noted) == len(PLAYED) and all(noted)
