"""A small tournament of each contest, with hostile texts wherever a stranger can put one, and their pages."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.contest_runs import REPOSITORY, make_contest, make_shipped_contest
from tournament.api import run
from tournament.records.results import Results, load
from tournament.reporting.findings import Findings, find
from tournament.reporting.page import render

HOSTILE = "</script></pre><img src=x onerror=\"document.title='taken'\"><!-- {{ 7 * 7 }}"
# Can be part of a file's name.
HOSTILE_NAME = "<img src=x onerror=document.title='taken'>"
SEED = "seed of the tests of reports"
SHIPPED = {
    "two_card_draw": ("sample.cpp check_caller.c", "hands = 400\nservers = 3"),
    "holdem_training": ("threshold.cpp always_check.cpp", "hands = 300\nsessions = 2"),
}


@dataclass(frozen=True)
class Played:
    """A tournament's records, the report of them, and the page."""

    results: Results
    findings: Findings
    page: str


def played(location: Path) -> Played:
    contest, findings = find(str(location))
    return Played(load(str(location)), findings, render(contest, findings))


@pytest.fixture(scope="session")
def poker_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three bots, one that complains and dies, one that can't be compiled, and a file that can't be a bot."""
    place = make_contest(tmp_path_factory.mktemp("poker"), ("bold", "calm", "dull"), sessions=60)
    place.write_bot("torn", f"#error {HOSTILE}\n")
    place.write_bot(HOSTILE_NAME, "int a;\n")
    crook = place.entrants / "crook"
    crook.mkdir()
    (crook / "bot.toml").write_text('command = ["sh", "bot.sh"]\n')
    (crook / "bot.sh").write_text(f"read -r sessions\nread -r line\nprintf '%s' {shlex.quote(HOSTILE)} >&2\nexit 3\n")
    place.play()
    return place.results


@pytest.fixture(scope="session")
def dilemma(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Return a repeated game, of which sessions cross row groups."""
    folder = tmp_path_factory.mktemp("dilemma")
    shutil.copytree(
        REPOSITORY / "entrants" / "prisoners_dilemma", folder / "bots", ignore=shutil.ignore_patterns("*.py")
    )
    (folder / "tournament.toml").write_text(
        f'[dilemma]\nrules = "matrix_game"\nentrants = "bots"\nseed = "{SEED}"\nmoves = ["cooperate", "<b>defect"]\n'
        "payoffs = [[3, 0], [5, 1]]\nturns_per_game = 20\nsessions = 6\nnoise = 0.05\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.worker.batch.ROWS_PER_BUFFER", 77)
        run("dilemma", config=folder / "tournament.toml", executor="local", workers=1)
    return played(folder / "results" / "dilemma")


@pytest.fixture(scope="session")
def pages(poker_results: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Played]:
    """Return the records and the page of each contest."""
    folder = tmp_path_factory.mktemp("others")
    found = {"von_neumann_poker": played(poker_results)}
    for name, (bots, settings) in SHIPPED.items():
        config = make_shipped_contest(folder / name, name, bots, f'seed = "{SEED}"\n{settings}')
        run(name, config=config, executor="local", workers=1)
        found[name] = played(folder / name / "results" / name)
    return found
