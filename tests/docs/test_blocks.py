"""Every code block of every page is parsed, and those of pages that say where run in order, in one folder.

A page says where in a line of its own, `<!-- blocks run in: empty -->` for an empty folder, `records` for one with what
quick bots of von Neumann poker played, or `disqualified` for one in which a bot student_20 was disqualified, too. A
block of `sh`, or one whose lines all begin with `tournament`, runs line by line, and Python in one scope. On a page
that says nothing, every such block must say why it isn't run. A comment in the line right above a block says otherwise:

    <!-- file: entrants/von_neumann_poker/bold.c -->   written there instead, and bots must be fit
    <!-- output -->                                    output of the block of `sh` before it, with … for anything
    <!-- not run: needs a cluster -->                  only parsed, for the reason given
    <!-- slow: plays for a minute -->                  only parsed, but run by make test-thorough
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import tournament
from tests.commands import run_cli
from tests.docs.blocks import ROOT, blocks_of, files_of, name_of, pages, runs_in
from tournament.contests import rules_loader

LANGUAGES = {"", "c", "cpp", "ini", "json", "python", "sh", "text", "toml"}
LANGUAGES |= {"awk", "go", "java", "js", "perl", "rust"}  # Bots of test_languages.py are in these.
MARKS = {"file", "not run", "output", "slow"}
BOTS = ("copycat", "kuhn3", "likeme", "maniac", "naive", "newman", "stack_captain", "tight_rock")
# What a student hands in: it divides by the bets met so far, before there are any.
STUDENT = """static int met, total;  /* bets so far, and their dollars */

int a(const Bot *bot)
{
    return bot->card > 0.9 ? 10 : 0;
}

int b(const Bot *bot, const int aBet)
{
    printf("b faces %d\\n", aBet);
    int usual = total / met;
    met++, total += aBet;
    return bot->card > 0.7 || aBet < usual;
}
"""


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_blocks_are_marked_and_can_be_parsed(page: Path) -> None:
    for block in blocks_of(page):
        where = f"{name_of(page)}, line {block.line}"
        assert block.language in LANGUAGES, where
        assert block.marks.keys() - {"blocks run in", "end", "generated"} <= MARKS, where
        assert all(block.marks[name] for name in ("file", "not run", "slow") if name in block.marks), where
        assert runs_in(page) or block.language not in ("sh", "python") or "not run" in block.marks, where
        if block.language == "python":
            ast.parse(block.code, where)
        elif block.language == "toml":
            tomllib.loads(block.code)
        elif block.language == "sh":
            subprocess.run(["bash", "-n"], input=block.code, text=True, check=True)


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which some shipped bots have played a few sessions."""
    folder = tmp_path_factory.mktemp("records")
    bots = folder / "entrants" / "von_neumann_poker"
    bots.mkdir(parents=True)
    for name in BOTS:
        shutil.copy(ROOT / "entrants" / "von_neumann_poker" / f"{name}.c", bots)
    (folder / "tournament.toml").write_text('[von_neumann_poker]\nsessions = 10\nseed = "pages"\n')
    tournament.run(config=folder / "tournament.toml", executor="local")
    return folder


@pytest.fixture(scope="session")
def disqualified(records: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return such a folder after a student's bot was added."""
    folder = shutil.copytree(records, tmp_path_factory.mktemp("disqualified") / "contest")
    (folder / "entrants" / "von_neumann_poker" / "student_20.c").write_text(STUDENT)
    tournament.run(config=folder / "tournament.toml", executor="local")
    return folder


@pytest.fixture
def folder(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the current folder, in which a page's blocks run."""
    place = tmp_path / "here"
    page: Path = request.getfixturevalue("page")
    if runs_in(page) == "empty":
        place.mkdir()
    else:
        shutil.copytree(request.getfixturevalue(runs_in(page)), place)
    monkeypatch.chdir(place)
    monkeypatch.setattr("tournament.trial.trial_legs.SESSIONS", 20)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    yield place
    rules_loader.forget()


def _commands(code: str) -> list[str]:
    """Return a block's lines, or the whole where one line goes on in the next."""
    lines = re.sub(r"\\\n\s*", " ", code).splitlines()
    alone = all("<<" not in line and _parses(line) for line in lines)
    return [line for line in lines if shlex.split(line, comments=True)] if alone else [code]


def _parses(code: str) -> bool:
    return subprocess.run(["bash", "-n"], input=code, text=True, stderr=subprocess.DEVNULL).returncode == 0


def _printed(code: str) -> str:
    """Return what a block of a shell prints, whose commands must end well. `tournament` runs in this process."""
    printed = ""
    for command in _commands(code):
        plain, _, file = command.split(" #")[0].partition(" > ")
        words = shlex.split(plain)
        if words[0] == "tournament" and not re.search(r"[|&;<>$`*\n]", plain + file):
            done = run_cli(*words[1:])
            assert done.code == 0, f"{command}\n{done.out}{done.err}"
            if file:
                Path(file.strip()).write_text(done.out)
            else:
                printed += done.out
        else:
            script = f"{command}\nprintf '\\n%s' \"$PWD\""
            ran = subprocess.run(["bash", "-eo", "pipefail", "-c", script], capture_output=True, text=True)
            assert ran.returncode == 0, f"{command}\n{ran.stdout}{ran.stderr}"
            said, _, place = ran.stdout.rpartition("\n")
            printed += said
            os.chdir(place)
    return printed


def _alike(told: str, printed: str) -> bool:
    """Return whether a page's output is what was printed, but for spaces, and for what … stands for."""
    pieces = ["".join(piece.split()) for piece in told.split("…")]
    return re.search(".*".join(map(re.escape, pieces)), "".join(printed.split())) is not None


RUN = [page for page in pages() if runs_in(page)]
PARAMS = [pytest.param(page, False, marks=pytest.mark.xdist_group(runs_in(page)), id=name_of(page)) for page in RUN]
PARAMS += [pytest.param(page, True, marks=pytest.mark.thorough, id=f"slow in {name_of(page)}") for page in RUN]


@pytest.mark.parametrize(("page", "slow"), PARAMS)
def test_blocks_run(page: Path, slow: bool, folder: Path) -> None:
    if slow and not any("slow" in block.marks for block in blocks_of(page)):
        return
    scope: dict[str, object] = {"__name__": "page"}
    printed = ""
    for block in blocks_of(page):
        if "not run" in block.marks or ("slow" in block.marks and not slow):
            continue
        if path := block.marks.get("file"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(block.code)
        elif "output" in block.marks:
            assert _alike(block.code, printed), f"line {block.line}:\n{block.code}\nbut it printed\n{printed}"
        elif block.language == "sh":
            printed = _printed(block.code)
        elif block.language == "python":
            exec(block.code, scope)
    os.chdir(folder)
    for bot in dict.fromkeys("/".join(path.split("/")[:3]) for path in files_of(page) if path.startswith("entrants/")):
        assert run_cli("check", bot).code == 0, bot
