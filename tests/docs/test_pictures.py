"""The pictures in docs/pictures show what commands print today. `make docs-pictures` makes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.tools import pictures
from tests.cli.in_process import run_cli


def letters(text: str) -> str:
    """Return a text without what breaks and pads its lines."""
    return "".join(text.split())


def in_picture(name: str) -> str:
    return letters("".join(pictures.lines_in((pictures.PICTURES / f"{name}.svg").read_text())))


def test_steps_are_as_commands_print_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures.few_bots(tmp_path)
    monkeypatch.chdir(tmp_path)
    for terminal in pictures.STEPS:
        today = run_cli(*terminal.words.split(), columns=terminal.columns).out.replace(f"{tmp_path}/", "")
        assert in_picture(terminal.name) == letters(today), terminal.words
