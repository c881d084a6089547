"""The charts of any contest against plain counts of the records, with three bots at a table."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contests.test_one_door import contest_folder
from tests.reporting.html_reader import read_html
from tournament.api import run
from tournament.config import load_config
from tournament.contests import rules_loader
from tournament.contests.contest import Contest
from tournament.contests.presentation import BarChart, LineChart
from tournament.records.results import Results, load
from tournament.reporting import replays
from tournament.reporting.distributions import charts
from tournament.reporting.findings import Findings, find
from tournament.reporting.layout import Layout
from tournament.reporting.page import render
from tournament.reporting.replays import best_session
from tournament.store.storage import open_storage

# Who names the highest number wins what the others named; the first one wins among equals.
NUMBERS = """
from tournament.rules import *

NAME = Decision("name", "Name a number.", observation={"luck": Int(0, 9, "a draw")}, answer=Int(0, 40, "the number"))


class Numbers(Rules):
    name = "numbers"
    seats = 3
    zero_sum = False
    decisions = (NAME,)
    columns = (
        Column("named", "int32", "the number named", per_seat=True),
        Column("even", "bool", "the draw was even"),
        Column("share", "float64", "the draw as a share"),
    )

    def play(self, session):
        for _ in range(2):
            luck = session.rng.randrange(10)
            named = [0, 0, 0]
            for seat in range(3):
                self.shown = f"{seat} names, luck {luck}"
                named[seat] = yield NAME(seat, luck=luck)
            best = named.index(max(named))
            points = [sum(named) if seat == best else 0 for seat in range(3)]
            session.record(points, named=named, even=luck % 2 == 0, share=luck / 10)

    def render(self):
        return self.shown
"""


@dataclass(frozen=True)
class Shown:
    """A tournament of four such bots, and the charts of each by title."""

    folder: Path
    contest: Contest
    results: Results
    findings: Findings
    drawn: Mapping[str, Mapping[str, Any]]


def find_numbers(folder: Path) -> tuple[Contest, Findings]:
    return find(str(folder / "results" / "numbers"), read_config=partial(load_config, path=folder / "tournament.toml"))


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("numbers")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        bots = contest_folder(folder, "numbers", NUMBERS, "sessions = 40")
        for place, text in enumerate(("view->luck", "3 * view->luck", "20", "40 - view->luck")):
            (bots / f"bot_{place}.c").write_text(f"int name(const View *view) {{ return (int)({text}); }}\n")
            if place > 1:  # the last one comes later: its matches are another batch
                run("numbers", executor="local", workers=1)
    contest, findings = find_numbers(folder)
    page, survey = Layout(contest, findings, live=False), findings.survey
    drawn = {
        name: {one.title: one for one in charts(contest, survey.scales, survey.sums, number, page.field_sums)}
        for number, name in enumerate(findings.entrants)
    }
    yield Shown(folder, contest, load(str(folder / "results" / "numbers")), findings, drawn)
    rules_loader.forget()


def test_declared_columns_are_counted_for_their_bot(shown: Shown) -> None:
    games, drawn = shown.results.games, shown.drawn
    assert [*drawn["bot_0"]] == ["Points by position", "Named", "Even", "Share", "Points"]
    for name, of_bot in drawn.items():
        at = {seat: games[games[f"bot_{seat}"] == name] for seat in range(3)}
        count = sum(map(len, at.values()))
        named = np.concatenate([rows[f"named_{seat}"] for seat, rows in at.items()])
        chart = of_bot["Named"]
        assert isinstance(chart, LineChart) and chart.axis == "named, from" and chart.labels[:3] == ["0", "5", "10"]
        known = [((named >= low) & (named < low + 5)).sum() / count for low in map(int, chart.labels)]
        assert chart.lines[1].values == pytest.approx(known)
        even = of_bot["Even"]
        assert isinstance(even, BarChart) and even.labels == ["no", "yes"]
        yes = sum(rows["even"].sum() for rows in at.values()) / count
        assert even.lines[1].values == pytest.approx([1 - yes, yes])
        position = of_bot["Points by position"]
        assert isinstance(position, BarChart)
        means = [rows[f"points_{seat}"].mean() for seat, rows in at.items()]
        assert position.lines[1].values == pytest.approx(means)
        assert position.lines[0].values == pytest.approx([games[f"points_{seat}"].mean() for seat in range(3)])
    everybody = np.concatenate([games[f"named_{seat}"] for seat in range(3)])
    field = drawn["bot_0"]["Named"]
    assert isinstance(field, LineChart)
    assert field.lines[0].values[0] == pytest.approx((everybody < 5).mean())


def test_points_over_sessions_of_three_seats_are_sums(shown: Shown) -> None:
    rows = shown.results.sessions
    for name, course in shown.findings.courses.by_name.items():
        own = [rows[rows[f"bot_{seat}"] == name] for seat in range(3)]
        points = np.concatenate([part[f"points_{seat}"] for seat, part in enumerate(own)])
        session = np.concatenate([part.session for part in own])
        assert course.points.sum() == pytest.approx(points.sum())
        assert course.points[16:].sum() == pytest.approx(points[session >= 20].sum())
        assert course.quarters() == pytest.approx((points[session < 10].mean(), points[session >= 30].mean()))
        assert course.sizes.sum() == sum(map(len, own))


def test_best_session_of_winner_is_replayed_first(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    findings, rows, batches = shown.findings, shown.results.sessions, shown.results.batches
    storage, best = open_storage(shown.results.location), {}
    assert len(batches) > 1
    for name in findings.entrants:
        match, session = best[name] = best_session(shown.contest, storage, batches, name) or (-1, -1)
        row = rows[(rows.match == match) & (rows.session == session)].iloc[0]
        most = max(rows.loc[rows[f"bot_{seat}"] == name, f"points_{seat}"].max() for seat in range(3))
        assert row[f"points_{[row.bot_0, row.bot_1, row.bot_2].index(name)}"] == most
    match, again = next(iter(findings.replayed.items()))
    assert (match, again.session) == best[findings.ranking.ranked[0].name]
    assert again.why == "the winner's best" and "names, luck" in again.pictures[0]
    page = read_html(render(shown.contest, findings))
    matches = json.loads(page.first("script", id="games-data").text)["matches"]
    assert [one["bots"] for one in matches] == [[*table.bots] for table in findings.replayed.values()]
    assert "the winner's best, with " in matches[0]["games"][0]["label"]
    monkeypatch.setattr(replays, "_MAX_SECONDS", -1.0)
    assert not find_numbers(shown.folder)[1].replayed


def test_page_of_bot_has_these_charts(shown: Shown) -> None:
    page = read_html(render(shown.contest, shown.findings))
    for name, of_bot in shown.drawn.items():
        titles = [figure.first("h4").text for figure in page.first("article", id=f"bot-{name}").all("figure")]
        assert titles == ["Points over sessions", *of_bot]
