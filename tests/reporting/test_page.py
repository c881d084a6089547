"""The page as a reader of HTML finds it: whole, safe whatever strangers wrote, and with the records' numbers."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.reporting.conftest import HOSTILE, HOSTILE_NAME, SEED, SHIPPED, Played
from tests.reporting.html_reader import Element, read_html
from tournament.contests import find_contest
from tournament.reporting import findings as findings_module
from tournament.reporting.findings import find
from tournament.reporting.games import as_json
from tournament.reporting.page import Layout, render
from tournament.reporting.writing import make_page
from tournament.standings.results import crosstable_values, load
from tournament.standings.standings import Standings

CONTESTS = ("von_neumann_poker", *SHIPPED)


@pytest.fixture(scope="module")
def trees(pages: Mapping[str, Played]) -> Mapping[str, Element]:
    return {name: read_html(one.page) for name, one in pages.items()}


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", "").replace("+", ""))


@pytest.mark.parametrize("contest", CONTESTS)
def test_nothing_is_loaded_and_only_our_code_runs(contest: str, trees: Mapping[str, Element]) -> None:
    tree = trees[contest]
    (policy,) = [m for m in tree.all("meta") if m.attributes.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in (policy.attributes["content"] or "").split("; "))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert "connect-src" not in rules
    scripts = [one for one in tree.all("script") if one.attributes.get("type") != "application/json"]
    for rule, (element,) in (("script-src", scripts), ("style-src", tree.all("style"))):
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    for element in tree.all():
        names = element.attributes.keys()
        assert not names & {"src", "srcset", "style", "background", "poster", "action", "ping"}
        assert not any(name.startswith("on") for name in names)
        link = element.attributes.get("href") or "#"
        assert link.startswith("#") or link == "data:,"
    assert "http://" not in str(scripts[0].text) and "https://" not in str(scripts[0].text)


@pytest.mark.parametrize("contest", CONTESTS)
def test_ids_are_unique_and_links_lead_somewhere(contest: str, trees: Mapping[str, Element]) -> None:
    ids = [element.attributes["id"] for element in trees[contest].all() if "id" in element.attributes]
    assert len(set(ids)) == len(ids)
    for link in trees[contest].all("a"):
        assert unquote((link.attributes["href"] or "")[1:]) in ids
    for element in trees[contest].all():
        if labelled := element.attributes.get("aria-labelledby"):
            assert labelled in ids


@pytest.mark.parametrize("contest", CONTESTS)
def test_tables_have_headers_and_pictures_are_told(contest: str, trees: Mapping[str, Element]) -> None:
    for table in trees[contest].all("table"):
        heads = list(table.first("thead").all("th"))
        assert heads and all(cell.attributes["scope"] == "col" for cell in heads)
        widths = {sum(1 for cell in row.children if isinstance(cell, Element)) for row in table.all("tr")}
        assert len(widths) == 1, table.text[:100]
        assert all(row.first("th").attributes["scope"] in ("row", "col") for row in table.all("tr"))
    for picture in trees[contest].all("svg"):
        assert picture.attributes.get("aria-hidden") == "true" or picture.attributes["aria-label"]


@pytest.mark.parametrize("contest", CONTESTS)
def test_every_bot_is_there_with_its_numbers(
    contest: str, pages: Mapping[str, Played], trees: Mapping[str, Element]
) -> None:
    ranking, tree = pages[contest].results.ranking, trees[contest]
    rows = list(tree.first("table", class_="standings").first("tbody").all("tr"))
    ranked = [line for line in ranking.entrants if line.rank is not None]
    assert len(ranked) > 1
    digits = ranking.scoring.decimals if ranking.scoring else 1
    for line, row in zip(ranked, rows, strict=True):
        assert row.first("th").text == line.name
        assert number(row.first("td", class_="strong").children[0]) == pytest.approx(line.score, abs=0.51 / 10**digits)  # type: ignore[arg-type]
    for line in ranked:
        (article,) = (one for one in tree.all("article") if one.first("h2").text == line.name)
        told = [one for one in article.all("p", class_="extremes") if one.text.startswith("Surely ahead of")]
        assert [link.text for one in told for link in one.all("a")] == list(line.surely_ahead_of)
    pages_of_bots = [article.first("h2").text for article in tree.all("article")]
    assert pages_of_bots == [line.name for line in ranking.entrants]


@pytest.mark.parametrize("contest", CONTESTS)
def test_the_crosstable_is_that_of_the_records(
    contest: str, pages: Mapping[str, Played], trees: Mapping[str, Element]
) -> None:
    ranking, table = pages[contest].results.ranking, trees[contest].first("table", class_="cross")
    by_game = ranking.scoring is not None and ranking.scoring.of_match
    names = [cell.text for cell in table.first("thead").all("th")][2:]
    values = {(row["x"], row["y"]): row for row in crosstable_values(ranking)}
    found = 0
    for row in table.first("tbody").all("tr"):
        bot = row.first("th").text
        for opponent, cell in zip(names, list(row.all("td"))[1:], strict=True):
            if bot == opponent:
                assert cell.text == "·"
                continue
            known = values[bot, opponent]
            share = known["sessions"] / known["games"] if by_game else 1.0
            assert number(cell.text) == pytest.approx(known["points_per_session"] * share, abs=0.51)
            error, sessions, games, clear, *_ = (cell.attributes["data-t"] or "").split("|")
            assert number(error) == pytest.approx(known["stderr"] * share, abs=0.51)
            assert (number(sessions), number(games)) == (known["sessions"], known["games"])
            assert (clear == "1") == (abs(known["points_per_session"]) > 2 * known["stderr"])
            assert ("unclear" in (cell.attributes["class"] or "").split()) == (clear == "0")
            found += 1
    ranked = sum(line.rank is not None for line in ranking.entrants)
    assert found == (ranked * len(ranking.house) if ranking.house else ranked * (ranked - 1))


def test_luck_of_a_server_s_opponents_is_worked_out_at_the_end_of_a_run(pages: Mapping[str, Played]) -> None:
    for line in pages["two_card_draw"].results.ranking.entrants:
        if line.rank is not None:
            assert line.adjusted_stderr is not None and line.stderr is not None
            assert 0 < line.adjusted_stderr < 0.7 * line.stderr


def test_what_strangers_wrote_is_text(pages: Mapping[str, Played], trees: Mapping[str, Element]) -> None:
    """A bot's stderr, a compiler's message and a file's name come through, as nothing but text."""
    tree = trees["von_neumann_poker"]
    assert not list(tree.all("img"))
    complaints = [pre.text for pre in tree.first("article", id="bot-crook").all("pre")]
    assert any(HOSTILE in text for text in complaints)  # not {{ 49 }}, either
    assert f"{HOSTILE_NAME}.c" in [article.first("h2").text for article in tree.all("article")]
    torn = tree.first("article", id="bot-torn").first("pre", class_="reason").text
    assert "<img src=x" in torn and "error:" in torn


def test_signs_that_steer_are_shown_as_escapes() -> None:
    from tournament.reporting.figures import clean

    assert clean("a\u202eb\x1b[2J\x00\ud800\n") == "a\\u202eb\\x1b[2J\\x00\\ud800\n"
    assert clean("x" * 5000) == "x" * 2500 + "…"


def test_a_name_may_break_after_its_separators_and_stays_text() -> None:
    from tournament.reporting.page import breakable

    assert breakable("<b>_a&.c") == "&lt;b&gt;_<wbr>a&amp;.<wbr>c"


def test_data_cannot_end_its_script() -> None:
    value = {"a": [HOSTILE, "<!--<script>", "\u2028&amp;", 'quotes " and \\']}
    text = as_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


@pytest.mark.parametrize("contest", CONTESTS)
def test_the_viewer_gets_games_of_every_match(
    contest: str, pages: Mapping[str, Played], trees: Mapping[str, Element]
) -> None:
    data = json.loads(trees[contest].first("script", id="games-data").text)
    matches = pages[contest].results.ranking.matches
    assert {(x, y) for x, y, _ in data["matches"]} == {(match.x, match.y) for match in matches if match.games}
    for _, _, games in data["matches"]:
        assert games
        for _, _, why, *texts_and_steps in games:
            assert 0 <= why <= 4
            assert (len(texts_and_steps) - 3) % 6 == 0
            steps = [texts_and_steps[place : place + 6] for place in range(3, len(texts_and_steps), 6)]
            assert all(who in (0, 1, 2) and 0 <= what < len(data["texts"]) for who, what, *_ in steps)
            assert all(0 <= cards <= len(data["texts"]) for step in steps for cards in step[2:5])
    shown = [game[:2] for _, _, games in data["matches"] for game in games if game[2] == 4]
    if contest == "von_neumann_poker":
        faults = {(fault.session, fault.game) for _, fault in pages[contest].results.ranking.faults}
        assert shown and all((session, game) in faults for session, game in shown)


def test_the_seed_is_a_secret_unless_it_is_to_be_told(pages: Mapping[str, Played]) -> None:
    """Neither the seed nor the fingerprint, by which guesses could be checked."""
    results = pages["two_card_draw"].results
    fingerprint = str(results.field.settings["seed"])
    assert SEED not in pages["two_card_draw"].page and fingerprint not in pages["two_card_draw"].page
    told, _ = make_page(results.location, show_seed=True)
    assert SEED in told


def test_without_games_no_card_is_shown(pages: Mapping[str, Played], poker_results: Path) -> None:
    contest, findings = find(str(poker_results), with_games=False)
    page = render(contest, findings)
    tree = read_html(page)
    assert not list(tree.all("script", id="games-data")) and not list(tree.all("section", id="games"))
    asked = [fault.asked for _, fault in pages["von_neumann_poker"].results.ranking.faults]
    assert asked and all("card" in text for text in asked)
    shown = {code.text for code in tree.all("code")}
    assert not shown & set(asked)
    assert shown & {code.text for code in read_html(pages["von_neumann_poker"].page).all("code")}
    assert {one.attributes["id"] for one in tree.all("article")}


def test_a_contest_without_a_portrait_gets_the_rest(poker_results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its games are shown column by column."""
    poker = find_contest("von_neumann_poker")
    plain = replace(poker, display=replace(poker.display, portrait=None))
    monkeypatch.setattr(findings_module, "find_contest", lambda *_names: plain)
    contest, findings = find(str(poker_results))
    tree = read_html(render(contest, findings))
    assert len(list(tree.first("table", class_="standings").first("tbody").all("tr"))) == 3
    assert len(list(tree.all("article"))) == len(findings.entrants)
    assert not list(tree.all("figure", class_="panel"))
    data = json.loads(tree.first("script", id="games-data").text)
    steps = {data["texts"][what] for _, _, games in data["matches"] for game in games for what in game[7::6]}
    assert any(text.startswith("a card: 0.") for text in steps) and any(text.startswith("folded: ") for text in steps)
    without = render(*find(str(poker_results), with_games=False))
    assert "games-data" not in without.split("</main>")[1].split("<script>")[0]


def test_nobody_left_above_the_line(poker_results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody was disqualified: a page, all the same."""
    results = load(str(poker_results))
    nobody = tuple(replace(line, rank=None, status="disqualified", matches=0) for line in results.ranking.entrants)
    emptied = replace(results, ranking=replace(results.ranking, entrants=nobody))
    monkeypatch.setattr(findings_module, "load", lambda _location: emptied)
    tree = read_html(render(*find(str(poker_results))))
    assert not list(tree.first("table", class_="standings").first("tbody").all("tr"))
    assert len(list(tree.first("dl", class_="below").all("dt"))) == len(nobody)


def layout_of(one: Played, ranking: Standings) -> Layout:
    contest = find_contest(one.results.field.contest)
    return Layout(contest, replace(one.findings, ranking=ranking), live=False)


def test_where_both_can_win_results_are_set_against_their_mean(pages: Mapping[str, Played]) -> None:
    """And what has no error at all is no luck."""
    one = pages["von_neumann_poker"]
    ranking = one.results.ranking
    assert layout_of(one, ranking).compared_with == "a draw"
    matches = tuple(
        match._replace(x_points=100.0 * place * match.sessions, y_points=50.0 * match.sessions, x_points_stderr=0.0)
        for place, match in enumerate(ranking.matches)
    )
    layout = layout_of(one, replace(ranking, matches=matches))
    ranked = set(layout.names)
    known = [cell for (name, _), cell in layout.cells.items() if name in ranked]
    assert layout.middle == pytest.approx(sum(cell.value for cell in known) / len(known))
    assert layout.compared_with == f"the mean of all, +{layout.middle:,.2f}"
    sure = [cell for cell in known if cell.stderr == 0.0]
    assert sure and all(layout.clear(cell) for cell in sure)
    for cell in known:
        above = cell.value - layout.middle
        heat = layout.heat(cell)
        assert heat == "z" or (heat[0] == "p") == (above > 0)
        start, long = layout.bar(cell)
        assert (start, start + long)[above < 0] == pytest.approx(50, abs=0.11)


def test_faults_that_differ_in_numbers_alone_are_alike(pages: Mapping[str, Played]) -> None:
    one = pages["von_neumann_poker"]
    leg, fault = next(
        (leg, fault) for leg, fault in one.results.ranking.faults if (leg.x, leg.y)[fault.seat] == "crook"
    )
    texts = [f"KeyError: 0.{number}7 (line 3 in a)" for number in range(9)] + ["KeyError: 0.5 (line 4 in a)"] * 2
    faults = tuple((leg, replace(fault, what=text)) for text in texts)
    listed = layout_of(one, replace(one.results.ranking, faults=faults)).faults("crook")
    assert [(one["what"], one["more"]) for one in listed] == [
        *[(text, 0) for text in texts[:2]], (texts[2], 6), (texts[9], 0), (texts[9], 0),
    ]  # fmt: skip


def test_each_fault_has_the_command_that_shows_its_game(
    pages: Mapping[str, Played], trees: Mapping[str, Element]
) -> None:
    faults = pages["von_neumann_poker"].results.ranking.faults
    commands = {
        f"tournament replay von_neumann_poker --match {leg.match} --session {one.session} --game {one.game}"
        for leg, one in faults
    }
    found = {code.text for code in trees["von_neumann_poker"].first("article", id="bot-crook").all("code")}
    assert commands & found and not {text for text in found if text.startswith("tournament")} - commands
