"""Shared by all tests: a quiet Ray, and an object store for those that ask."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from tests.object_store import serve

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# A shell that runs the tests in the background has children ignore Ctrl-C; the runs under test must not.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def object_store() -> Iterator[str]:
    """The options of URLs into an object store that runs while tests do."""
    with serve() as options:
        yield options
