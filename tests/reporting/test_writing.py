"""Reports are written to files, unless something is in the way, also while records change."""

from __future__ import annotations

import csv
import os
import stat
from pathlib import Path

import pytest

from tests.commands import run_cli
from tests.reporting.html_reader import read_html
from tournament.errors import InputError
from tournament.records.results import load
from tournament.reporting.writing import check_replaceable, write_report

PAGE = '<html><meta name="generator" content="tournament report">'


def test_report_replaces_only_reports(tmp_path: Path) -> None:
    path = tmp_path / "bot.c"
    path.write_text("int a;")
    with pytest.raises(InputError, match="isn't a report; name another file with -o"):
        check_replaceable(path)
    with pytest.raises(InputError, match="isn't a report"):
        write_report(path, PAGE)
    assert path.read_text() == "int a;"
    path.write_text("")
    write_report(path, PAGE)
    write_report(path, PAGE + "2")
    assert path.read_text() == PAGE + "2"
    assert [one.name for one in tmp_path.iterdir()] == ["bot.c"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_report_writes_page_for_each_author(poker_results: Path, tmp_path: Path) -> None:
    folder = tmp_path / "authors"
    for _ in range(2):  # reports are replaced
        told = run_cli("report", "von_neumann_poker", "--results", str(poker_results.parent), "--folder", str(folder))
        assert (told.code, told.err) == (0, "") and "6 pages, one for the author of each bot" in told.out
    ranking = load(str(poker_results)).ranking
    names = [line.name for line in ranking.entrants]
    with (folder / "crosstable.csv").open() as file:
        pairs = {(row["bot"], row["opponent"]) for row in csv.DictReader(file) if int(row["sessions"])}
    assert pairs == {(side.x, side.y) for side in ranking.sides if side.sessions}
    with (folder / "leaderboard.csv").open() as file:
        assert [row["name"] for row in csv.DictReader(file)] == names
    kickers = [read_html(path.read_text()).first("p", class_="kicker").text for path in folder.glob("*.html")]
    assert sorted(kickers) == sorted(f"Tournament report, for the author of {name}" for name in names)
