"""Hostile programs: one folder each in programs/, and in builds/ those whose build is the attack."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.field import GOOD, SECRET, Ground, assert_they_fare_as_said, bots_in, confined_processes, verdict_of
from tests.processes import wait_until
from tournament.records.results import Results

BOTS = bots_in("programs")
REFUSED = [bot for bot in BOTS if verdict_of(bot).statuses == ["ok"]]
FAILING = [bot for bot in BOTS if bot not in REFUSED]
BUILDS = bots_in("builds")
# Small fields: what bots do to each other grows with the square of a field.
PARTS = 6
FEW = {name: GOOD[name] for name in ("steady.c", "plain")}


@pytest.mark.parametrize("part", range(3))
def test_refused_attacks_leave_bots_playing(tmp_path: Path, scratch: Path, alone: Results, part: int) -> None:
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone, REFUSED[part::3], FEW)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_failing_bots_disturb_no_other(tmp_path: Path, scratch: Path, alone: Results, part: int) -> None:
    # A script of somebody's that anybody might execute, and no one else is to read.
    executable = tmp_path / "executable"
    executable.write_text(f"echo {SECRET} >&2\n")
    executable.chmod(0o755)
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone, FAILING[part::PARTS], FEW)


@pytest.mark.slow
def test_hostile_builds_disturb_no_bot(tmp_path: Path, scratch: Path, alone: Results) -> None:
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone, BUILDS, FEW)
    # Those of drivers that other tests kill meanwhile are no one's for a moment.
    assert wait_until(lambda: not confined_processes()), confined_processes()
