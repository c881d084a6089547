"""Runs that are killed or interrupted, and machines with little: records stay whole, and the next run heals them."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import threading
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from tests.commands import shared
from tests.contest_runs import (
    CONTEST,
    ONE_LEG_A_TASK,
    SEEDS,
    THRESHOLDS,
    assert_games_are_the_standings,
    assert_same,
    bot_source,
    call,
    command_line,
    environment,
    make_contest,
    read_outcome,
)
from tests.processes import wait_until
from tournament.records.results import load

TWO_LEGS = "from tournament.runner.tasks import TaskSize\nTaskSize.is_full = lambda pace, inline, *legs: inline == 2\n"


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


@pytest.mark.slow
def test_raw_reader_beside_killed_edits_sees_every_row_once(tmp_path: Path) -> None:
    """Four of six bots are edited by runs that are killed. The reader wants all rows of the match of the two others."""
    place = make_contest(tmp_path, [*THRESHOLDS])
    server = shared()
    assert server.run(place.arguments(), TWO_LEGS).code == 0
    (mine,) = (match for match in load(str(place.results)).ranking.matches if {match.x, match.y} == {"even", "glad"})
    found: Counter[str] = Counter()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            try:
                raw = pd.read_parquet(place.results / "games", columns=["match", "session", "game"])
            except FileNotFoundError:  # The run removed a part after the reader had listed it.
                continue
            count = int((raw["match"] == mine.match).sum())
            found["doubled" if raw.duplicated().any() else "fine" if count == mine.games else f"only {count}"] += 1

    chance = random.Random(5)
    reader = threading.Thread(target=read)
    reader.start()
    try:
        for number in range(5):
            name = ("bold", "calm", "dull", "fair")[number % 4]
            place.write_bot(name, bot_source(chance.randrange(1, 9), chance.randrange(1, 9), str(number)))
            kill = f"from tests.kill_steps import kill_at; kill_at({chance.randrange(1, 90)})\n"
            assert server.run(place.arguments(), TWO_LEGS + kill).code in (0, -signal.SIGKILL)
    finally:
        stop.set()
        reader.join()
    assert found.total() == found["fine"] > 5, found
    assert call(place.arguments()).code == 0
    assert_games_are_the_standings(place.results)
