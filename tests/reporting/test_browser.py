"""The page in a real browser: nothing is asked of a network, nothing complained of, and what can be clicked works."""

from __future__ import annotations

import http.server
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.browser import chromium, logged
from tests.processes import wait_until
from tests.reporting.conftest import HOSTILE, HOSTILE_NAME, SHIPPED, Played
from tournament.contests import find_contest
from tournament.reporting.figures import as_json
from tournament.reporting.games import ReplayedSession
from tournament.reporting.page import render

CONTESTS = ("von_neumann_poker", *SHIPPED)


class Page:
    """A browser with a page in it."""

    def __init__(self, driver: webdriver.Chrome, folder: Path) -> None:
        self.driver, self.folder = driver, folder

    def open(self, contest: str, fragment: str = "") -> None:
        self.driver.get("about:blank")
        self.taken()  # what went before is no concern
        self.driver.get(f"file://{self.folder}/{contest}.html{fragment}")

    def taken(self) -> tuple[list[str], list[str]]:
        """Complaints on the console, and addresses that were asked, since the last time."""
        complaints = [entry["message"] for entry in logged(self.driver, "browser")]
        asked = []
        for entry in logged(self.driver, "performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                asked.append(event["params"]["request"]["url"])
        return complaints, asked

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of many elements, in one call."""
        found = self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)
        return list(map(str, found))

    def choose(self, bot: str, opponent: str) -> None:
        """Choose a match in the viewer."""
        for name, value in (("#v-bot", bot), ("#v-opponent", opponent)):
            self.run(
                "const [s, v] = arguments; s.value = v; s.dispatchEvent(new Event('change'))", self.one(name), value
            )

    @contextmanager
    def as_wide_as(self, pixels: int) -> Iterator[None]:
        """Have a screen of this width."""
        screen = {"width": pixels, "height": 800, "deviceScaleFactor": 1, "mobile": pixels < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        yield
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def shows(self, *ids: str) -> bool:
        """Return whether these sections and no others come into view, sooner or later."""
        script = "return [...document.querySelectorAll('[data-view]')].filter(e => e.offsetParent).map(e => e.id)"
        return wait_until(lambda: self.run(script) == list(ids))


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files, and writes no log."""

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def page(pages: Mapping[str, Played], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("pages")
    for name, one in pages.items():
        (folder / f"{name}.html").write_text(one.page)
    with chromium(folder / "profile") as driver:
        yield Page(driver, folder)


@pytest.mark.parametrize(
    "contest", [CONTESTS[0], *(pytest.param(name, marks=pytest.mark.thorough) for name in CONTESTS[1:])]
)
def test_page_requests_nothing_and_logs_no_error(page: Page, pages: Mapping[str, Played], contest: str) -> None:
    page.open(contest)
    for fragment in ("#bots", "#games", "#about", "#%", "#%E4", "#standings"):
        page.run("location.hash = arguments[0]", fragment)
    complaints, asked = page.taken()
    assert complaints == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert page.driver.title.endswith("tournament report")  # A bot's text hasn't replaced it.
    names = page.texts("#chips a")
    ranking = pages[contest].results.ranking
    assert names == [f"{line.rank or '–'} {line.name}" for line in ranking.entrants]
    for place, line in enumerate(ranking.entrants):
        page.run("location.hash = [...document.querySelectorAll('#chips a')][arguments[0]].hash", place)
        assert page.texts("article.bot.shown h2") == [line.name]
    for width in (360, 1600):
        with page.as_wide_as(width):
            assert page.run("return document.documentElement.scrollWidth") <= width


def test_tables_sort_by_clicked_column(page: Page, pages: Mapping[str, Played]) -> None:
    ranking = pages["von_neumann_poker"].results.ranking
    names = [line.name for line in ranking.entrants if line.rank is not None]
    page.open("von_neumann_poker")
    rows = ".standings tbody th"
    assert page.texts(rows) == names
    heading = page.one(".standings thead th:nth-child(2) button")
    heading.click()
    assert page.texts(rows) == sorted(names)
    heading.click()
    assert page.texts(rows) == sorted(names, reverse=True)
    assert page.one(".standings thead th:nth-child(2)").get_attribute("aria-sort") == "descending"
    page.one(".standings thead th:nth-child(3) button").click()
    assert page.texts(rows) == names
    # By results against one opponent, the best first; that one itself has none, and is last.
    page.one(f".cross thead th:nth-child({3 + names.index('dull')}) button").click()
    values = {m.x: m.points_per_session for m in ranking.matches if m.y == "dull"} | {
        m.y: -m.points_per_session for m in ranking.matches if m.x == "dull"
    }
    others = sorted((name for name in names if name != "dull"), key=lambda name: -values[name])
    assert page.texts(".cross tbody th") == [*others, "dull"]


def test_hostile_name_stays_text_in_viewer(page: Page, pages: Mapping[str, Played]) -> None:
    """Names are in the viewer's table, its steps and its choices."""
    hostile = pages["von_neumann_poker"].page
    hostile = hostile.replace('"bold"', as_json(HOSTILE_NAME)).replace(">bold<", f">{escape(HOSTILE_NAME)}<")
    (page.folder / "hostile.html").write_text(hostile)
    page.open("hostile")
    page.run("location.hash = '#games'")
    assert page.shows("games")
    page.choose("calm", HOSTILE_NAME)
    assert all(HOSTILE_NAME in page.texts(f"{name} option") for name in ("#v-bot", "#v-opponent"))
    said, pots = set(), set()
    for _ in page.texts("#v-log li"):
        said.update(page.texts("#v-now"))
        pots.update(page.texts("#v-pot"))
        page.one("#v-next").click()
    assert HOSTILE_NAME in page.texts("#v-x .who") + page.texts("#v-y .who")
    assert any(text.startswith("pot $") for text in pots)
    assert any(HOSTILE_NAME in text for text in said) and any(HOSTILE_NAME in text for text in page.texts("#v-log li"))
    assert page.all("img") == [] and page.taken()[0] == []


def test_viewer_steps_through_games(page: Page, pages: Mapping[str, Played]) -> None:
    page.open("holdem_training")
    bot = page.texts(".standings tbody a")[0]
    page.one(".standings tbody a").click()
    assert page.shows("bots", f"bot-{bot}") and page.texts("article.shown h2") == [bot]
    page.one("article.bot.shown a.watch").click()
    assert page.shows("games")
    assert page.run("return document.querySelector('#v-bot').value") == bot
    assert page.texts("#v-opponent option") == ["Bob"]
    lines = page.texts("#v-log li")
    assert page.texts("#v-now") == [lines[0]] == ["the cards are dealt"]
    assert len(page.all("#v-x .card")) == len(page.all("#v-y .card")) == 2 and not page.all("#v-board .card")
    page.one("#v-next").click()
    assert page.texts("#v-now") == [lines[1]] and lines[1].startswith(bot)
    table = page.one("#viewer .table")
    table.send_keys(Keys.END)
    assert page.texts("#v-now") == [lines[-1]]
    match = next(match for match in pages["holdem_training"].results.ranking.matches if match.x == bot)
    first = pages["holdem_training"].findings.survey.sample[match.match][0]
    assert str(abs(first.rows[0]["profit"])) in lines[-1] or first.rows[0]["profit"] == 0
    table.send_keys(Keys.ARROW_LEFT)
    assert page.texts("#v-now") == [lines[-2]]
    games = page.run("return document.querySelector('#v-game').selectedIndex")
    table.send_keys("n")
    assert page.run("return document.querySelector('#v-game').selectedIndex") == games + 1
    assert page.texts("#v-log li[aria-current]") == page.texts("#v-log li")[:1]


def test_scripts_in_drawings_do_not_run(page: Page, pages: Mapping[str, Played]) -> None:
    """Drawings can contain what bots answered, so images with scripts must stay images."""
    one = pages["von_neumann_poker"]
    taking = "document.title='taken'"
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="{taking}"><script>{taking}</script>'
        f'<image href="http://127.0.0.1:9/x.png"/><foreignObject><img src="x" onerror="{taking}"/></foreignObject>'
        '<rect width="9" height="9"/></svg>'
    )
    match = next(match.match for match in one.results.ranking.matches if match.games)
    text = f"{HOSTILE}\nsecond line"
    told = {match: ReplayedSession(0, ("x", "y"), [(0, HOSTILE), (1, "passes")], [drawing, text, drawing], "done")}
    contest = find_contest("von_neumann_poker")
    (page.folder / "drawn.html").write_text(render(contest, replace(one.findings, replayed=told)))
    page.open("drawn", "#games")
    x, y = next((m.x, m.y) for m in one.results.ranking.matches if m.match == match)
    page.choose(x, y)
    page.one("#v-first").click()
    assert wait_until(lambda: page.run("return document.querySelector('#v-picture img')?.naturalWidth > 0"))
    assert page.texts("#v-now") == [f"{x} {HOSTILE}"]
    page.one("#v-next").click()
    assert page.texts("#v-picture pre") == [text] and not page.all("#v-picture img")
    complaints, asked = page.taken()
    assert page.driver.title.endswith("tournament report") and complaints == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_sorting_and_search_survive_news(page: Page, pages: Mapping[str, Played]) -> None:
    one = pages["von_neumann_poker"]
    findings = replace(one.findings, stamp="1")
    folder = page.folder / "served"
    folder.mkdir()
    (folder / "index.html").write_text(render(find_contest("von_neumann_poker"), findings, live=True))
    (folder / "stamp").write_text("1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.driver.get(f"http://127.0.0.1:{server.server_port}/index.html")
        page.one(".standings thead th:nth-child(2) button").click()
        page.run("const s = document.querySelector('#search'); s.value = 'CAL'; s.dispatchEvent(new Event('input'))")
        rows, chips = page.texts(".standings tbody th"), page.texts("#chips li:not([hidden])")
        assert rows == sorted(rows) and len(chips) == 1 and "calm" in chips[0]
        news = render(find_contest("von_neumann_poker"), replace(findings, stamp="2"), live=True)
        (folder / "index.html").write_text(news)
        os.utime(folder / "index.html", (2e9, 2e9))  # this server tells pages of one second apart by nothing
        (folder / "stamp").write_text("2")
        assert wait_until(lambda: page.run("return document.body?.dataset.live") == "2")
        assert wait_until(lambda: page.texts(".standings tbody th") == rows)
        assert page.texts("#chips li:not([hidden])") == chips
        assert page.run("return document.querySelector('#search').value") == "CAL"
        server.shutdown()
