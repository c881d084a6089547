"""A run of many contests finds out what is wrong with any before it plays the first."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import run_cli
from tests.contest_runs import REPOSITORY, ContestDir, make_contest


def put_a_file_in_the_way(place: ContestDir) -> None:
    shutil.rmtree(draw(place))
    draw(place).write_text("")


def draw(place: ContestDir) -> Path:
    return place.results.with_name("two_card_draw")


WRONG: dict[str, tuple[Callable[[ContestDir], object], str]] = {
    "a setting": (lambda p: p.config.write_text(p.config.read_text() + "hands = 3\n"), "this key is there twice"),
    "no bot that plays": (lambda p: (p.folder / "draw" / "check_caller.c").write_text("int"), "needs a bot that can"),
    "the seed": (lambda p: shutil.rmtree(draw(p) / "secret"), "the seed of these records"),
    "a file in the way": (put_a_file_in_the_way, "can't write to"),
}


@pytest.mark.parametrize("name", WRONG)
def test_error_in_second_contest_precedes_play_of_first(name: str, tmp_path: Path) -> None:
    spoil, text = WRONG[name]
    place = make_contest(tmp_path, ["bold", "calm"], sessions=10)
    (tmp_path / "draw").mkdir()
    shutil.copy(REPOSITORY / "entrants" / "two_card_draw" / "check_caller.c", tmp_path / "draw")
    with place.config.open("a") as config:
        config.write('[two_card_draw]\nentrants = "draw"\nservers = 1\nhands = 40\n')
    words = ["run", "--config", str(place.config), "--executor", "local"]
    assert run_cli(*words).code == 0
    shutil.rmtree(place.results)
    spoil(place)
    ended = run_cli(*words, columns=500)
    assert ended.code in (1, 2) and text in ended.err, ended
    assert not place.results.exists()
