"""Disks that are full or closed to writing: one line, exit 1, nothing lost, and on it goes once there is space."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.contest_runs import ContestDir, assert_games_are_the_standings, assert_same, call, make_contest, read_outcome

FULL = "tournament: the disk of {} is full; free some space and run again to continue\n"


def call_with_space(space: int, place: ContestDir) -> subprocess.CompletedProcess[str]:
    """Run the command where only this many bytes can be written."""
    setup = (
        f"from tests.disk_quota import limit\nlimit({space})\n"
        "from tournament.runner.tasks import TaskSize\n"
        "TaskSize.is_full = lambda *_: True  # a part for each leg, so that some fit\n"
    )
    return call(place.arguments(), setup)


def complaint(done: subprocess.CompletedProcess[str]) -> str:
    """What a failed run said, apart from what it was doing."""
    assert done.returncode == 1
    return "".join(line for line in done.stderr.splitlines(keepends=True) if not line.startswith("Compiling "))


@pytest.mark.parametrize("space", [1_000, 250_000])
def test_a_full_disk(tmp_path: Path, space: int) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"], sessions=400)
    done = call_with_space(space, place)
    assert complaint(done) == FULL.format(place.results)
    assert_games_are_the_standings(place.results)
    # At most the two parts of a commit that failed: the next writer finds out whether its entry was written.
    assert len(list((place.results / "staging").glob("*"))) in (0, 2)
    committed = {path.name: path.read_bytes() for path in (place.results / "games").iterdir()}
    assert committed or space < 250_000
    place.play()
    assert not list((place.results / "staging").glob("*"))
    for name, content in committed.items():
        assert (place.results / "games" / name).read_bytes() == content
    place.play(results=tmp_path / "undisturbed")
    assert_same(read_outcome(place.results), read_outcome(tmp_path / "undisturbed" / place.results.name))
