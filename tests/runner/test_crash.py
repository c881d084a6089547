"""kill -9 at every step of storing, and at random times: nothing is doubled, and another run ends as if undisturbed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from tests.contest_runs import (
    CONTEST,
    SEEDS,
    Place,
    assert_games_are_the_standings,
    assert_in_schedule_order,
    assert_same,
    command_line,
    environment,
    in_order,
    new_place,
    outcome,
)
from tests.forks import Forks, shared
from tests.processes import comes


@dataclass(frozen=True)
class CrashServer:
    """Runs the command in forks, see kill_steps.py."""

    forks: Forks
    steps: Path

    def run(self, arguments: Sequence[str], step: int = 0) -> int:
        """Run the command, killed at a step; the number of steps that it took when it came to its end, else 0."""
        self.steps.unlink(missing_ok=True)
        setup = (
            f"from pathlib import Path\nfrom tests.kill_steps import kill_at, steps_taken\nkill_at({step})\n"
            f"def after(): Path({str(self.steps)!r}).write_text(str(steps_taken()))\n"
        )
        ended = self.forks.run(arguments, setup)
        assert ended.code in (0, -signal.SIGKILL), ended.said
        return int(self.steps.read_text()) if self.steps.exists() else 0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> CrashServer:
    return CrashServer(shared(), tmp_path_factory.mktemp("forks") / "steps")


# The whole of a sweep takes minutes.
stride = pytest.mark.parametrize("stride", [13, pytest.param(1, marks=pytest.mark.thorough)])


def sweep(
    server: CrashServer,
    place: Place,
    before: Path | None,
    undisturbed: Path,
    stride: int,
    start: int = 0,
) -> int:
    """Kill a run at every so manieth of its steps, from the records in `before` on. Returns how many there were."""
    results = place.folder / "killed"
    expected = in_order(outcome(undisturbed))
    step = start
    finished = 0
    while not finished:
        step += stride
        shutil.rmtree(results, ignore_errors=True)
        if before:
            shutil.copytree(before, results / before.name)
        arguments = place.arguments("--results", str(results))
        finished = server.run(arguments, step)
        killed = results / undisturbed.name
        assert_games_are_the_standings(killed)
        server.run(arguments)
        assert_same(in_order(outcome(killed)), expected)
        assert_games_are_the_standings(killed)
        if not before:
            assert_in_schedule_order(killed)
        assert not list((killed / "staging").glob("*"))
    return step


@stride
def test_kills_at_steps_of_a_run(server: CrashServer, tmp_path: Path, stride: int) -> None:
    """Of one match; with more of them the last steps come again."""
    place = new_place(tmp_path, ["bold", "calm"], sessions=10)
    server.run(place.arguments())
    assert_in_schedule_order(place.results)
    assert sweep(server, place, None, place.results, stride) > 40


@stride
def test_kills_at_steps_of_archiving(server: CrashServer, tmp_path: Path, stride: int) -> None:
    """Records are put aside for those of another seed: at no step are they lost, and what is there is played on."""
    place = new_place(tmp_path, ["bold", "calm"], sessions=10)
    server.run(place.arguments())
    seventh = outcome(place.results)
    before = tmp_path / "before"
    place.results.parent.rename(before)
    step, finished = 0, 0
    while not finished:
        step += stride
        shutil.copytree(before, place.results.parent)
        finished = server.run(place.arguments("--seed", SEEDS[8]), step)
        committed = any((place.results / "ledger").glob("*.json"))
        aside = place.results.with_name(f"{CONTEST}-archive-1")
        server.run(place.arguments())
        assert_same(outcome(place.results), seventh)
        assert not aside.exists() or committed or not place.results.with_name(f"{CONTEST}-archive-2").exists()
        shutil.rmtree(place.results.parent)
    assert step > 9


def entries(place: Place) -> int:
    return len(list((place.results / "ledger").glob("*.json")))


def readable(games: Path) -> pd.DataFrame | None:
    """What a reader finds during a run, if anything yet. Again if parts that it saw were put together meanwhile."""
    for last_try in (False, False, True):
        try:
            return pd.read_parquet(games) if games.exists() and any(games.iterdir()) else None
        except FileNotFoundError:
            if last_try:
                raise
    return None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupting_keeps_what_is_committed_and_says_so(tmp_path: Path, number: int) -> None:
    place = new_place(tmp_path, ["bold", "calm", "dull", "even", "fair", "glad"], sessions=100_000)
    arguments = command_line([*place.arguments(), "--workers", "2"])
    with subprocess.Popen(
        arguments, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert comes(lambda: list((place.results / "games").glob("*")), run=run)
        os.kill(run.pid, number)
        _, said = run.communicate(timeout=60)
    complaints = "".join(line for line in said.splitlines(keepends=True) if not line.startswith("Compiling "))
    assert run.returncode == 130
    assert complaints == f"tournament: stopped; what was committed stays in {place.results}, run again to go on\n"
    assert_games_are_the_standings(place.results)
    assert list((place.results / "games").iterdir())
    assert not list((place.results / "staging").glob("*"))
