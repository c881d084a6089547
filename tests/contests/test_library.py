"""An organiser's library beside the settings, which rules and Python bots import."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from tournament.api import run
from tournament.artifacts import python_artifact
from tournament.config import load_config
from tournament.contests import rules_loader
from tournament.errors import InputError
from tournament.library import Library

RULES = """\
import maze.walls
from tournament.rules import Column, Decision, Int, List, Rules

STEP = Decision("step", "Step", observation={"free": List(Int(0, 3), 4)}, answer=Int(0, 3))


class Maze(Rules):
    name = "maze"
    seats = 2
    decisions = (STEP,)
    columns = (Column("steps", "int32", "steps into a free field", per_seat=True),)

    def play(self, session):
        from maze import far        # not before it is played

        free = maze.walls.free_at(session.number)
        taken = yield [STEP(seat, free=free) for seat in range(2)]
        steps = [far.LENGTH * (taken[seat] in free) for seat in range(2)]
        session.record([steps[0] - steps[1], steps[1] - steps[0]], steps=steps)
"""
FILES = {
    "lib/maze/__init__.py": "",
    "lib/maze/walls.py": "from .far import LENGTH\n\n\ndef free_at(turn):\n    return [turn % 4]\n",
    "lib/maze/far.py": "LENGTH = 3\n",
    "lib/helper.py": "import maze.walls\n\n\ndef best(view):\n    return view.free[0] * (maze.walls.LENGTH == 3)\n",
    "bots/knows.py": "import helper\n\n\ndef step(view):\n    return helper.best(view)\n",
    "bots/lazy.py": "def step(view):\n    from maze.walls import free_at\n\n    return view.free[0]\n",
    "bots/zero.py": "def step(view):\n    return 0\n",
    "maze_rules.py": RULES,
    "tournament.toml": '[maze]\nrules = "maze_rules.py"\nlibrary = "lib/"\nentrants = "bots"\nsessions = 8\n'
    'seed = "seed of the tests of libraries"\n',
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The settings file of a contest with a library."""
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path / "tournament.toml"


def scores(place: Path) -> dict[str, float]:
    played = run("maze", config=place, executor="local", workers=2)
    assert not played.ranking.failed_legs
    assert not any(line.faults for line in played.ranking.entrants)
    return {line.name: line.score for line in played.ranking.entrants}


def test_rules_and_bots_import_the_library_and_its_changes_play_again(place: Path) -> None:
    # Of eight sessions two have the field 0 free; a step is worth 3.
    assert scores(place) == {"knows": 18.0, "lazy": 18.0, "zero": -36.0}
    helper = place.parent / "lib" / "helper.py"
    games = place.parent / "results" / "maze" / "games"
    before = {path.name for path in games.iterdir()}
    helper.write_text(helper.read_text().replace("return", "return 0 *"))
    assert scores(place) == {"knows": -18.0, "lazy": 36.0, "zero": -18.0}
    assert before - {path.name for path in games.iterdir()}
    assert not (place.parent / "results" / "maze-archive-1").exists()  # the rules are the same
    edition = load_config("maze", place).played.edition
    (place.parent / "lib" / "maze" / "far.py").write_text("LENGTH = 5\n")
    assert load_config("maze", place).played.edition != edition


def test_only_bots_that_name_a_module_of_the_library_carry_it() -> None:
    library = {"lux/__init__.py": "", "helper.py": ""}
    carried = json.dumps(library, sort_keys=True).encode()
    assert python_artifact.library_for(b"from lux.kit import X", b"", library) == carried
    assert python_artifact.library_for(b"def step(view): return 0", b"import helper", library) == carried
    assert python_artifact.library_for(b"def step(view): return 0", b"", library) == b""


def test_workers_elsewhere_get_the_library_with_the_rules(
    place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = load_config("maze", place).played.source
    code = (
        "import pickle, sys\nfrom tournament.contests.rules_loader import load_source\n"
        "print(load_source(pickle.loads(sys.stdin.buffer.read())).engine_version)\n"
    )
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    there = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(source), capture_output=True, cwd=elsewhere, check=True
    )
    assert there.stdout.decode().strip() == load_config("maze", place).played.engine_version


def test_contests_of_one_process_have_libraries_of_their_own(tmp_path: Path) -> None:
    found = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "shared.py").write_text(f"NUMBER = {number}\n")
        rules = RULES.replace("import maze.walls", "import shared").replace('name = "maze"', f'name = "maze_{number}"')
        (folder / "rules.py").write_text(
            f"{rules}\n    def number(self):\n        import shared\n\n        return shared.NUMBER\n"
        )
        contest = rules_loader.load_rules("rules.py", folder, "shared.py")
        assert contest.source
        found.append(vars(rules_loader._run(*contest.source[:2], Library(dict(contest.source.library))))["Maze"])  # type: ignore[arg-type]
    assert [kind.number(None) for kind in found] == [1, 2]
    assert "shared" not in sys.modules


@pytest.mark.parametrize(
    ("library", "content", "message"),
    [
        ("lib/", "import random\n\nx = random.random()\n", "draws from the system's chance"),
        ("none/", "", "is no Python file and no folder"),
        ("random.py", "", "would hide one that is there"),
        ("lib/", "raise ValueError('broken')", "ValueError: broken"),
    ],
)
def test_library_that_can_t_be_used_is_named(place: Path, library: str, content: str, message: str) -> None:
    (place.parent / "lib" / "maze" / "far.py").write_text(content)
    (place.parent / "random.py").write_text("")
    place.write_text(place.read_text().replace("lib/", library))
    if library != "lib/":
        (place.parent / "maze_rules.py").write_text(RULES.replace("import maze.walls", ""))
    with pytest.raises(InputError, match=message):
        load_config("maze", place)
