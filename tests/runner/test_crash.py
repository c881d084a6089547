"""kill -9 at every step of storing, and at random times: nothing is doubled, and another run ends as if undisturbed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

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
from tests.forks import Forks, shared
from tests.processes import wait_until


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


@stride
def test_kills_at_steps_of_archiving_lose_no_record(server: CrashServer, tmp_path: Path, stride: int) -> None:
    """Records of another seed are at any step whole, in their place or in the archive."""
    place = make_contest(tmp_path, ["bold", "calm"], sessions=10)
    server.run(place.arguments())
    seventh = read_outcome(place.results)
    before = tmp_path / "before"
    place.results.parent.rename(before)
    aside = place.results.with_name(f"{CONTEST}-archive-1")
    step, finished = 0, 0
    while not finished:
        step += stride
        shutil.copytree(before, place.results.parent)
        finished = server.run(place.arguments("--seed", SEEDS[8]), step)
        assert_same(read_outcome(aside if aside.exists() else place.results), seventh)
        server.run(place.arguments("--seed", SEEDS[8]))
        assert_same(read_outcome(aside), seventh)
        assert_games_are_the_standings(place.results)
        assert not place.results.with_name(f"{CONTEST}-archive-2").exists()
        shutil.rmtree(place.results.parent)
    assert step > 9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupting_keeps_what_is_committed_and_says_so(tmp_path: Path, number: int) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"], 100, "replicas = 20", steps=60_000)
    arguments = command_line([*place.arguments(), "--workers", "2"], ONE_LEG_A_TASK)
    with subprocess.Popen(
        arguments, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as run:
        assert wait_until(lambda: list((place.results / "games").glob("*")), run=run)
        os.kill(run.pid, number)
        _, said = run.communicate(timeout=60)
    complaints = "".join(line for line in said.splitlines(keepends=True) if not line.startswith("Compiling "))
    assert run.returncode == 130
    assert complaints == f"tournament: stopped; what was committed stays in {place.results}, run again to continue\n"
    assert_games_are_the_standings(place.results)
    assert list((place.results / "games").iterdir())
    assert not list((place.results / "staging").glob("*"))
