"""A run of many contests finds out what is wrong with any before it plays the first."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from tests.cli.in_process import Shown, run_cli
from tests.contest_runs import REPOSITORY, ContestDir, make_contest


def two_contests(folder: Path) -> ContestDir:
    """Return two contests that can be played."""
    place = make_contest(folder, ["bold", "calm"], sessions=10)
    (folder / "draw").mkdir()
    shutil.copy(REPOSITORY / "entrants" / "two_card_draw" / "check_caller.c", folder / "draw")
    with place.config.open("a") as config:
        config.write('[two_card_draw]\nentrants = "draw"\nservers = 1\nhands = 40\n')
    return place


@pytest.fixture(scope="module")
def once_played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = two_contests(tmp_path_factory.mktemp("once") / "played")
    assert play(place).code == 0
    return place.folder


@pytest.fixture
def played(once_played: Path, tmp_path: Path) -> ContestDir:
    """Two contests that have been played."""
    shutil.copytree(once_played, tmp_path, dirs_exist_ok=True)
    return ContestDir(tmp_path)


def play(place: ContestDir) -> Shown:
    return run_cli("run", "--config", str(place.config), "--executor", "local", columns=500)


def put_records_of_an_earlier_version(place: ContestDir) -> None:
    (draw(place) / "contest.json").unlink()
    (draw(place) / "ledger").mkdir()
    (draw(place) / "ledger" / "00000001.json").write_text("{")


def put_a_file_in_the_way(place: ContestDir) -> None:
    shutil.rmtree(draw(place))
    draw(place).write_text("")


def lock(place: ContestDir) -> None:
    holding.append(open(draw(place) / "writer", "rb"))
    fcntl.flock(holding[-1], fcntl.LOCK_EX)


holding: list[IO[bytes]] = []


def draw(place: ContestDir) -> Path:
    return place.results.with_name("two_card_draw")


WRONG: dict[str, tuple[Callable[[ContestDir], object], str]] = {
    "a setting": (lambda p: p.config.write_text(p.config.read_text() + "hands = 3\n"), "this key is there twice"),
    "no entrants": (lambda p: shutil.rmtree(p.folder / "draw"), "does not exist"),
    "none that plays": (
        lambda p: (p.folder / "draw" / "check_caller.c").write_text("int"),
        "needs a bot that can play",
    ),
    "strategy_dir": (lambda p: p.config.write_text(p.config.read_text() + 'strategy_dir = "none"\n'), "none"),
    "the records": (put_records_of_an_earlier_version, "has records of an earlier version"),
    "the seed": (lambda p: shutil.rmtree(draw(p) / "secret"), "the seed of these records"),
    "another run": (lock, "is being written by"),
    "a file in the way": (put_a_file_in_the_way, "can't write to"),
}


@pytest.mark.parametrize("name", WRONG)
def test_error_in_second_contest_precedes_play_of_first(played: ContestDir, name: str) -> None:
    spoil, text = WRONG[name]
    shutil.rmtree(played.results)
    spoil(played)
    ended = play(played)
    while holding:
        holding.pop().close()
    assert ended.code in (1, 2), ended
    assert text in ended.err
    assert not played.results.exists()
