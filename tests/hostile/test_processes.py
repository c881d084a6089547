"""Hostile bots that are processes: files in python/, folders in programs/, and in builds/ those whose build attacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hostile.field import GOOD, SECRET, Ground, assert_they_fare_as_said, bots_in, confined_processes, verdict_of
from tests.processes import wait_until
from tournament.records.results import Results

PYTHON, PROGRAMS, BUILDS = map(bots_in, ("python", "programs", "builds"))
# Small fields: what bots do to each other grows with the square of a field.
FEW = {name: GOOD[name] for name in ("steady.c", "plain")}
FEW_IN_PYTHON = {name: GOOD[name] for name in ("steady.c", "patient.py")}
# None of those that play on is slow.
PATIENT: dict[str, Any] = {"idle_seconds": 20.0}


def refused(bots: list[Path]) -> list[Path]:
    """Return those whose attacks are refused, so that they play on."""
    return [bot for bot in bots if verdict_of(bot).statuses == ["ok"]]


def failing(bots: list[Path]) -> list[Path]:
    return [bot for bot in bots if verdict_of(bot).statuses != ["ok"]]


@pytest.fixture(scope="module")
def alone_in_patience(tmp_path_factory: pytest.TempPathFactory, scratch: Path) -> Results:
    """Return the good bots' games with more time, because other settings give other cards."""
    ground = Ground(tmp_path_factory.mktemp("alone"))
    ground.prepare([], FEW_IN_PYTHON)
    return ground.play(**PATIENT)


@pytest.mark.parametrize("part", range(3))
def test_refused_attacks_leave_python_bots_playing(
    tmp_path: Path, scratch: Path, alone_in_patience: Results, part: int
) -> None:
    bots = refused(PYTHON)[part::3]
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone_in_patience, bots, FEW_IN_PYTHON, **PATIENT)


@pytest.mark.parametrize("part", range(2))
def test_refused_attacks_leave_programs_playing(tmp_path: Path, scratch: Path, alone: Results, part: int) -> None:
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone, refused(PROGRAMS)[part::2], FEW)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_failing_python_bots_disturb_no_other(tmp_path: Path, scratch: Path, alone: Results, part: int) -> None:
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone, failing(PYTHON)[part::2], FEW_IN_PYTHON)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(5))
def test_failing_programs_disturb_no_other(tmp_path: Path, scratch: Path, alone: Results, part: int) -> None:
    # A script of somebody's that anybody might execute, and no one else is to read.
    executable = tmp_path / "executable"
    executable.write_text(f"echo {SECRET} >&2\n")
    executable.chmod(0o755)
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone, failing(PROGRAMS)[part::5], FEW)


@pytest.mark.slow
def test_hostile_builds_disturb_no_bot(tmp_path: Path, scratch: Path, alone: Results) -> None:
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone, BUILDS, FEW)
    # Those of drivers that other tests kill meanwhile are no one's for a moment.
    assert wait_until(lambda: not confined_processes()), confined_processes()
