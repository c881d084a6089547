"""Requirements of tests/statements.md and attacks of tests/hostile/README.md have tests that are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.native_parity.programs import PROGRAMS

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "tests" / "statements.md").read_text()
CONTESTS = {"Von Neumann poker": 35, "Two-card draw": 35, "Hold'em training": 60}
REFERENCE = re.compile(r"`(tests/[\w/]+\.py)::(\w+)(?:\[(\w+)\])?`")


def rows_under(heading: str) -> list[list[str]]:
    """Return the cells of all tables in a part of the page, their heads left out."""
    part = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert part, heading
    lines = [line for line in part[1].splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if row[0] != "requirement" and not set(row[0]) <= {"-"}]


@cache
def names_in(path: Path) -> set[str]:
    """Return the names of the tests in a file."""
    found = ast.walk(ast.parse(path.read_text())) if path.is_file() else ()
    return {node.name for node in found if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def problem_of(row: list[str]) -> str | None:
    """Return what is wrong with a line, in words."""
    if len(row) != 3:
        return f"has {len(row)} cells"
    requirement, _, held_by = row
    if not requirement:
        return "requires nothing"
    if re.match(r"not met(?: yet)?: \w", held_by):
        return None
    references = REFERENCE.findall(held_by)
    if not references:
        return "has no test"
    for file, name, program in references:
        if name not in names_in(ROOT / file):
            return f"{file} has no test {name}"
        if program and program not in PROGRAMS:
            return f"there is no program {program}"
    return None


@pytest.mark.parametrize("contest", CONTESTS)
def test_every_requirement_has_a_test_that_is_there(contest: str) -> None:
    rows = rows_under(contest)
    assert len({row[0] for row in rows}) == len(rows) >= CONTESTS[contest]
    assert {row[0]: problem for row in rows if (problem := problem_of(row))} == {}


def test_every_attack_that_is_listed_has_its_test_or_bot() -> None:
    """Look for a name after a comma in the folder of the name before it."""
    page = (ROOT / "tests" / "hostile" / "README.md").read_text()
    cells = re.findall(r"^\| .+ \| (.+) \|$", page, re.MULTILINE)
    assert len(cells) > 100
    missing = []
    for group in "; ".join(cells[1:]).replace("—", "hostile/").split("; "):
        folder = ""
        for name in group.split(", "):
            folder = name.rpartition("/")[0] or folder
            place, file = ROOT / "tests" / folder, name.rpartition("/")[2]
            if not (any(place.glob(f"{file}.*")) or any(place.glob(file)) if file else place.is_dir()):
                missing.append(name)
    assert missing == []
