"""An author's way in a real browser: from the address to a bot on the board, which moves by itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser import chromium, logged
from tests.contest_runs import CONTEST, bot_source
from tests.open_contest.support import Process
from tests.processes import wait_until
from tournament.open_contest.authors import add_author


@pytest.mark.slow
def test_author_submits_repairs_practises_withdraws_and_signs_out(tmp_path: Path) -> None:
    (tmp_path / "tournament.toml").write_text(f"[{CONTEST}]\nsessions = 20\n")
    entrants = tmp_path / "entrants" / CONTEST
    entrants.mkdir(parents=True)
    for name, above in {"bold": 2, "calm": 5}.items():
        (entrants / f"{name}.c").write_text(bot_source(above, above))
    (tmp_path / "torn.c").write_text("int a(const Bot *bot) { return 1 }")
    token = add_author(tmp_path / "authors.toml", "ann")
    with Process(tmp_path) as served, chromium(tmp_path / "profile") as driver:
        assert served.says("the board is current")

        def text(selector: str = "body") -> str:
            """Return a whole text at once, because the page may replace the element."""
            return str(driver.execute_script("return document.querySelector(arguments[0]).innerText", selector))

        driver.get(f"http://127.0.0.1:{served.port}/")
        driver.find_element(By.LINK_TEXT, "Leaderboard").click()
        assert "bold" in text("#standings") and "torn" not in text("#standings")
        board = driver.current_window_handle
        driver.switch_to.new_window("tab")
        driver.get(f"http://127.0.0.1:{served.port}/")
        driver.find_element(By.LINK_TEXT, "Hand in a bot").click()
        for given in ("ann.wrong", token):
            assert "Sign out" not in text()
            driver.find_element(By.ID, "token").send_keys(given, Keys.ENTER)
            said = "this token isn't valid" if given != token else "submissions left today"
            assert wait_until(lambda said=said: said in text(), 20)  # type: ignore[misc]

        def handed_in(file: str, action: str, outcome: str) -> None:
            driver.get(f"http://127.0.0.1:{served.port}/submit")
            driver.find_element(By.ID, "file").send_keys(str(tmp_path / file))
            driver.find_element(By.CSS_SELECTOR, f"button[value={action}]").click()
            assert wait_until(lambda: outcome in text(), 120), text()

        handed_in("torn.c", "enter", "not fit")
        assert "error" in text("pre")
        (tmp_path / "torn.c").write_text(bot_source(4, 3))
        handed_in("torn.c", "practise", "practice: played")
        assert "against bold" in text("pre")
        handed_in("torn.c", "enter", "entered")
        assert driver.execute_script("return document.cookie") == ""
        submit = driver.current_window_handle
        driver.switch_to.window(board)
        assert wait_until(lambda: "torn" in text("#standings"), 60)
        driver.switch_to.window(submit)
        driver.find_element(By.LINK_TEXT, "My bots").click()
        assert "torn" in text() and "entered" in text()
        sure = driver.find_element(By.CSS_SELECTOR, "form[action*=withdraw] button")
        assert not sure.is_displayed()
        driver.find_element(By.CSS_SELECTOR, ".doors summary").click()
        assert "It leaves the contest" in text() and sure.text == "Withdraw torn"
        sure.click()
        assert wait_until(lambda: "withdrawal: withdrawn" in text(), 20)
        driver.switch_to.window(board)
        assert wait_until(lambda: "torn" not in text("#standings"), 60)
        driver.switch_to.window(submit)
        driver.find_element(By.CSS_SELECTOR, "nav button").click()
        assert driver.find_element(By.ID, "token").is_displayed() and "Sign out" not in text()
        answers = "(401|422) "  # The wrong token and the torn bot's page are answered so.
        assert [one["message"] for one in logged(driver, "browser") if not re.search(answers, one["message"])] == []
        events = [json.loads(entry["message"])["message"] for entry in logged(driver, "performance")]
        asked = [one["params"]["request"]["url"] for one in events if one["method"] == "Network.requestWillBeSent"]
        asked = [url for url in asked if not url.startswith(("chrome", "data:"))]  # A new tab is the browser's own.
        assert asked and all(url.startswith(f"http://127.0.0.1:{served.port}/") for url in asked)
        assert not any(token in url for url in asked)
    assert token not in served.said.read_text()
