"""The page as a reader of HTML finds it: whole, safe whatever strangers wrote, and with the records' numbers."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

from tests.reporting.conftest import HOSTILE, HOSTILE_NAME, SEED, SHIPPED, Played
from tests.reporting.html_reader import Element, read_html
from tournament.config import load_config
from tournament.contests import find_contest
from tournament.contests.presentation import Decided
from tournament.records.losses import DecisionSums, LossSums, describe_loss, loss_rows, worst_losses
from tournament.records.values import crosstable_values
from tournament.reporting.bots import MAX_ACROSS, MAX_PAGES
from tournament.reporting.crosstable import make_crosstable
from tournament.reporting.figures import as_json, clean
from tournament.reporting.findings import Findings, find, matches_to_watch
from tournament.reporting.layout import Layout
from tournament.reporting.page import render
from tournament.reporting.trends import Course, Courses
from tournament.reporting.writing import make_page
from tournament.standings.matches import Matches
from tournament.standings.standings import Standings

CONTESTS = ("von_neumann_poker", *SHIPPED)


@pytest.fixture(scope="module")
def trees(pages: Mapping[str, Played]) -> Mapping[str, Element]:
    return {name: read_html(one.page) for name, one in pages.items()}


def games_of(tree: Element) -> dict[str, Any]:
    """Return the viewer's data."""
    found: dict[str, Any] = json.loads(tree.first("script", id="games-data").text)
    return found


def pages_in(tree: Element) -> dict[str, Element]:
    """Return the pages of bots by name, in their order."""
    return {page.first("h2").text: page for page in tree.all("article", class_="bot")}


def results_in(tree: Element) -> dict[tuple[str, str], tuple[float, float | None, bool, int, int]]:
    """Value, ±, clear, sessions and games of every pair in the crosstable."""
    table = tree.first("table", class_="cross")
    across = [cell.text for cell in table.first("thead").all("th")][2:]
    found: dict[tuple[str, str], tuple[float, float | None, bool, int, int]] = {}
    for row in table.first("tbody").all("tr"):
        cells = [*row.all("td")][1:]
        assert len(cells) == len(across)
        for opponent, cell in zip(across, cells):
            if told := cell.attributes.get("title"):
                reach = re.search(r"± ([\d.,]+) a", told)
                sessions, games = (int(number(one)) for one in re.findall(r"([\d,]+) (?:session|game|hand)", told))
                clear = ": more than" in told
                assert clear != cell.has("class", "unclear")
                value = number(cell.text), number(reach[1]) if reach else None
                found[row.first("th").text, opponent] = *value, clear, sessions, games
    return found


def number(text: str) -> float:
    return float(text.replace("−", "-").replace(",", "").replace("+", ""))


@pytest.mark.parametrize("contest", CONTESTS)
def test_page_loads_nothing_and_runs_only_own_code(contest: str, trees: Mapping[str, Element]) -> None:
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
    script = scripts[0].text.replace('"http://www.w3.org/2000/svg"', "")  # the name of a namespace
    assert "http://" not in script and "https://" not in script


@pytest.mark.parametrize("contest", CONTESTS)
def test_ids_are_unique_and_links_have_targets(contest: str, trees: Mapping[str, Element]) -> None:
    ids = [element.attributes["id"] for element in trees[contest].all() if "id" in element.attributes]
    assert len(set(ids)) == len(ids)
    for link in trees[contest].all("a"):
        assert unquote((link.attributes["href"] or "")[1:]) in ids
    for element in trees[contest].all():
        if labelled := element.attributes.get("aria-labelledby"):
            assert labelled in ids


@pytest.mark.parametrize("contest", CONTESTS)
def test_tables_have_headers_and_pictures_labels(contest: str, trees: Mapping[str, Element]) -> None:
    for table in trees[contest].all("table"):
        heads = list(table.first("thead").all("th"))
        assert heads and all(cell.attributes["scope"] == "col" for cell in heads)
        widths = {sum(1 for cell in row.children if isinstance(cell, Element)) for row in table.all("tr")}
        assert len(widths) == 1, table.text[:100]
        assert all(row.first("th").attributes["scope"] in ("row", "col") for row in table.all("tr"))
    for picture in trees[contest].all("svg"):
        assert picture.attributes.get("aria-hidden") == "true" or picture.attributes["aria-label"]


@pytest.mark.parametrize("contest", CONTESTS)
def test_page_has_every_bot_with_its_numbers(
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
    shown = pages_in(tree)
    assert [*shown] == [line.name for line in ranking.entrants]
    for line in ranking.entrants:
        facts, ahead = shown[line.name].first("p", class_="facts").text, shown[line.name].text
        assert (
            (f"place {line.rank_range} of" in facts or "not known yet" in facts) if line.rank else line.status in facts
        )
        assert f"{line.faults or 'no'} fault" in facts
        assert ("Significantly ahead of" in ahead) == bool(line.significantly_ahead_of)


@pytest.mark.parametrize("contest", CONTESTS)
def test_best_and_worst_results_are_more_than_luck(
    contest: str, pages: Mapping[str, Played], trees: Mapping[str, Element]
) -> None:
    table = pages[contest].findings.crosstable
    for name, page in pages_in(trees[contest]).items():
        for line in page.all("p", class_="extremes"):
            title = line.first("b").text
            for link in line.all("a") if title in ("Best", "Worst") else ():
                place = table.bots.index(name), table.opponents.index(link.text)
                assert table.clear[place] and (table.value[place] > table.middle) == (title == "Best")


@pytest.mark.parametrize("contest", CONTESTS)
def test_crosstable_is_that_of_records(contest: str, pages: Mapping[str, Played], trees: Mapping[str, Element]) -> None:
    ranking = pages[contest].results.ranking
    by_game = ranking.scoring is not None and ranking.scoring.of_match
    values = {(row["bot"], row["opponent"]): row for row in crosstable_values(ranking)}
    reaches = {(side.x, side.y): side.ci_half_width_per_session or 0.0 for side in ranking.sides}
    found = results_in(trees[contest])
    ranked = {line.name for line in ranking.ranked} | set(ranking.house)
    assert found.keys() == {pair for pair, row in values.items() if row["sessions"] and ranked.issuperset(pair)}
    digits = Layout(find_contest(contest), pages[contest].findings, live=False).digits
    for pair, (value, reach, clear, sessions, games) in found.items():
        known = values[pair]
        share = known["sessions"] / known["games"] if by_game else 1.0
        digit = 10**-digits
        assert value == pytest.approx(known["points_per_session"] * share, abs=0.51 * digit)
        assert (sessions, games) == (known["sessions"], known["games"])
        whole = reaches[pair]
        assert reach == pytest.approx(whole * share, abs=0.51 * digit), "±, a 95% interval"
        assert clear == (abs(known["points_per_session"]) > whole)


def test_output_of_bots_stays_text(pages: Mapping[str, Played], trees: Mapping[str, Element]) -> None:
    """Show a bot's stderr, a compiler's message and a file's name as nothing but text."""
    tree = trees["von_neumann_poker"]
    assert not list(tree.all("img"))
    bots = pages_in(tree)
    assert any(HOSTILE in said.text for said in bots["crook"].all("pre"))  # Templates aren't filled in.
    assert f"{HOSTILE_NAME}.c" in bots
    reason = bots["torn"].first("pre", class_="reason").text
    assert "<img src=x" in reason and "error:" in reason


def test_control_characters_are_shown_as_escapes() -> None:
    assert clean("a\u202eb\x1b[2J\x00\ud800\n") == "a\\u202eb\\x1b[2J\\x00\\ud800\n"
    assert clean("x" * 5000) == "x" * 2500 + "…"


def test_data_can_not_end_its_script() -> None:
    value = {"a": [HOSTILE, "<!--<script>", "\u2028&amp;", 'quotes " and \\']}
    text = as_json(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == value


@pytest.mark.parametrize("contest", CONTESTS)
def test_viewer_has_games_of_every_match(
    contest: str, pages: Mapping[str, Played], trees: Mapping[str, Element]
) -> None:
    data = games_of(trees[contest])
    matches = pages[contest].results.ranking.matches
    assert {tuple(one["bots"]) for one in data["matches"]} == {(match.x, match.y) for match in matches if match.games}
    games = [game for match in data["matches"] for game in match["games"]]
    assert all(match["games"] for match in data["matches"])
    for game in games:
        assert re.match(r"session \d+, (game|hand) \d+", game["label"])
        for step in [data["steps"][number] for number in game["steps"]]:
            assert step.get("seat", 0) in (0, 1) and step["what"]
            assert all(step.get(cards, "1") for cards in ("x", "y"))
    shown = [tuple(map(int, re.findall(r"\d+", game["label"])[:2])) for game in games if "fault" in game["label"]]
    if contest == "von_neumann_poker":
        faults = {(fault.session, fault.game) for _, fault in pages[contest].results.ranking.faults}
        assert shown and faults.issuperset(shown)


def test_public_page_has_no_seed(pages: Mapping[str, Played]) -> None:
    """Neither the seed nor the fingerprint, by which guesses could be checked."""
    results = pages["two_card_draw"].results
    fingerprint = str(results.setup.settings["seed"])
    assert SEED not in pages["two_card_draw"].page and fingerprint not in pages["two_card_draw"].page
    told, _ = make_page(results.location)
    assert SEED in told


def test_page_without_games_shows_no_card(pages: Mapping[str, Played], poker_results: Path) -> None:
    contest, findings = find(str(poker_results), with_games=False)
    page = render(contest, findings)
    tree = read_html(page)
    assert not list(tree.all("script", id="games-data")) and not list(tree.all("section", id="games"))
    asked = [fault.question_text for _, fault in pages["von_neumann_poker"].results.ranking.faults]
    assert asked and all("card" in text for text in asked)
    assert [*tree.all("ol", class_="faults")] and not any(text in page for text in asked)
    assert HOSTILE not in tree.first("article", id="bot-crook").text
    shown = read_html(pages["von_neumann_poker"].page).all("ol", class_="faults")
    assert set(asked) & {code.text for one in shown for code in one.all("code")}


def with_ranking(one: Played, ranking: Standings) -> Findings:
    names = tuple(line.name for line in ranking.entrants)
    table = make_crosstable(ranking, by_game=False)
    return replace(one.findings, ranking=ranking, entrants=names, crosstable=table)


def large_field(one: Played, bots: int) -> Findings:
    """Return findings of this many bots, all of which met, with two chosen games of matches that matter."""
    ranking = one.results.ranking
    entrant, match = ranking.entrants[0], ranking.matches[0]
    names = [f"bot_{number:04}" for number in range(bots)]
    draw = random.Random(1)
    matches = []
    for place, (x, y) in enumerate(itertools.combinations(names, 2)):
        points, games = draw.gauss(0, 60), draw.randrange(20, 200)
        matches.append(match._replace(match=place, x=x, y=y, games=games, points_0=points, points_1=-points))
    entrants = tuple(
        replace(entrant, name=name, rank=rank, significantly_ahead_of=()) for rank, name in enumerate(names, 1)
    )
    findings = with_ranking(
        one, replace(ranking, entrants=entrants, find_matches=partial(Matches.from_matches, matches), faults=())
    )
    game = next(game for games in one.findings.survey.sample.values() for game in games)
    watched = matches_to_watch(findings.ranking, findings.crosstable)
    met = {name for match in matches if match.match in watched for name in (match.x, match.y)}
    assert met == set(names) and len(watched) < 2 * bots + 100
    sums = {
        name: np.concatenate([np.repeat(sums[:1], bots, axis=0), sums[-1:]])
        for name, sums in one.findings.survey.sums.items()
    }
    blocks = np.random.default_rng(1).normal(size=(bots, 32))
    whole = {name: Course(points, np.ones(32)) for name, points in zip(names, blocks)}
    courses = Courses(32, whole)
    chosen = {match: [replace(game, match=match, session=at) for at in range(8)] for match in watched}
    survey = replace(one.findings.survey, sums=sums, sample=chosen, losses=sums_of_field(names))
    return replace(findings, courses=courses, survey=survey)


def sums_of_field(names: Sequence[str]) -> LossSums:
    """Sums of decisions of all bots against each other, by chance."""
    pairs = np.array([*itertools.permutations(range(len(names)), 2)])
    draw = np.random.default_rng(1)
    sums = LossSums(names, names)
    for number in range(9):
        seat = np.zeros(0, np.int8)
        decided = Decided(f"kind {number}", seat, seat, [f"hand {one}" for one in range(10)], seat, ("call", "fold"))
        games = draw.integers(0, 9, (len(pairs), 10, 2)).astype(float)
        gains = draw.normal(0, 1, games.shape)
        moments = np.stack([games, games * gains, games * gains**2 + games])
        sums.add([DecisionSums(decided, pairs[:, 0], pairs[:, 1], moments)])
    return sums


@pytest.mark.parametrize(("bots", "most"), [(110, 4e6), pytest.param(1000, 8e6, marks=pytest.mark.thorough)])
def test_page_of_large_field_stays_small(bots: int, most: float, pages: Mapping[str, Played]) -> None:
    findings = large_field(pages["von_neumann_poker"], bots)
    page = render(find_contest("von_neumann_poker"), findings)
    assert len(page.encode()) < most
    tree = read_html(page)
    found = results_in(tree)
    assert len(found) == MAX_ACROSS * (MAX_ACROSS - 1)
    for match in findings.ranking.matches:
        if (match.x, match.y) in found:
            assert found[match.x, match.y][0] == pytest.approx(match.points_per_session, abs=0.0051)
            assert found[match.y, match.x][0] == -found[match.x, match.y][0]
    assert [*pages_in(tree)] == [line.name for line in findings.ranking.entrants[:MAX_PAGES]]
    last = findings.ranking.entrants[-1].name
    own = render(find_contest("von_neumann_poker"), findings, author=last)
    assert last not in pages_in(tree) and f'<article class="bot" id="bot-{last}"' in own
    games = games_of(tree)["matches"]
    assert {name for match in games for name in match["bots"]} == {line.name for line in findings.ranking.entrants}


def test_page_of_bot_says_where_it_loses(pages: Mapping[str, Played]) -> None:
    """Compare pages with the command, which shows the same if the report reads all games."""
    for played in pages.values():
        articles = pages_in(read_html(played.page))
        found = {}
        for line in played.results.ranking.entrants:
            if line.games:
                found[line.name] = list(map(describe_loss, worst_losses(loss_rows(played.results, line.name))))
                shown = [one.text for one in articles[line.name].all("li")]
                assert [one for one in shown if one in found[line.name]] == found[line.name]
        assert any(found.values()), "some bot loses somewhere"


def test_repeated_game_is_shown_by_whole_sessions(dilemma: Played) -> None:
    """Show every turn of the first and last session of each match, as recorded. Results are compared with the mean."""
    data = games_of(read_html(dilemma.page))
    rows, matches = dilemma.results.games, dilemma.results.ranking.matches
    moves, paid = ("cooperate", "<b>defect"), ((3, 0), (5, 1))
    assert len(data["matches"]) == len(matches)
    for match in data["matches"]:
        x, y = match["bots"]
        for session, game in zip((0, 5), match["games"], strict=True):
            own = rows[(rows.bot_0 == x) & (rows.bot_1 == y) & (rows.session == session)].sort_values("turn")
            assert game["label"] == f"session {session}, {len(own)} turns"
            for turn, number in zip(own.itertuples(), game["steps"], strict=True):
                one, other = turn.move_0, turn.move_1
                slips = [" by a slip" * slip for slip in (turn.move_replaced_0, turn.move_replaced_1)]
                said = f"{x} plays {moves[one]}{slips[0]}, {y} plays {moves[other]}{slips[1]}"
                points = f"{x} is paid {paid[one][other]}, {y} is paid {paid[other][one]}"
                assert data["steps"][number] == {"what": f"{said}, {points}"}
    mean = np.mean([side.points_per_session for side in dilemma.results.ranking.sides])
    assert dilemma.findings.crosstable.middle == pytest.approx(mean)


def test_page_of_author_has_no_secrets_of_others(pages: Mapping[str, Played]) -> None:
    """Hide what others wrote, how they failed and play, and games without the author's bot."""
    one = pages["von_neumann_poker"]
    contest = find_contest("von_neumann_poker")
    fault = next(fault for leg, fault in one.results.ranking.faults if leg.seats[fault.seat] == "crook")
    for author, sees in (("crook", True), ("calm", False), (None, True)):
        tree = read_html(render(contest, one.findings, author=author))
        games = games_of(tree)
        told = json.dumps(games, ensure_ascii=False) + tree.first("main").text
        assert (HOSTILE in told) == (fault.question_text in tree.first("main").text) == sees
        for name, page in pages_in(tree).items():
            open_to = author in (None, name)
            secrets = [*page.all("figure"), *page.all("ol", class_="faults"), *page.all("pre", class_="reason")]
            assert bool(secrets) == open_to
            assert (": error:" in told) == (author is None)  # The compiler said so.
        assert all(author in (None, *match["bots"]) for match in games["matches"]) and games["matches"]
        assert len(results_in(tree)) == 6  # the crosstable is everybody's


def test_title_and_rules_are_those_of_settings(poker_results: Path, tmp_path: Path) -> None:
    """Titles and descriptions are words, on which games don't depend."""
    config = tmp_path / "tournament.toml"
    config.write_text('[von_neumann_poker]\ntitle = "Cup <of> ours"\ndescription = "Our rules & none else."\n')
    given = load_config("von_neumann_poker", config)
    assert given.contest.playing() == find_contest("von_neumann_poker").settings().playing()
    page, _ = make_page(str(poker_results), read_config=lambda name: load_config(name, config))
    tree = read_html(page)
    assert tree.first("h1").text == "Cup <of> ours" and tree.first("title").text == "Cup <of> ours: tournament report"
    assert tree.first("p", class_="rules").text == "Our rules & none else."
