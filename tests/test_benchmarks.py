"""Every benchmark that a page names is there, and those of seconds run in small."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.contest_runs import REPOSITORY, environment

SMALL = {
    "benchmarks.growth": "4 --edits 2",
    "benchmarks.tables": "--rounds 1",
    "benchmarks.versions": "--tries 1 --replicas 2 --only auction",
    "benchmarks.views": "--help",
}


@pytest.mark.slow
@pytest.mark.parametrize("module", SMALL)
def test_benchmark_runs_in_small(module: str) -> None:
    command = [sys.executable, "-m", module, *SMALL[module].split()]
    done = subprocess.run(command, cwd=REPOSITORY, env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout, done.stderr


def test_benchmarks_that_pages_name_exist() -> None:
    pages = [*REPOSITORY.glob("docs/**/*.md"), *REPOSITORY.glob("*.md"), REPOSITORY / "benchmarks" / "README.md"]
    named = {name for page in pages for name in re.findall(r"python -m (benchmarks[\w.]*\w)", page.read_text())}
    assert named >= {*SMALL} and all(map(find_spec, named))
