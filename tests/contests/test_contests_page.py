"""Contests of one's own are as the tutorial and docs/reference/contests.md have them: package, bots, tests."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from engine.rules.decisions import LEGAL_ACTIONS
from tests.contests.test_installed import install
from tests.docs.blocks import ROOT, files_of
from tests.example_contest import EXAMPLE, forget_packages
from tests.python_rules import play_field
from tournament import conformance
from tournament.api import run
from tournament.config import load_contests
from tournament.contests import find_contest, rules_file
from tournament.trial.check import contest_of

DOCS = ROOT / "docs"
FILES = files_of(DOCS / "tutorials" / "write_a_contest.md") | files_of(DOCS / "reference" / "contests.md")


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Path]:
    """A folder with the files of the page."""
    for name, code in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(code)
    yield tmp_path
    rules_file.forget()


@pytest.fixture
def package(page: Path) -> Iterator[Path]:
    """The same with the page's package installed, and no settings."""
    site = page / "site"
    site.mkdir()
    (page / "tournament.toml").unlink()
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    ((contest, value),) = project["entry-points"]["tournament.contests"].items()
    module, _, attribute = value.partition(":")
    install(site, project["name"], contest, f"from {module} import {attribute}\n", attribute, project["version"])
    sys.path += [str(site), str(page)]
    forget_packages()
    yield page
    sys.path.remove(str(site))
    sys.path.remove(str(page))
    for name in ("take_away", "brought_take-away", "test_take_away"):
        sys.modules.pop(name, None)
    forget_packages()


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
    wins = games["y_points"].where(games["x_is_first"], games["y_points"])
    assert (wins[~games["x_is_first"] & (games["heap"] % 4 != 0)] == 1).all()


def test_a_bot_s_folder_says_its_contest_without_a_settings_file(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(package)
    assert contest_of(Path("entrants/take_away/greedy.c"), load_contests()) == "take_away"


def test_the_page_s_own_tests_pass(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(page)
    trial = conformance.Trial("take_away", page / "trial", sessions=20)
    assert 'conformance.Trial("take_away", tmp_path_factory.mktemp("trial"), sessions=20)' in FILES["test_take_away.py"]
    for rule in (conformance.documented, conformance.records, conformance.conservation, conformance.faults):
        rule(trial)


def test_the_page_s_bot_for_openspiel_plays() -> None:
    code = FILES["open_spiel/entrants/leduc/raises.py"]
    bots = {"a": (".py", code), "b": (".c", f"int act(const Bot *bot) {{ return bot->{LEGAL_ACTIONS}[0]; }}\n")}
    ((result, _),) = play_field(find_contest("open_spiel"), bots, sessions=20, open_spiel="leduc_poker").values()
    assert (result.faults, result.games) == ((), 20)


def test_the_example_s_rules_take_seventy_lines_at_most() -> None:
    rules = (EXAMPLE / "liars_dice.py").read_text().split("\n\n\n# Where a face has its eyes")[0]
    assert len(rules.splitlines()) <= 70
