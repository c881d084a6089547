"""`--until-settled`: play goes on replica by replica until it is sure enough which of two is the better one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import run_cli
from tests.contest_runs import CONTEST, SEEDS, THRESHOLDS, bot_source, make_contest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = make_contest(tmp_path, ["bold", "calm", "dull", "even"], sessions=20)
    for name, source in (("fool", bot_source(0, 0)), ("bold_too", bot_source(*THRESHOLDS["bold"]))):
        (place.folder / f"{name}.c").write_text(source)
    monkeypatch.chdir(place.folder)
    return place.folder


@pytest.mark.parametrize(("opponent", "verdict", "code"), [("fool.c", "better", 0), ("bold_too.c", "open", 3)])
def test_match_stops_when_settled(folder: Path, opponent: str, verdict: str, code: int) -> None:
    how = ("--until-settled", "0.95")
    told = run_cli("match", CONTEST, "bold", opponent, *how, "--json", "--max-replicas", "16", "--seed", SEEDS[8])
    report = json.loads(told.out)
    assert (told.code, report["stopping"]["verdict"]) == (code, verdict)
    assert report["sessions"] == 20 * report["stopping"]["replicas"] and report["stopping"]["done"]
    assert report["stopping"]["replicas"] < 16 or verdict == "open"
    worse = run_cli("match", CONTEST, "fool.c", "bold", *how, "--seed", SEEDS[8])
    assert worse.code == 4 and "significantly worse" in worse.out
    assert "replicas: " in worse.err


def test_disqualified_bot_is_not_better(folder: Path) -> None:
    (folder / "traps.c").write_text(
        "int a(const Bot *bot) { __builtin_trap(); }\nint b(const Bot *bot, int bet) { __builtin_trap(); }\n"
    )
    told = run_cli("match", CONTEST, "bold", "traps.c", "--until-settled", "0.95")
    assert told.code == 1 and "traps is disqualified" in told.out
