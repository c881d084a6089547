"""kill -9 at every step of storing, and at random times: nothing is doubled, and another run ends as if undisturbed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
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
    assert_parts_are_in_order,
    assert_same,
    bot_source,
    call,
    command_line,
    environment,
    in_order,
    new_place,
    outcome,
)
from tests.forks import Forks, shared
from tests.processes import comes
from tests.runner.test_replicas import place_of_neighbours, records, until_settled


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
def test_kills_at_steps_of_a_run_after_an_edit(server: CrashServer, tmp_path: Path, stride: int) -> None:
    """The edited bot has matches inside of a part, which is rewritten."""
    place = new_place(tmp_path, ["bold", "calm", "dull", "even"], sessions=10)
    played_as_batches(place, 1)
    before = tmp_path / "before" / place.results.name
    shutil.copytree(place.results, before)
    place.write_bot("calm", bot_source(9, 8))
    server.run(place.arguments())
    assert_parts_are_in_order(place.results)
    assert sweep(server, place, before, place.results, 2 * stride - 1, start=1) > 60


@pytest.mark.slow
def test_a_kill_while_small_parts_are_put_together(server: CrashServer, tmp_path: Path) -> None:
    """The last steps of a run after an edit."""
    place = new_place(tmp_path, ["bold", "calm", "dull", "even", "fair", "glad"], sessions=10)
    played_as_batches(place, 15)
    before = tmp_path / "before" / place.results.name
    shutil.copytree(place.results, before)
    place.write_bot("dull", bot_source(9, 8))
    server.run(place.arguments())
    assert len(list((place.results / "games").iterdir())) == 1
    shutil.copytree(before, tmp_path / "counted" / place.results.name)
    steps = server.run(place.arguments("--results", str(tmp_path / "counted")))
    assert_in_schedule_order(place.results)
    assert (
        sweep(server, place, before, place.results, stride=23, start=steps - 60) > steps - 23
    )  # some steps hang on time


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


def played_as_batches(place: Place, count: int) -> None:
    """As one batch, or of a leg each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda pace, *legs: count > 1)
        place.play()
    assert len(list((place.results / "games").iterdir())) == count


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


def test_kills_between_rounds_until_the_order_is_settled(server: CrashServer, tmp_path: Path) -> None:
    """Where a round was committed whole and the next one is to begin, at each of them: the same rounds follow."""
    place, undisturbed = (place_of_neighbours(tmp_path / name) for name in ("killed", "undisturbed"))
    said = [text for text in until_settled(undisturbed, 10).said if "neighbours" in text]
    assert len(said) >= 3
    place.config.write_text(undisturbed.config.read_text())
    # Who goes on says again what the round to be played follows from, and dies of what is said next.
    for at in (1, *[2] * (len(said) - 2)):
        dies = (
            "import os, signal\nfrom tournament.cli import screen\nsay, told = screen.Screen.say, []\n"
            "def dying(self, text):\n    say(self, text)\n    told.extend(['neighbours'] * ('neighbours' in text))\n"
            f"    if len(told) == {at}: os.kill(os.getpid(), signal.SIGKILL)\nscreen.Screen.say = dying\n"
        )
        ended = server.forks.run(place.arguments(), dies)
        assert ended.code == -signal.SIGKILL, ended.said
        assert_games_are_the_standings(place.results)
    assert [text for text in until_settled(place, 10).said if "neighbours" in text] == said[-2:]
    pd.testing.assert_frame_equal(records(place), records(undisturbed))
    assert outcome(place.results).leaderboard == outcome(undisturbed.results).leaderboard


@pytest.mark.slow
def test_kills_at_random_times_with_two_workers(tmp_path: Path) -> None:
    place = new_place(tmp_path, ["bold", "calm", "dull", "even", "fair", "glad"], sessions=10_000)
    undisturbed = tmp_path / "undisturbed"
    place.play(workers=2, results=undisturbed)
    expected = outcome(undisturbed / place.results.name)
    whole = expected.games["match"].value_counts()
    chance = random.Random(8)
    arguments = command_line([*place.arguments(), "--workers", "2"])
    seen = 0
    for _ in range(2):
        with subprocess.Popen(arguments, env=environment(), stderr=subprocess.DEVNULL, stdout=subprocess.PIPE) as run:
            before = entries(place)
            end = float("inf")
            while time.monotonic() < end and run.poll() is None:
                if end == float("inf") and entries(place) > before + 1:  # the machine may be slow to start
                    end = time.monotonic() + chance.uniform(0, 0.4)
                found = readable(place.results / "games")
                if found is not None:  # each match as it will be in the end, and all of it
                    counts = found["match"].value_counts()
                    assert (counts == whole[counts.index]).all()
                    seen += 1
                time.sleep(0.1)
            with suppress(ProcessLookupError):
                os.kill(run.pid, signal.SIGKILL)
        assert_games_are_the_standings(place.results)
    assert seen
    call(place.arguments("--workers", "2"))
    assert_same(outcome(place.results), expected)
    assert_in_schedule_order(place.results)


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
