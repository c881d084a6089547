"""Records of what bots used: fuel of WebAssembly, processor time of processes, and memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from tests.contest_runs import CONTEST, ContestDir, make_contest
from tournament.api import verify
from tournament.records.results import load

SLOW = (
    "#include <stdlib.h>\n"
    "static volatile int sum;\n"
    "int a(const Bot *bot) { for (int i = 0; i < 1000; i++) sum += i; return 0; }\n"
    "int b(const Bot *bot, int bet) { static char *kept; if (!kept) kept = calloc(1 << 20, 20); return !kept; }\n"
)
PYTHON = "def a(bot):\n    return sum(range(300)) and 0\n\n\ndef b(bot, bet):\n    return 0\n"


def played(folder: Path) -> ContestDir:
    place = make_contest(folder, ["bold"], sessions=4, settings="replicas = 2")
    place.write_bot("slow", SLOW)
    (place.entrants / "snake.py").write_text(PYTHON)
    place.play()
    return place


def test_legs_and_entrants_show_what_each_bot_used(tmp_path: Path) -> None:
    place = played(tmp_path)
    found = load(str(place.results))
    legs = found.legs.astype({"bot": str})
    assert len(legs) == 3 * 2 * 2 and (legs.memory_bytes > 0).all()
    of = {name: legs[legs.bot == name] for name in ("bold", "slow", "snake")}
    assert (of["snake"].cpu_seconds > 0).all() and not of["snake"].fuel.any()
    for name in ("bold", "slow"):
        assert (of[name].fuel > 0).all() and not of[name].cpu_seconds.any() and not of[name].slowest_seconds.any()
    assert (of["snake"].slowest_seconds > 0).all() and (of["snake"].slowest_seconds < 60).all()
    assert of["slow"].fuel.min() > 10 * of["bold"].fuel.max()
    assert of["slow"].memory_bytes.max() > (20 << 20) > of["bold"].memory_bytes.max()
    raw = pd.read_parquet(place.results / "legs").astype({"bot": str, "house": str})
    pd.testing.assert_frame_equal(raw, legs.astype({"house": str}), check_categorical=False)

    totals = pd.read_parquet(place.results / "entrants.parquet").set_index("name")
    assert totals.fuel.to_dict() == legs.groupby("bot").fuel.sum().to_dict()
    assert totals.memory_bytes.to_dict() == legs.groupby("bot").memory_bytes.max().to_dict()
    np.testing.assert_allclose(totals.cpu_seconds, legs.groupby("bot").cpu_seconds.sum().loc[totals.index], atol=1e-5)
    assert verify(CONTEST, config=place.config, replay=10).problems == ()
