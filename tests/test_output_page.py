"""Values of every --json are as their schemas say, and the shipped notebook runs to its last cell."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.main import get_command

from tests.commands import run_cli
from tests.contest_runs import CONTEST, ContestDir, make_contest
from tournament.cli.commands import app
from tournament.cli.groups import OWN
from tournament.cli.schemas import command_schemas

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    played = make_contest(tmp_path_factory.mktemp("notebook"), ["bold", "calm"], sessions=30)
    played.play()
    return played


SCHEMAS = command_schemas()


def test_every_command_that_prints_json_has_a_schema_with_meanings() -> None:
    group: Any = get_command(app)
    commands = {name: group.get_command(None, name) for name in OWN}
    with_json = {name for name, one in commands.items() if any("--json" in option.opts for option in one.params)}
    assert {name.split()[0] for name in SCHEMAS} == with_json
    assert json.loads(run_cli("schemas").out) == SCHEMAS
    assert json.loads(run_cli("schemas", "check").out) == SCHEMAS["check"]
    refused = run_cli("schemas", "run")
    assert refused.code == 2 and refused.err.startswith("tournament: run prints no JSON; expected one of: check, ")
    described = [one for schema in SCHEMAS.values() for one in schema.get("items", schema)["properties"].values()]
    assert all(one.get("description") for one in described)


@pytest.mark.parametrize(
    "words",
    [
        ("leaderboard",), ("leaderboard", "--rating", "elo"), ("crosstable",), ("faults",), ("verify",),
        ("replay", "--match", "bold,calm", "--session", "0", "--game", "0"),
        ("match", "bold", "calm", "--sessions", "3"), ("check", "bots/bold.c"),
    ],
)  # fmt: skip
def test_what_a_command_prints_is_as_its_schema_says(
    place: ContestDir, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)
    command, *rest = words
    of = ["--contest", CONTEST] if command == "check" else []
    before = [] if command == "check" else [CONTEST]
    found = run_cli(command, *before, *rest, *of, "--json")
    schema = SCHEMAS.get(" ".join(words[:2])) or SCHEMAS[command]
    values = json.loads(found.out)
    jsonschema.validate(values, schema)
    for one in values if isinstance(values, list) else [values]:
        assert set(one) == set(schema.get("items", schema)["properties"])


def test_every_variable_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text()
    sources = [path.read_text() for path in (ROOT / "tournament" / "cli").glob("*.py")]
    found = {name for source in sources for name in re.findall(r'envvar="(\w+)"', source)}
    assert found and found == set(re.findall(r"\(`(TOURNAMENT_\w+)`\)", page))


def test_the_notebook_runs(
    place: ContestDir, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cell by cell as plain Python, without a notebook program."""
    notebook = json.loads((ROOT / "docs" / "tutorials" / "analysis.ipynb").read_text())
    monkeypatch.chdir(place.folder)
    scope: dict[str, Any] = {}
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell.get("outputs") for cell in notebook["cells"])
    for cell in cells:
        exec(compile(cell, "<cell>", "exec"), scope)
    assert len(cells) >= 5 and list(scope["crosstable"].columns) == ["bold", "calm"]
    assert re.search(r"^(bold|calm) a a: card", capsys.readouterr().out, re.MULTILINE) and scope["replay"].games
