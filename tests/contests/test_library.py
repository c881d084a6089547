"""An organiser's library beside the settings, which rules and Python bots import."""

from __future__ import annotations

import pickle
import shutil
import sys
from pathlib import Path

import pytest

from tournament.api import run
from tournament.artifacts import python_artifact
from tournament.config import load_config
from tournament.contests import rules_loader
from tournament.errors import InputError

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
        from maze import far

        free = maze.walls.free_at(session.number)
        taken = yield [STEP(seat, free=free) for seat in range(2)]
        steps = [far.LENGTH * (taken[seat] in free) for seat in range(2)]
        session.record([steps[0] - steps[1], steps[1] - steps[0]], steps=steps)
"""
FILES = {
    "lib/maze/__init__.py": "",
    "lib/maze/walls.py": "def free_at(turn):\n    return [turn % 4]\n",
    "lib/maze/far.py": "from .random import FIRST\n\nLENGTH = 3 + FIRST\n",
    "lib/maze/random.py": "FIRST = 0\n",
    "lib/helper.py": "import maze.far\n\n\ndef best(view):\n    return view.free[0] * (maze.far.LENGTH == 3)\n",
    "bots/knows.py": "import helper\n\n\ndef step(view):\n    return helper.best(view)\n",
    "bots/lazy.py": "def step(view):\n    from maze.walls import free_at\n\n    return view.free[0]\n",
    "bots/zero.py": "def step(view):\n    return 0\n",
    "maze_rules.py": RULES,
    "tournament.toml": '[maze]\nrules = "maze_rules.py"\nlibrary = "lib/"\nentrants = "bots"\nsessions = 8\n'
    'seed = "seed of the tests of libraries"\n',
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return the settings file of a contest with a library."""
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path / "tournament.toml"


def scores(place: Path) -> dict[str, float]:
    played = run("maze", config=place, executor="local", workers=2)
    assert not played.ranking.failed_legs
    assert not any(line.faults for line in played.ranking.entrants)
    return {line.name: line.score for line in played.ranking.entrants}


def test_library_change_replays_importing_rules_and_bots(place: Path) -> None:
    # Of eight sessions two have the field 0 free; a step is worth 3.
    assert scores(place) == {"knows": 18.0, "lazy": 18.0, "zero": -36.0}
    helper = place.parent / "lib" / "helper.py"
    games = place.parent / "results" / "maze" / "games"
    before = {path.name for path in games.iterdir()}
    helper.write_text(helper.read_text().replace("return", "return 0 *"))
    assert scores(place) == {"knows": -18.0, "lazy": 36.0, "zero": -18.0}
    assert before - {path.name for path in games.iterdir()}
    assert not (place.parent / "results" / "maze-archive-1").exists(), "the rules are the same"
    edition = load_config("maze", place).played.edition
    # What is imported when it is played counts, too, also by a module of the library.
    (place.parent / "lib" / "maze" / "far.py").write_text("def length():\n    import deep\n\n    return deep.LENGTH\n")
    (place.parent / "lib" / "deep.py").write_text("LENGTH = 5\n")
    second = load_config("maze", place).played.edition
    (place.parent / "lib" / "deep.py").write_text("LENGTH = 7\n")
    assert len({edition, second, load_config("maze", place).played.edition}) == 3


COUNTS = """\
import random
import more

OWN = random.Random()
SEEN = []


class Kept:
    n = 0


def pick(free):
    SEEN.append(1)
    Kept.n += 1
    more.LATE.append(1)
    if len(SEEN) == 4:
        raise ValueError("the fourth")
    return (len(SEEN) + Kept.n + len(more.LATE)) // 3 + OWN.randrange(4) + random.randrange(4) & 3
"""


def test_legs_and_restarted_bots_have_a_library_each(place: Path) -> None:
    """Modules that a leg imports late are its own, and its chance, though it shares a process with other legs."""
    (place.parent / "lib" / "helper.py").write_text(COUNTS)
    (place.parent / "lib" / "more.py").write_text("LATE = []\n")
    for name in ("knows", "late", "third"):
        late = "    import helper\n\n" if name == "late" else ""
        first = "" if late else "import helper\n\n\n"
        (place.parent / "bots" / f"{name}.py").write_text(
            f"{first}def step(view):\n{late}    return helper.pick(view.free)\n"
        )
    (place.parent / "bots" / "lazy.py").unlink()
    games = []
    for alone in (1, 256):
        text = f"[sandbox]\nlegs_per_process = {alone}\n"
        (place.parent / f"{alone}.toml").write_text(place.read_text() + text)
        results = place.parent / f"results_{alone}"
        played = run("maze", config=place.parent / f"{alone}.toml", results=results, workers=1, replicas=3)
        assert {line.name: line.faults for line in played.ranking.entrants} == {
            "knows": 18, "late": 18, "third": 18, "zero": 0,
        }  # fmt: skip
        games.append(played.games)
    assert games[0].equals(games[1])
    assert set(games[0].steps_0) == {0, 3}


def test_only_bots_that_import_library_carry_it() -> None:
    library = {"lux/__init__.py": "", "helper.py": ""}
    assert b"helper.py" in python_artifact.library_for(b"from lux.kit import X", b"", library)
    assert b"helper.py" in python_artifact.library_for(b"def step(view): return 0", b"import helper", library)
    assert python_artifact.library_for(b"def step(view): return 0", b"", library) == b""


def test_contests_of_one_process_have_libraries_of_their_own(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / str(number)
        (folder / "lib" / "maze").mkdir(parents=True)
        (folder / "lib" / "maze" / "walls.py").write_text("")
        (folder / "lib" / "maze" / "seats.py").write_text(f"SEATS = {number}\n")
        rules = RULES.replace("import maze.walls", "import maze.seats, maze.walls")
        rules = rules.replace("seats = 2", "seats = maze.seats.SEATS").replace('"maze"', f'"maze_{number}"')
        (folder / "rules.py").write_text(rules)
        contest = rules_loader.load_rules("rules.py", folder, [folder / "lib"])
        assert contest.seats == number
    assert "maze" not in sys.modules
    # A worker elsewhere has no such files.
    sent = pickle.dumps(contest.source)
    shutil.rmtree(folder)
    rules_loader.forget()
    assert rules_loader.load_source(pickle.loads(sent)).engine_version == contest.engine_version


@pytest.mark.parametrize(
    ("library", "content", "message"),
    [
        ("lib/", "import random\n\nx = random.random()\n", "draws from the system's chance"),
        ("none/", "", "tournament.toml, line 3: library: .* is no Python file and no folder"),
        ("random.py", "", "would hide one that is there"),
        ("lib/", "raise ValueError('broken')", "ValueError: broken"),
    ],
)
def test_library_that_can_t_be_used_is_named(place: Path, library: str, content: str, message: str) -> None:
    (place.parent / "lib" / "maze" / "walls.py").write_text(content)
    (place.parent / "random.py").write_text("")
    place.write_text(place.read_text().replace("lib/", library))
    if library != "lib/":
        (place.parent / "maze_rules.py").write_text(RULES.replace("import maze.walls", ""))
    with pytest.raises(InputError, match=message):
        load_config("maze", place)
