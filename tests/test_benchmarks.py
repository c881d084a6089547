"""Every benchmark that a page names runs in small, or prints its help if it takes minutes."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys

import pytest

from tests.contest_runs import REPOSITORY, environment

# Some minutes of measuring are asked for their help alone.
HELP = ("benchmarks", "cluster", "environments", "holdem", "open_contest", "ranking")
SMALL = {
    "benchmarks.growth": ["4 --edits 2"],
    "benchmarks.tables": ["--rounds 1"],
    "benchmarks.versions": ["--tries 1 --replicas 2 --only auction"],
    "benchmarks.views": ["--help"],
}


@pytest.mark.slow
@pytest.mark.parametrize(("module", "words"), [(module, words) for module in SMALL for words in SMALL[module]])
def test_a_benchmark_runs(module: str, words: str) -> None:
    command = [sys.executable, "-m", module, *words.split()]
    done = subprocess.run(command, cwd=REPOSITORY, env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout, done.stderr


@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize("name", HELP)
def test_a_benchmark_of_minutes_says_what_it_measures(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmark", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("benchmarks" if name == "benchmarks" else f"benchmarks.{name}", run_name="__main__")
    assert not ended.value.code and "usage: " in capsys.readouterr().out


def test_every_benchmark_that_a_page_names_is_run() -> None:
    pages = [*REPOSITORY.glob("docs/**/*.md"), *REPOSITORY.glob("*.md"), REPOSITORY / "benchmarks" / "README.md"]
    named = {name for page in pages for name in re.findall(r"python -m (benchmarks[\w.]*\w)", page.read_text())}
    assert named and named <= {*SMALL, "benchmarks", *(f"benchmarks.{name}" for name in HELP)}
