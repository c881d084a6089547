"""The documentation is true: every key, column and command is in it, and its examples run."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from docs.tools import reference
from tournament.cli.commands import app
from tournament.cli.groups import OWN, options_by_group
from tournament.contests import CONTESTS
from tournament.entrants.new import templates

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", reference.pages(), ids=lambda page: page.name)
def test_tables_are_as_the_code_has_them(page: Path) -> None:
    assert page.read_text() == reference.generated(page.read_text()), "make reference writes them"


def test_every_contest_and_summary_has_its_tables() -> None:
    contests = [contest.name for contest in CONTESTS]
    records = {f"columns of {table} {name}" for name in contests for table in ("games", "sessions")}
    records |= {f"columns of {name}" for name in ("matches", "entrants", "faults")}
    assert records <= reference.tables_of("records.md")
    general = {"keys before the first table", "keys of every contest", "keys of sandbox"}
    assert general | {f"keys of {name}" for name in contests} <= reference.tables_of("settings.md")
    assert reference.tables_of("commands.md") == {"commands"}
    shown = ("standings", "Verification", "Replay", "ObservedGame", "Step", "MatchReport")
    assert {f"fields of {name}" for name in shown} <= reference.tables_of("output.md")


def test_every_option_says_what_it_is_for_and_every_command_has_an_example() -> None:
    group: Any = typer.main.get_command(app)
    for name in group.commands:
        command = group.get_command(None, name)
        for one in getattr(command, "commands", {name: command}).values():
            rest = options_by_group(one).get("Options", [])
            assert [param.name for param in rest] == ["help"], f"{name}: {rest}"
            assert one.epilog and all(line.startswith(f"tournament {name}") for line in one.epilog.splitlines()), name


@pytest.mark.parametrize("name", OWN)
def test_help_of_command_is_listed_sentence_and_docstring_without_exceptions(name: str) -> None:
    module, _, function = OWN[name].where.partition(":")
    docstring = inspect.getdoc(getattr(importlib.import_module(module), function)) or ""
    assert docstring.split("\n\n")[0] == OWN[name].does
    group: Any = typer.main.get_command(app)
    assert group.get_command(None, name).help == docstring.partition("\n\nRaises:")[0]


def test_every_language_of_new_bots_is_named() -> None:
    help_text = next(option.help for option in _options_of("new") if option.name == "language")
    for language in templates(CONTESTS[0]):
        assert language in README
        assert help_text and language in help_text


def test_measured_numbers_in_the_readme_are_those_of_the_benchmarks() -> None:
    """Measured numbers are only in the readme's table, which names their rows."""
    benchmarks = _rows((ROOT / "benchmarks" / "README.md").read_text())
    measured = [cells for cells in _rows(README).values() if cells[-1] in benchmarks]
    assert len(measured) >= 4
    for _, speed, compared, row in measured:
        ours, _, ratio, *_ = benchmarks[row][1:]
        assert (speed.split()[0], compared.split()[0]) == (ours.split()[0], ratio)
    prose = re.sub(r"^```.*?^```|^\|[^\n]*\n", "", README, flags=re.DOTALL | re.MULTILINE)
    assert not re.findall(r"\d[\d.,]* ?(?:[kMG]B|m?s|%|times|seconds|minutes|games|turns)\b", prose)


def _rows(text: str) -> dict[str, list[str]]:
    """Return the cells of each row of a page's tables, by their first cell."""
    found: dict[str, list[str]] = {}
    for line in re.findall(r"^\| (.*) \|$", text, re.MULTILINE):
        cells = line.split(" | ")
        found.setdefault(cells[0], cells)
    return found


def _options_of(name: str) -> list[Any]:
    return list(typer.main.get_command(app).get_command(None, name).params)  # type: ignore[attr-defined]


def test_the_header_in_the_documentation_is_the_one_that_bots_get() -> None:
    page = (ROOT / "docs" / "reference" / "von_neumann_poker.md").read_text()
    sdk = (ROOT / "tournament" / "contests" / "von_neumann_poker" / "sdk" / "von_neumann_poker.h").read_text()

    def code(text: str) -> str:
        bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        start = bare.index("typedef float Card;")
        return " ".join(bare[start : bare.index("} Bot;")].split())

    assert code(page) == code(sdk)
