"""An author's way in a real browser: from the address to a bot on the board, which moves by itself."""

from __future__ import annotations

import json
import re
import socket
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
def test_a_bot_is_handed_in_and_the_open_page_follows(tmp_path: Path) -> None:
    (tmp_path / "tournament.toml").write_text(f"[{CONTEST}]\nsessions = 20\n")
    entrants = tmp_path / "entrants" / CONTEST
    entrants.mkdir(parents=True)
    for name, above in {"bold": 2, "calm": 5}.items():
        (entrants / f"{name}.c").write_text(bot_source(above, above))
    (tmp_path / "mine.c").write_text(bot_source(4, 3))
    (tmp_path / "torn.c").write_text("int a(const Bot *bot) { return 1 }")
    token = add_author(tmp_path / "authors.toml", "ann")
    with socket.create_server(("127.0.0.1", 0)) as free:
        served = Process(tmp_path, free.getsockname()[1])
    served.start()
    try:
        assert served.says("the board is current")
        with chromium(tmp_path / "profile") as driver:

            def text(selector: str = "body") -> str:
                """All of it at once: the page may put another element in its place."""
                return str(driver.execute_script("return document.querySelector(arguments[0]).innerText", selector))

            driver.get(f"http://127.0.0.1:{served.port}/")
            driver.find_element(By.LINK_TEXT, "Leaderboard").click()
            assert "bold" in text("#standings") and "mine" not in text("#standings")
            board = driver.current_window_handle
            driver.switch_to.new_window("tab")
            driver.get(f"http://127.0.0.1:{served.port}/")
            driver.find_element(By.LINK_TEXT, "Hand in a bot").click()
            field = driver.find_element(By.ID, "token")
            field.send_keys("ann.wrong", Keys.ENTER)
            assert wait_until(lambda: "needs a token" in text("#answer"), 20)
            field.clear()
            field.send_keys(token, Keys.ENTER)
            assert wait_until(driver.find_element(By.ID, "file").is_displayed, 20)
            for file, said in (("torn.c", "not fit"), ("mine.c", "fit to enter")):
                driver.find_element(By.ID, "file").send_keys(str(tmp_path / file))
                driver.find_element(By.ID, "enter").click()
                assert wait_until(lambda file=file, said=said: file in text("#answer") and said in text("#answer"))  # type: ignore[misc]
            assert wait_until(lambda: "mine.c: entered" in text("#jobs") and "torn.c: not fit" in text("#jobs"), 20)
            assert driver.execute_script("return document.cookie") == ""
            submit = driver.current_window_handle
            driver.switch_to.window(board)
            assert wait_until(lambda: "mine" in text("#standings"), 60)
            driver.switch_to.window(submit)
            driver.find_element(By.CSS_SELECTOR, "#jobs button").click()
            assert wait_until(lambda: "withdrawn" in text("#answer"), 20)
            driver.switch_to.window(board)
            assert wait_until(lambda: "mine" not in text("#standings"), 60)
            answers = "(401|422) "  # to the wrong token and the torn bot
            assert [one["message"] for one in logged(driver, "browser") if not re.search(answers, one["message"])] == []
            events = [json.loads(entry["message"])["message"] for entry in logged(driver, "performance")]
            asked = [one["params"]["request"]["url"] for one in events if one["method"] == "Network.requestWillBeSent"]
            asked = [url for url in asked if not url.startswith(("chrome:", "data:"))]  # its own new tab
            assert asked and all(url.startswith(f"http://127.0.0.1:{served.port}/") for url in asked)
            assert not any(token in url for url in asked)
    finally:
        served.kill()
    assert token not in served.said.read_text()
