"""Damage in any file, kills beside a raw reader, and few descriptors: records stay usable, and the next run heals."""

from __future__ import annotations

import random
import shutil
import threading
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from tests.contest_runs import (
    CONTEST,
    SEEDS,
    THRESHOLDS,
    ContestDir,
    Outcome,
    assert_games_are_the_standings,
    assert_same,
    bot_source,
    call,
    in_order,
    make_contest,
    read_outcome,
)
from tests.forks import shared
from tournament.api import verify
from tournament.records.results import load

BOTS = ["bold", "calm", "dull", "even"]
TWO_LEGS = "from tournament.runner.tasks import TaskSize\nTaskSize.is_full = lambda pace, inline, *legs: inline == 2\n"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    place = make_contest(tmp_path_factory.mktemp("played"), BOTS)
    assert call(place.arguments(), TWO_LEGS).returncode == 0
    assert len(list((place.results / "sessions").iterdir())) == 3
    return place


@pytest.fixture
def place(played: ContestDir, tmp_path: Path) -> ContestDir:
    return ContestDir(Path(shutil.copytree(played.folder, tmp_path / "here")))


@pytest.fixture(scope="module")
def expected(played: ContestDir) -> Outcome:
    return in_order(read_outcome(played.results))


def flip_in(place: ContestDir, what: str) -> Path:
    """Flip a bit in the middle of a file, or of the first file of a folder."""
    path = place.results / what
    path = sorted(path.iterdir())[0] if path.is_dir() else path
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("what", ["games", "history", "sessions", "contest.json"])
def test_a_flipped_bit_stops_no_command_and_the_next_run_heals_it(
    place: ContestDir, expected: Outcome, what: str
) -> None:
    """A part of games/ or history/ is named, and written again once it is removed."""
    path = flip_in(place, what)
    location = ["--results", str(place.results)]
    for arguments in (
        place.arguments("--dry-run"),
        ["leaderboard", CONTEST, *location],
        place.arguments("--progress", "json"),
        ["leaderboard", CONTEST, *location],
    ):
        done = call(arguments)
        assert done.returncode == 0, (arguments, done.stderr)
    problems = verify(CONTEST, config=place.config).problems
    if what in ("games", "history"):
        (problem,) = problems
        assert problem.path == str(path.relative_to(place.results)) and "remove it" in problem.fix
        path.unlink()
        assert call(place.arguments()).returncode == 0
        problems = verify(CONTEST, config=place.config).problems
    assert problems == ()
    assert_same(in_order(read_outcome(place.results)), expected)


@pytest.mark.parametrize("what", ["games", "sessions", "contest.json"])
def test_a_run_with_another_seed_archives_damaged_records(place: ContestDir, what: str) -> None:
    flip_in(place, what)
    for _ in range(2):
        done = call(place.arguments("--seed", SEEDS[8]))
        assert done.returncode == 0, done.stderr
    assert place.results.with_name(f"{CONTEST}-archive-1").exists()
    assert not place.results.with_name(f"{CONTEST}-archive-2").exists()
    assert_games_are_the_standings(place.results)


def test_sixteen_workers_need_few_descriptors(tmp_path: Path) -> None:
    """A task opens two parts, however many replicas its legs are of."""
    place = make_contest(tmp_path, ["bold", "calm"], sessions=3, settings="replicas = 300")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))\n"
    done = call([*place.arguments(), "--workers", "16"], limit)
    assert done.returncode == 0, done.stderr
    assert_games_are_the_standings(place.results)


@pytest.mark.slow
def test_a_raw_reader_beside_killed_edits_misses_no_row_and_sees_none_twice(place: ContestDir) -> None:
    """Three of five bots are edited in turn by runs that are killed. The reader wants all rows of the match of the two
    others, and no game twice."""
    for name in ("fair", "glad"):
        place.write_bot(name, bot_source(*THRESHOLDS[name]))
    server = shared()
    assert server.run(place.arguments(), TWO_LEGS).code == 0
    (mine,) = (match for match in load(str(place.results)).ranking.matches if {match.x, match.y} == {"even", "glad"})
    found: Counter[str] = Counter()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            try:
                raw = pd.read_parquet(place.results / "games", columns=["match", "session", "game"])
            except FileNotFoundError:  # a part was removed after the reader had listed it
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
            setup = f"{TWO_LEGS}from tests.kill_steps import kill_at; kill_at({chance.randrange(1, 90)})\n"
            ended = server.run(place.arguments(), setup)
            assert ended.code in (0, -9), ended.said
            if number % 5 == 4:
                assert server.run(place.arguments(), TWO_LEGS).code == 0
    finally:
        stop.set()
        reader.join()
    assert found.total() == found["fine"] > 5, found
    assert call(place.arguments()).returncode == 0
    assert_games_are_the_standings(place.results)
