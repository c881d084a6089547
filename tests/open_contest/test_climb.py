"""The tutorial of a scripted client, as it stands on its page: from a template to beating three bots of the house."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contest_runs import CONTEST, REPOSITORY
from tests.docs.blocks import files_of
from tests.open_contest.support import Process
from tournament.open_contest.authors import add_author

PAGE = REPOSITORY / "docs" / "tutorials" / "climb_by_script.md"


@pytest.mark.slow
def test_scripted_client_climbs_from_the_template_to_beating_the_house(tmp_path: Path) -> None:
    house = re.findall(r"`(\w+)\.c`", PAGE.read_text())
    entrants = tmp_path / "entrants" / CONTEST
    entrants.mkdir(parents=True)
    for name in house:
        shutil.copy(REPOSITORY / "entrants" / CONTEST / f"{name}.c", entrants)
    (tmp_path / "tournament.toml").write_text(
        f'[{CONTEST}]\nsessions = 200\nreplicas = 2\nseed = "a climb of the tests"\n'
    )
    token = add_author(tmp_path / "authors.toml", "model")
    (tmp_path / "climb.py").write_text(files_of(PAGE)["climb.py"])
    with Process(tmp_path) as served:
        assert served.says("the board is current", 300)
        where = {"SERVER": f"http://127.0.0.1:{served.port}", "TOKEN": token}
        words = [sys.executable, "-I", "climb.py"]
        found = subprocess.run(words, cwd=tmp_path, env=os.environ | where, capture_output=True, text=True)
        assert found.returncode == 0, found.stderr + served.said.read_text()[-2000:]
    # One match against one bot is mostly luck: the climber's rank among bots that it beats by far isn't.
    for line in (r"the template: [+−-]\d", r"against \w+: [+−-]\d", r"its first game: \w", r"score \S+ rank 1$"):
        assert re.search(line, found.stdout.strip()), found.stdout
    assert len(house) == 3
