"""`--until-settled`: play goes on replica by replica until it is sure enough which of two is the better one."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import run_cli
from tests.contest_runs import CONTEST, SEEDS, THRESHOLDS, bot_source, make_contest
from tournament.standings.stopping import MIN_REPLICAS, analysis_counts
from tournament.trial.sequential import Difference, InterimResult, analyse

TRIALS = 400


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = make_contest(tmp_path, ["bold", "calm", "dull", "even"], sessions=20)
    for name, source in (("fool", bot_source(0, 0)), ("bold_too", bot_source(*THRESHOLDS["bold"]))):
        (place.folder / f"{name}.c").write_text(source)
    monkeypatch.chdir(place.folder)
    return place.folder


def last_look(confidence: float, values: np.ndarray) -> InterimResult:
    """Return the interim result at which play stops, given the differences of all replicas."""
    counts = analysis_counts(MIN_REPLICAS, len(values))
    found = []
    for count in counts:
        seen = values[:count]
        difference = Difference(float(seen.mean()), float(seen.std(ddof=1)) / math.sqrt(count), count - 1)
        found.append(analyse(confidence, difference, count, counts))
    return next((look for look in found if look.done), found[-1])


@pytest.mark.statistical
def test_equals_are_told_apart_once_in_twenty() -> None:
    drawn = np.random.default_rng(7).normal(0.0, 2, (TRIALS, 200))
    verdicts = [last_look(0.95, values).verdict for values in drawn]
    wrong = TRIALS - verdicts.count("open")
    assert wrong / TRIALS < 0.05 + 3 * math.sqrt(0.05 * 0.95 / TRIALS)


@pytest.mark.parametrize(("opponent", "verdict", "code"), [("fool.c", "better", 0), ("bold_too.c", "open", 3)])
def test_a_match_stops_when_it_is_sure(folder: Path, opponent: str, verdict: str, code: int) -> None:
    how = ("--until-settled", "0.95")
    told = run_cli("match", CONTEST, "bold", opponent, *how, "--json", "--max-replicas", "16", "--seed", SEEDS[8])
    report = json.loads(told.out)
    assert (told.code, report["stopping"]["verdict"]) == (code, verdict)
    assert report["sessions"] == 20 * report["stopping"]["replicas"] and report["stopping"]["done"]
    assert report["stopping"]["replicas"] < 16 or verdict == "open"
    worse = run_cli("match", CONTEST, "fool.c", "bold", *how, "--seed", SEEDS[8])
    assert worse.code == 4 and "significantly worse" in worse.out
    assert "replicas: " in worse.err


def test_who_is_disqualified_is_not_better(folder: Path) -> None:
    (folder / "traps.c").write_text(
        "int a(const Bot *bot) { __builtin_trap(); }\nint b(const Bot *bot, int bet) { __builtin_trap(); }\n"
    )
    for bots in (("traps.c", "bold"), ("bold", "traps.c")):
        told = run_cli("match", CONTEST, *bots, "--until-settled", "0.95")
        assert told.code == 1 and "traps is disqualified" in told.out
