"""A long run takes no more memory than a short one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contest_runs import ContestDir, environment, make_contest

SCRIPT = """
import re, sys
from pathlib import Path
from tournament.api import run
run(config=sys.argv[1], results=sys.argv[2], sessions=int(sys.argv[3]), workers=2, executor="local")
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text()).group(1))
"""


def peak_of_run(place: ContestDir, sessions: int) -> int:
    """Return the most memory that a run's process held, in kB."""
    results = place.folder / f"results {sessions}"
    command = [sys.executable, "-c", SCRIPT, str(place.config), str(results), str(sessions)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.slow
def test_ten_times_the_games_take_same_memory(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull", "even"])
    short, long = peak_of_run(place, 5_000), peak_of_run(place, 50_000)
    assert long < 1.1 * short, f"{short} kB and {long} kB"
