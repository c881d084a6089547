"""A headless Chromium, where there is one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-prefers-reduced-motion",
    "--window-size=1200,900",
)


@contextmanager
def chromium(profile: Path) -> Iterator[webdriver.Chrome]:
    """Yield a browser that logs its console and its requests. Without one, skip the test, or fail if it is required."""
    found = map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))
    browser, driver_path = next(filter(None, found), None), shutil.which("chromedriver")
    if browser is None or driver_path is None:
        why = "needs a Chromium and its driver: apt install chromium chromium-driver"
        if "BROWSER_REQUIRED" in os.environ:
            pytest.fail(why)
        pytest.skip(why)
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("perfLoggingPrefs", {"enableNetwork": True, "enablePage": False})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver_path))
    try:
        yield driver
    finally:
        driver.quit()


def logged(driver: webdriver.Chrome, kind: str) -> list[dict[str, Any]]:
    """Return the entries of one of the browser's logs since the last time."""
    return list(driver.get_log(kind))  # type: ignore[no-untyped-call]
