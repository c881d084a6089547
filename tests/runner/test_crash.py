"""Runs that are killed or interrupted, and machines with little: records stay whole, and the next run heals them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

from tests.commands import shared
from tests.contest_runs import (
    CONTEST,
    ONE_LEG_A_TASK,
    SEEDS,
    assert_games_are_the_standings,
    assert_same,
    command_line,
    environment,
    make_contest,
    read_outcome,
)
from tests.processes import wait_until


def test_kills_at_steps_of_archiving_lose_no_record(tmp_path: Path) -> None:
    """Records of another seed are at any step whole, in their place or in the archive."""
    place = make_contest(tmp_path, ["bold", "calm"], sessions=10)
    place.play()
    seventh = read_outcome(place.results)
    before = tmp_path / "before"
    place.results.parent.rename(before)
    aside, other_seed = place.results.with_name(f"{CONTEST}-archive-1"), place.arguments("--seed", SEEDS[8])
    step, code = 0, -signal.SIGKILL
    while code:
        step += 13
        shutil.copytree(before, place.results.parent)
        ended = shared().run(other_seed, f"from tests.kill_steps import kill_at; kill_at({step})")
        assert ended.code in (0, -signal.SIGKILL), ended.said
        code = ended.code
        assert_same(read_outcome(aside if aside.exists() else place.results), seventh)
        assert shared().run(other_seed).code == 0
        assert_same(read_outcome(aside), seventh)
        assert_games_are_the_standings(place.results)
        assert not place.results.with_name(f"{CONTEST}-archive-2").exists()
        shutil.rmtree(place.results.parent)
    assert step > 9


def test_interrupted_run_keeps_commits_and_shows_how_to_continue(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"], 100, "replicas = 20", steps=60_000)
    arguments = command_line([*place.arguments(), "--workers", "2"], ONE_LEG_A_TASK)
    with subprocess.Popen(
        arguments, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert wait_until(lambda: list((place.results / "games").glob("*")), run=run)
        os.kill(run.pid, signal.SIGINT)
        _, said = run.communicate(timeout=60)
    complaints = "".join(line for line in said.splitlines(keepends=True) if not line.startswith("Compiling "))
    assert run.returncode == 130
    assert complaints == f"tournament: stopped; what was committed stays in {place.results}, run again to continue\n"
    assert_games_are_the_standings(place.results)
    assert list((place.results / "games").iterdir())
    assert not list((place.results / "staging").glob("*"))
