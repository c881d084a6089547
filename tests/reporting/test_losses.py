"""Where a bot loses to one opponent, from the records of their match alone."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd
import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.cli.in_process import run_cli
from tests.contest_runs import CONTEST, REPOSITORY, SEEDS, make_contest
from tests.contests.test_one_door import contest_folder
from tests.reporting.html_reader import read_html
from tournament.api import run
from tournament.config import load_config
from tournament.contests import rules_loader
from tournament.contests.presentation import LineChart
from tournament.records.results import load
from tournament.reporting.losses import losses_to


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = make_contest(tmp_path_factory.mktemp("losses"), ["bold", "calm", "dull"], sessions=600)
    place.play()
    return str(place.results)


def as_bold(results: str, opponent: str) -> pd.DataFrame:
    """The games of bold's match, as bold saw them. It is x."""
    found = load(results)
    (number,) = {one.match for one in found.ranking.matches if (one.x, one.y) == ("bold", opponent)}
    games: pd.DataFrame = found.games[found.games.match == number].copy()
    games["won"] = games.a_gain.where(games.seat_0_is_a, -games.a_gain).astype(float)
    return games


def test_seats_and_kinds_are_sums_over_the_games_of_the_match(results: str) -> None:
    games = as_bold(results, "dull")
    told = losses_to(VON_NEUMANN_POKER, load(results), "bold", "dull")
    for seat, is_a in (("as A", True), ("as B", False)):
        (line,) = [one for one in told.seats if one.seat == seat]
        own = games[games.seat_0_is_a == is_a]
        assert (line.count, line.unit) == (len(own), "game") and line.mean == pytest.approx(own.won.mean())
    of_kinds = {
        "as A, passes": games[games.seat_0_is_a & (games.bet == 0)],
        "as A, bets and B calls": games[games.seat_0_is_a & (games.bet > 0) & ~games.folded],
        "as A, bets and B folds": games[games.seat_0_is_a & games.folded],
        "as B, A passes": games[~games.seat_0_is_a & (games.bet == 0)],
        "as B, calls": games[~games.seat_0_is_a & (games.bet > 0) & ~games.folded],
        "as B, folds": games[~games.seat_0_is_a & games.folded],
    }
    lost = {name: float(kind.won.sum()) for name, kind in of_kinds.items() if kind.won.sum() < 0}
    expected = sorted(lost, key=lambda name: lost[name])[:3]
    assert [one.kind for one in told.game_kinds or ()] == expected and expected
    for one in told.game_kinds or ():
        rows = of_kinds[one.kind]
        assert one.won == pytest.approx(lost[one.kind]) and one.share == pytest.approx(one.won / sum(lost.values()))
        worst = rows[(rows.session == one.session) & (rows.game == one.game)]
        assert one.count == len(rows) and float(worst.won.iloc[0]) == rows.won.min()
    other = losses_to(VON_NEUMANN_POKER, load(results), "dull", "bold")
    roles = {"as A": "as B", "as B": "as A"}
    assert {one.seat: one.count for one in other.seats} == {roles[one.seat]: one.count for one in told.seats}
    assert sum(one.mean * one.count for one in other.seats + told.seats) == pytest.approx(0)
    assert other.points_per_session == -told.points_per_session


def test_charts_are_of_this_match_and_of_these_two(results: str, tmp_path: Path) -> None:
    """Of three bots they show what a tournament of the two shows: the deals are the same."""
    alone = make_contest(tmp_path, ["bold", "dull"], sessions=600)
    alone.play()
    told, of_two = (
        losses_to(VON_NEUMANN_POKER, load(place), "bold", "dull") for place in (results, str(alone.results))
    )
    assert told.charts == of_two.charts and told.trend == of_two.trend and len(told.trend) == 8
    for panel in told.charts:
        assert isinstance(panel, LineChart) and [line.name for line in panel.lines] == ["dull", "bold"]
    calls = told.charts[3]
    assert isinstance(calls, LineChart) and dict(zip(calls.labels, calls.lines[0].values))["0.8"] == 1.0
    other = losses_to(VON_NEUMANN_POKER, load(results), "dull", "bold")
    assert isinstance(other.charts[3], LineChart) and other.charts[3].lines[1].values == calls.lines[0].values


def test_an_authors_page_tells_it(results: str, tmp_path: Path) -> None:
    place = str(Path(results).parent)
    told = losses_to(VON_NEUMANN_POKER, load(results), "bold")
    words = ("report", CONTEST, "--results", place, "--author-pages", str(tmp_path / "pages"))
    assert run_cli(*words).code == 0
    page = read_html((tmp_path / "pages" / "bot-bold.html").read_text())
    section = page.first("section", id="losses")
    assert section.first("h2").text == f"Where bold loses to {told.opponent}"
    commands = [one.text for one in section.all("code")]
    assert commands == [
        f"tournament replay {CONTEST} --match {told.match} --session {one.session} --game {one.game} --results {place}"
        for one in told.game_kinds or ()
    ]
    assert len([*section.all("table")]) == 4 and told.opponent in section.first("tbody").text
    run_cli(*words, "--public")
    public = (tmp_path / "pages" / "bot-bold.html").read_text()
    assert "losses" not in public.split("<body", 1)[1].split("<script", 1)[0]


def test_rules_in_python_tell_who_came_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(REPOSITORY / "examples" / "liars_dice")
    place = str(tmp_path / "kept")
    config = load_config("liars_dice", "tournament.toml")
    run_cli("match", "liars_dice", "one_more", "counter", "--sessions", "30", "--seed", SEEDS[8], "--results", place)
    found = load(place + "/liars_dice")
    told = dataclasses.asdict(losses_to(config.played.under(config.contest), found, "one_more", "counter"))
    games = found.games
    for position, seat in enumerate(("coming first", "coming second")):
        own = games[games[f"bot_{position}"] == "one_more"].rename(columns={f"points_{position}": "own"})
        (line,) = [one for one in told["seats"] if one["seat"] == seat]
        assert (line["count"], line["mean"]) == (len(own), pytest.approx(own.own.mean()))
        (kind,) = [one for one in told["game_kinds"] if one["kind"] == seat]
        assert kind["won"] == own.own.sum() < 0
        assert own[(own.session == kind["session"]) & (own.game == kind["game"])].own.item() == -1
    assert sum(one["share"] for one in told["game_kinds"]) == pytest.approx(1) and not told["charts"]


def test_figures_of_a_game_that_is_not_zero_sum_are_its_own_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The heading, the seats and the course of a match say the same, in points of this bot alone."""
    monkeypatch.chdir(tmp_path)
    rules = (REPOSITORY / "tournament" / "starter" / "rules" / "simultaneous.py").read_text()
    bots = contest_folder(tmp_path, "prizes", rules.replace("my_game", "prizes"), "sessions = 40\nprizes = 6")
    (bots / "half.c").write_text("int bid(const View *view) { return (int)view->value / 2; }\n")
    (bots / "third.c").write_text("int bid(const View *view) { return (int)view->value / 3; }\n")
    found = run("prizes", executor="local", workers=1)
    sessions = found.sessions.by_bot()
    for bot in ("half", "third"):
        told = losses_to(load_config("prizes").played, found, bot)
        own, other = (sessions[sessions[name] == bot].points for name in ("bot", "opponent"))
        assert told.points_per_session == pytest.approx(own.mean()) != pytest.approx(-other.mean())
        assert sum(one.mean * one.count for one in told.seats) / len(own) == pytest.approx(own.mean())
        assert sum(told.trend) / len(told.trend) == pytest.approx(own.mean(), rel=0.01)
    rules_loader.forget()
