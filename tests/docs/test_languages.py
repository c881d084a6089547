"""The bots of the page on languages play at default settings, wherever their languages are installed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tournament.config import load_config
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.runner.watcher import NobodyWatching
from tournament.trial.check import check_bot

PAGE = (Path(__file__).parents[2] / "docs" / "how_to" / "languages.md").read_text()
FILES = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |^Where to go on)", PAGE, re.MULTILINE | re.DOTALL))
NEEDED = {"Node": "node", "Java": "javac", "Go": "go", "Rust": "rustc", "Perl": "perl", "awk": "mawk"}


def test_all_are_tried() -> None:
    assert FILES.keys() == NEEDED.keys()


@pytest.mark.parametrize("language", NEEDED)
def test_it_plays(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which(NEEDED[language], path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip(f"{language} is not installed")
    folder = tmp_path / language.lower()
    folder.mkdir()
    for name, content in re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", FILES[language], re.DOTALL):
        (folder / name).write_text(content)
    monkeypatch.setattr("tournament.trial.playing.SESSIONS", 3)
    monkeypatch.chdir(tmp_path)
    config = load_config(VON_NEUMANN_POKER.name)
    report = check_bot(VON_NEUMANN_POKER, config.contest, config.sandbox, folder, NobodyWatching())
    assert report.fit, (report.problem, report.faults)
