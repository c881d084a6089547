"""`--until` and `--sprt`: play goes on replica by replica until it is sure enough which of two is the better one."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import shown
from tests.contest_runs import CONTEST, SEEDS, THRESHOLDS, Listener, bot_source, new_place
from tournament.api import gauntlet
from tournament.standings.stopping import looks
from tournament.trial.sequential import LIMIT, Look, RatioTest, Rule, UntilSure

TRIALS = 1_000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = new_place(tmp_path, ["bold", "calm", "dull", "even"], sessions=20)
    for name, source in (("fool", bot_source(0, 0)), ("bold_too", bot_source(*THRESHOLDS["bold"]))):
        (place.folder / f"{name}.c").write_text(source)
    monkeypatch.chdir(place.folder)
    return place.folder


def last_look(rule: Rule, values: np.ndarray) -> Look:
    """Where a rule stops of these differences, one a replica."""
    counts = looks(rule.fewest, len(values))
    found = [rule.look(values[:count], counts) for count in counts]
    return next((look for look in found if look.done), found[-1])


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("rule", "true", "right", "wrong"),
    [
        (UntilSure(0.95), 0.0, "open", ("better", "worse")),
        (RatioTest(0, 1), 0.0, "worse", ("better",)),
        (RatioTest(0, 1), 1.0, "better", ("worse",)),
        (RatioTest(-2, 2), -2.0, "worse", ("better",)),
    ],
)
def test_what_is_wrong_is_told_once_in_twenty(rule: Rule, true: float, right: str, wrong: tuple[str, ...]) -> None:
    drawn = np.random.default_rng(7).normal(true, 2, (TRIALS, 200))
    verdicts: list[str] = [last_look(rule, values).verdict for values in drawn]
    allowed = 0.05 + 3 * math.sqrt(0.05 * 0.95 / TRIALS)
    assert sum([verdicts.count(one) for one in wrong]) / TRIALS < allowed
    assert verdicts.count(right) / TRIALS > 0.9


def test_the_ratio_is_that_of_two_normal_likelihoods() -> None:
    """With the variance that is seen; the first look has ten replicas or more."""
    values = np.random.default_rng(3).normal(1, 3, 12)
    likelihoods = [-float(((values - size) ** 2).sum()) / (2 * values.var(ddof=1)) for size in (0, 2)]
    look = RatioTest(0, 2).look(values, (12, 15))
    assert look.said.startswith(f"LLR {likelihoods[1] - likelihoods[0]:.2f} of ") and pytest.approx(2.944439) == LIMIT
    assert RatioTest.fewest == 10
    for same, verdict in ((0.0, "worse"), (2.0, "better"), (1.0, "open")):
        assert RatioTest(0, 2).look(np.full(10, same), (10, 12)).verdict == verdict


@pytest.mark.parametrize(
    ("opponent", "verdict", "code", "how"),
    [
        ("fool.c", "better", 0, ("--until", "0.95")),
        ("bold_too.c", "open", 3, ("--until", "0.95")),
        ("fool.c", "better", 0, ("--sprt", "0", "4")),
    ],
)
def test_a_match_stops_when_it_is_sure(
    folder: Path, opponent: str, verdict: str, code: int, how: tuple[str, ...]
) -> None:
    told = shown("match", CONTEST, "bold", opponent, *how, "--json", "--most-replicas", "16", "--seed", SEEDS[8])
    report = json.loads(told.out)
    assert (told.code, report["stopped"]["verdict"]) == (code, verdict)
    assert report["sessions"] == 20 * report["stopped"]["replicas"] and report["stopped"]["done"]
    assert report["stopped"]["replicas"] < 16 or verdict == "open"
    worse = shown("match", CONTEST, "fool.c", "bold", *how, "--seed", SEEDS[8])
    assert worse.code == 4 and ("LLR -" in worse.out if how[0] == "--sprt" else "surely worse" in worse.out)
    assert "replicas: " in worse.err


def test_who_is_disqualified_is_not_better(folder: Path) -> None:
    (folder / "traps.c").write_text(
        "int a(const Bot *bot) { __builtin_trap(); }\nint b(const Bot *bot, int bet) { __builtin_trap(); }\n"
    )
    for bots in (("traps.c", "bold"), ("bold", "traps.c")):
        told = shown("match", CONTEST, *bots, "--until", "0.95")
        assert told.code == 1 and "traps is disqualified" in told.out


def test_a_gauntlet_has_the_games_of_as_many_replicas(folder: Path) -> None:
    """Both versions stop after the same replicas, and of each opponent it tells what those tell."""
    listener = Listener()
    words = {"instead_of": folder / "fool.c", "config": "tournament.toml", "seed": SEEDS[8]}
    found = gauntlet(CONTEST, "bold", until=0.95, most_replicas=40, watcher=listener, **words)  # type: ignore[arg-type]
    assert found.stopped and found.verdict == "better"
    plain = gauntlet(CONTEST, "bold", replicas=found.stopped.replicas, **words)  # type: ignore[arg-type]
    assert found.against == plain.against and found.sessions == plain.sessions == 60 * found.stopped.replicas
    assert found.better and plain.better and found.better.value == pytest.approx(plain.better.value)
    assert found.stopped.reaches and found.better.reach and found.better.stderr
    assert found.better.reach == pytest.approx(found.stopped.reaches * found.better.stderr)
    assert f"{found.stopped.replicas} replicas: {found.stopped.said}" in listener.said
    same = gauntlet(CONTEST, "bold", until=0.95, config="tournament.toml", instead_of=folder / "bots" / "bold.c")
    assert same.stopped and same.stopped.replicas == 4 and same.verdict == "open"


def test_house_players_are_met_until_it_is_sure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("--instead-of", "random_legal", "--against", "server_02", "--sessions", "1", "--seed", SEEDS[8])
    told = shown("gauntlet", "two_card_draw", "check_caller", *words, "--until", "0.9")
    assert told.code == 0 and re.search(r"after \d replicas, better by \+1,", told.out) and "surely better" in told.out
    told = shown("match", "two_card_draw", "random_legal", "server_02", *words[4:], "--until", "0.9")
    assert told.code == 4 and "surely worse" in told.out
