"""Bots gain nothing by their own faults, or by slowing an opponent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd

from tests.contest_runs import CONTEST, make_contest
from tournament.config import load_config
from tournament.records.results import load
from tournament.runner.contest_run import run_prepared
from tournament.runner.listener import NullListener
from tournament.runner.prepare import prepare_contest

# Whenever it would rather not play on: a large bet that it faces, or poor, with the lead.
DODGES = """
int a(const Bot *bot) { if (bot->money > 120 || bot->card < 0.1f) %(out)s; return bot->card > 0.6f ? 30 : 0; }
int b(const Bot *bot, const int bet) { if (bet > 25 || bot->money < 60) %(out)s; return bot->card > 0.4f; }
"""


def test_fault_scores_as_the_default_answer(tmp_path: Path) -> None:
    found = []
    for how, out in (("faults", "__builtin_trap()"), ("answers", "return 0")):
        place = make_contest(tmp_path / how, ["bold", "calm"], sessions=8, settings="max_faults = 1000")
        place.write_bot("dodges", DODGES % {"out": out})
        config = load_config(CONTEST, place.config, executor="local", workers=1)
        with prepare_contest(config.played, config, NullListener(), only_entrant="dodges") as prepared:
            run_prepared(replace(prepared, paired=True), NullListener())  # the same deals for both
        found.append(load(str(place.results)))
    faulty, plain = found
    assert faulty.entrants.faults.sum() > 100 and not plain.entrants.faults.sum()
    pd.testing.assert_frame_equal(faulty.games, plain.games)
    lines = [result.standings.drop(columns=["faults"]).to_dict() for result in found]
    assert faulty.ranking.entrants[0].adjusted_score is not None
    assert repr(lines[0]).replace("nan", "") == repr(lines[1]).replace("nan", "")
