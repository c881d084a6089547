"""The tests that `make test` runs however long they take are there by the names that tests/tiers.py has for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.tiers import HOLDS_UP


def test_those_that_hold_something_up_exist() -> None:
    """A renamed one would drop out of `make test` without a word."""
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "no:cacheprovider"]
    found = subprocess.run(
        [*collect, *HOLDS_UP], cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=300
    )
    assert found.returncode == 0, found.stdout + found.stderr
