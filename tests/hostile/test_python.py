"""Hostile Python bots: one file each in python/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hostile.field import GOOD, Ground, assert_they_fare_as_said, bots_in, verdict_of
from tournament.records.results import Results

BOTS = bots_in("python")
LONG = [bot for bot in BOTS if "late" in bot.stem]
REFUSED = [bot for bot in BOTS if verdict_of(bot).statuses == ["ok"]]
FAILING = [bot for bot in BOTS if bot not in LONG + REFUSED]
# Small fields: what bots do to each other grows with the square of a field.
PARTS = 7
FEW = {name: GOOD[name] for name in ("steady.c", "patient.py")}
# None of them is slow.
PATIENT: dict[str, Any] = {"idle_seconds": 20.0}


@pytest.fixture(scope="module")
def alone_in_patience(tmp_path_factory: pytest.TempPathFactory, scratch: Path) -> Results:
    """Return the good bots' games with more time, because other settings give other cards."""
    ground = Ground(tmp_path_factory.mktemp("alone"))
    ground.prepare([], FEW)
    return ground.play(**PATIENT)


@pytest.mark.parametrize("part", range(PARTS))
def test_refused_attacks_leave_bots_playing(
    tmp_path: Path, scratch: Path, alone_in_patience: Results, part: int
) -> None:
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone_in_patience, REFUSED[part::PARTS], FEW, **PATIENT)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_failing_bots_disturb_no_other(tmp_path: Path, scratch: Path, alone: Results, part: int) -> None:
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone, FAILING[part::PARTS], FEW)


@pytest.mark.slow
def test_bots_that_fail_late_disturb_no_other(tmp_path: Path, scratch: Path) -> None:
    undisturbed = Ground(tmp_path / "without")
    undisturbed.prepare([], FEW)
    alone = undisturbed.play(sessions=30)
    assert_they_fare_as_said(Ground(tmp_path / "with"), scratch, alone, LONG, FEW, sessions=30)
