"""`tournament init` and `--version`: what a new folder holds, and what is never touched."""

from __future__ import annotations

import filecmp
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from tests.built_in import SHIPPED
from tests.cli.test_cli import ROOT
from tests.commands import command
from tests.contest_runs import environment
from tournament.config import GeneralSettings, load_config
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.starter.own_rules import SHAPES
from tournament.starter.settings_file import settings_text

NAMES = [contest.name for contest in SHIPPED]


def files_in(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder by its relative path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_init_writes_settings_bots_and_results_folder(tmp_path: Path) -> None:
    made = command(tmp_path, "init", "my_contest")
    assert made.code == 0, made.err
    assert "cd my_contest && tournament run von_neumann_poker" in made.out
    folder = tmp_path / "my_contest"
    assert sorted(path.name for path in folder.iterdir()) == ["entrants", "results", "tournament.toml"]
    for name in NAMES:
        compared = filecmp.dircmp(ROOT / "entrants" / name, folder / "entrants" / name, ignore=["__pycache__"])
        assert not compared.left_only and not compared.right_only and not compared.diff_files
        assert load_config(name, folder / "tournament.toml").entrants == folder / "entrants" / name
    assert (folder / "results" / "README.md").read_bytes() == (ROOT / "results" / "README.md").read_bytes()


@pytest.mark.parametrize("taken", ["tournament.toml", f"entrants/{NAMES[0]}"])
@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_init_overwrites_nothing(tmp_path: Path, taken: str, kind: str) -> None:
    path = tmp_path / taken
    path.parent.mkdir(exist_ok=True)
    if kind == "file":
        path.write_text("mine")
    else:
        path.symlink_to(tmp_path / "nowhere")
    before = files_in(tmp_path)
    told = command(tmp_path, "init", ".", columns=300)
    assert told.code == 2 and f"{taken} is " in told.err
    assert files_in(tmp_path) == before and not (tmp_path / "nowhere").exists()


def test_settings_file_has_every_key_at_its_default(tmp_path: Path) -> None:
    """Keys keep their defaults if every # before them is removed."""
    text = settings_text(SHIPPED)
    plain, bare = tmp_path / "plain.toml", tmp_path / "bare.toml"
    plain.write_text(text)
    bare.write_text(re.sub(r"^#(\w+ = )", r"\1", text, flags=re.MULTILINE))
    for path in (plain, bare):
        for contest in SHIPPED:
            config = load_config(contest.name, path)
            defaults = contest.settings.model_validate(contest.preset)
            chosen = {"seed": config.contest.seed, "entrants": config.contest.entrants}
            assert config.contest == defaults.model_copy(update=chosen)
            assert (config.general, config.sandbox) == (GeneralSettings(), SandboxSettings())
    models: list[type[BaseModel]] = [GeneralSettings, SandboxSettings, *[contest.settings for contest in SHIPPED]]
    for model in models:
        for name, field in model.model_fields.items():
            assert field.description
            assert re.search(rf"^#?{name} =", text, re.MULTILINE)


@pytest.mark.parametrize(
    "shape", [pytest.param(shape, marks=[pytest.mark.thorough] * (shape != "turns")) for shape in SHAPES]
)
def test_init_rules_writes_bots_settings_and_test(tmp_path: Path, shape: str) -> None:
    made = command(tmp_path, "init", "mine", "--rules", "sealed_bid", "--shape", shape)
    assert made.code == 0, made.err
    folder = tmp_path / "mine"
    bots = {path.name for path in (folder / "entrants" / "sealed_bid").iterdir()}
    assert {"in_c.c", "in_python.py", "in_program_python"} <= bots
    played = command(folder, "run", "--sessions", "4", "--strict")
    assert played.code == 0, played.err
    first, *others = re.findall(r"^(?:[\d=]+) │ (\w+)", played.out, re.MULTILINE)
    assert first in ("counts", "bids_half", "dares") and {*others} >= {"in_c", "in_python"}  # there is a difference
    sessions = tomllib.loads((folder / "tournament.toml").read_text())["sealed_bid"]["sessions"]
    assert sessions <= 50  # a first run takes seconds
    before = files_in(folder)
    again = command(tmp_path, "init", "mine", "--rules", "sealed_bid")
    assert again.code == 2 and "there already" in again.err and files_in(folder) == before
    assert "my_game" not in (folder / "test_sealed_bid.py").read_text() + (folder / "sealed_bid.py").read_text()
    if shape != "turns":  # Conformance takes a minute.
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_sealed_bid.py"]
        found = subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True)
        assert found.returncode == 0, found.stdout
