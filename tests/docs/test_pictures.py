"""The pictures in docs/pictures show what commands print today. `make docs-pictures` makes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.tools import pictures
from tests.cli.in_process import shown


def letters(text: str) -> str:
    """A text without what breaks and pads its lines."""
    return "".join(text.split())


def in_picture(name: str) -> str:
    return letters("".join(pictures.lines_in((pictures.PICTURES / f"{name}.svg").read_text())))


def test_steps_are_as_commands_print_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures.few_bots(tmp_path)
    monkeypatch.chdir(tmp_path)
    for terminal in pictures.STEPS:
        today = shown(*terminal.words.split(), columns=terminal.columns).out.replace(f"{tmp_path}/", "")
        assert in_picture(terminal.name) == letters(today), terminal.words


def test_the_leaderboard_has_the_shipped_bots_and_today_s_columns() -> None:
    head, lines = pictures.table_in((pictures.PICTURES / "leaderboard.svg").read_text())
    assert sorted(line[1] for line in lines) == sorted(path.stem for path in pictures.SHIPPED.iterdir())
    assert head == pictures.table_in((pictures.PICTURES / "step_leaderboard.svg").read_text())[0]


@pytest.mark.thorough
def test_the_leaderboard_is_as_it_is_played_today(tmp_path: Path) -> None:
    assert pictures.lines_in(pictures.leaderboard(tmp_path)) == pictures.lines_in(
        (pictures.PICTURES / "leaderboard.svg").read_text()
    )
