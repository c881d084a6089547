"""The page as a reader of HTML finds it: whole, safe whatever strangers wrote, and with the records' numbers."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.reporting.conftest import HOSTILE, HOSTILE_NAME, SEED, SHIPPED, Played
from tests.reporting.html_reader import Element, read_html
from tournament.reporting.findings import find
from tournament.reporting.games import as_json
from tournament.reporting.page import render
from tournament.reporting.writing import make_page
from tournament.standings.results import crosstable_values

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
