"""Contests of one's own are as the tutorial and docs/reference/contests.md have them: package, bots, tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from tests.docs.blocks import ROOT, files_of
from tournament import conformance
from tournament.api import run
from tournament.config import load_contests
from tournament.contests import rules_loader
from tournament.contests.rules_loader import Source

DOCS = ROOT / "docs"
FILES = files_of(DOCS / "tutorials" / "write_a_contest.md") | files_of(DOCS / "reference" / "contests.md")


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Path]:
    """A folder with the files of the page."""
    for name, code in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(code)
    yield tmp_path
    rules_loader.forget()


def test_the_page_leads_to_a_leaderboard(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(page)
    (page / "tournament.toml").write_text((page / "tournament.toml").read_text() + "[sandbox]\n")
    assert load_contests().chosen == ("take_away", "short_take_away")
    results = run("take_away", sessions=200, executor="local", workers=1, seed="a seed of the tests of pages")
    assert results.standings["name"].tolist() == ["leaves_four", "greedy"]
    games = pd.read_parquet("results/take_away/games")
    assert {"heap", "turns"} <= set(games.columns)
    assert games["heap"].between(4, 50).all()
    # Who leaves multiples of four wins whenever he meets another number.
    assert (games["points_0"][(games["bot_0"] == "leaves_four") & (games["heap"] % 4 != 0)] == 1).all()


def test_the_page_s_package_is_named_by_its_class(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(page)])
    assert 'py-modules = ["take_away"]' in FILES["pyproject.toml"]
    known = load_contests(page / "package" / "tournament.toml")
    assert known.find("take_away").source == Source("take_away", None, "TakeAway")
    del sys.modules["take_away"]


def test_the_page_s_own_tests_pass(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(page)
    suite = conformance.ContestSuite("take_away", page / "suite", sessions=20)
    assert (
        'conformance.ContestSuite("take_away", tmp_path_factory.mktemp("suite"), sessions=20)'
        in FILES["test_take_away.py"]
    )
    for check in (conformance.documented, conformance.records, conformance.conservation, conformance.faults):
        check(suite)
