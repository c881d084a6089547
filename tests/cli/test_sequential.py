"""`--until-settled`: play goes on replica by replica until it is sure enough which of two is the better one."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import shown
from tests.contest_runs import CONTEST, SEEDS, THRESHOLDS, Listener, bot_source, new_place
from tournament.api import match
from tournament.standings.stopping import FEWEST_REPLICAS, looks
from tournament.trial.sequential import Difference, Look, UntilSure

TRIALS = 1_000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = new_place(tmp_path, ["bold", "calm", "dull", "even"], sessions=20)
    for name, source in (("fool", bot_source(0, 0)), ("bold_too", bot_source(*THRESHOLDS["bold"]))):
        (place.folder / f"{name}.c").write_text(source)
    monkeypatch.chdir(place.folder)
    return place.folder


def last_look(rule: UntilSure, values: np.ndarray) -> Look:
    """Where a rule stops of these differences, one a replica."""
    counts = looks(FEWEST_REPLICAS, len(values))
    found = []
    for count in counts:
        seen = values[:count]
        difference = Difference(float(seen.mean()), float(seen.std(ddof=1)) / math.sqrt(count), count - 1)
        found.append(rule.look(difference, count, counts))
    return next((look for look in found if look.done), found[-1])


@pytest.mark.statistical
def test_equals_are_told_apart_once_in_twenty() -> None:
    drawn = np.random.default_rng(7).normal(0.0, 2, (TRIALS, 200))
    verdicts = [last_look(UntilSure(0.95), values).verdict for values in drawn]
    wrong = TRIALS - verdicts.count("open")
    assert wrong / TRIALS < 0.05 + 3 * math.sqrt(0.05 * 0.95 / TRIALS)


@pytest.mark.parametrize(("opponent", "verdict", "code"), [("fool.c", "better", 0), ("bold_too.c", "open", 3)])
def test_a_match_stops_when_it_is_sure(folder: Path, opponent: str, verdict: str, code: int) -> None:
    how = ("--until-settled", "0.95")
    told = shown("match", CONTEST, "bold", opponent, *how, "--json", "--most-replicas", "16", "--seed", SEEDS[8])
    report = json.loads(told.out)
    assert (told.code, report["stopped"]["verdict"]) == (code, verdict)
    assert report["sessions"] == 20 * report["stopped"]["replicas"] and report["stopped"]["done"]
    assert report["stopped"]["replicas"] < 16 or verdict == "open"
    worse = shown("match", CONTEST, "fool.c", "bold", *how, "--seed", SEEDS[8])
    assert worse.code == 4 and "surely worse" in worse.out
    assert "replicas: " in worse.err


def test_who_is_disqualified_is_not_better(folder: Path) -> None:
    (folder / "traps.c").write_text(
        "int a(const Bot *bot) { __builtin_trap(); }\nint b(const Bot *bot, int bet) { __builtin_trap(); }\n"
    )
    for bots in (("traps.c", "bold"), ("bold", "traps.c")):
        told = shown("match", CONTEST, *bots, "--until-settled", "0.95")
        assert told.code == 1 and "traps is disqualified" in told.out


def test_two_versions_have_the_games_of_as_many_replicas(folder: Path) -> None:
    """Both versions stop after the same replicas, and of each opponent it tells what those tell."""
    listener = Listener()
    words = {"baseline": folder / "fool.c", "config": "tournament.toml", "seed": SEEDS[8]}
    found = match(CONTEST, "bold", until_settled=0.95, most_replicas=40, watcher=listener, **words)  # type: ignore[arg-type]
    assert found.stopped and found.verdict == "better"
    plain = match(CONTEST, "bold", replicas=found.stopped.replicas, **words)  # type: ignore[arg-type]
    assert found.against == plain.against and found.sessions == plain.sessions == 60 * found.stopped.replicas
    assert found.better and plain.better and found.better.value == pytest.approx(plain.better.value)
    assert found.stopped.reaches and found.better.reach and found.better.stderr
    assert found.better.reach == pytest.approx(found.stopped.reaches * found.better.stderr)
    assert f"{found.stopped.replicas} replicas: {found.stopped.said}" in listener.said
    same = match(CONTEST, "bold", until_settled=0.95, config="tournament.toml", baseline=folder / "bots" / "bold.c")
    assert same.stopped and same.stopped.replicas == 4 and same.verdict == "open"


def test_house_players_are_met_until_it_is_sure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("practice_02", "--baseline", "random_legal", "--sessions", "1", "--seed", SEEDS[8])
    told = shown("match", "two_card_draw", "check_caller", *words, "--until-settled", "0.9")
    assert told.code == 0 and re.search(r"after \d replicas, better by \+\d,", told.out) and "surely better" in told.out
    told = shown("match", "two_card_draw", "random_legal", "practice_02", *words[3:], "--until-settled", "0.9")
    assert told.code == 4 and "surely worse" in told.out
