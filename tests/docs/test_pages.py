"""Pages, pictures, the Makefile and the files in deploy/ say what the code does."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import ray
import typer
import yaml

from docs.tools import pictures, reference
from tests.commands import command
from tests.docs.blocks import ROOT, pages
from tournament.cli.commands import app
from tournament.cli.groups import OWN, options_by_group

DEPLOY = ROOT / "deploy"
COMMANDS: Any = typer.main.get_command(app)


@pytest.mark.parametrize("page", reference.pages(), ids=lambda page: page.name)
def test_tables_are_as_the_code_has_them(page: Path) -> None:
    assert page.read_text() == reference.generated(page.read_text()), "make reference writes them"


def test_command_has_example_and_grouped_options() -> None:
    for name in COMMANDS.commands:
        found = COMMANDS.get_command(None, name)
        for one in getattr(found, "commands", {name: found}).values():
            assert [param.name for param in options_by_group(one).get("Options", [])] == ["help"], name
            assert one.epilog and all(line.startswith(f"tournament {name}") for line in one.epilog.splitlines()), name


@pytest.mark.parametrize("name", OWN)
def test_help_of_command_is_its_docstring(name: str) -> None:
    """Compare all but the exceptions, and the first line with the list of commands."""
    module, _, function = OWN[name].where.partition(":")
    docstring = inspect.getdoc(getattr(importlib.import_module(module), function)) or ""
    assert docstring.split("\n\n")[0] == OWN[name].does
    assert COMMANDS.get_command(None, name).help == docstring.partition("\n\nRaises:")[0]


def test_options_of_run_in_pages_and_deploy_exist() -> None:
    known = {option for param in COMMANDS.get_command(None, "run").params for option in param.opts}
    for path in (*DEPLOY.iterdir(), *pages()):
        for line in re.sub(r"\\\n|\n +--", " --", path.read_text()).splitlines():
            for call in re.findall(r"tournament run ([^'`|&]*)", line):
                assert set(re.findall(r"--[a-z-]+", call)) - {"--screen"} <= known, f"{path.name}: {call}"


def test_measured_numbers_in_readme_are_those_of_benchmarks() -> None:
    readme, measured = (
        [line.split(" | ") for line in re.findall(r"^\| (.*) \|$", (ROOT / name).read_text(), re.MULTILINE)]
        for name in ("README.md", "benchmarks/README.md")
    )
    benchmarks = {cells[0]: cells for cells in reversed(measured)}
    rows = [cells for cells in readme if cells[-1] in benchmarks]
    assert len(rows) >= 4
    for _, speed, compared, row in rows:
        ours, _, ratio, *_ = benchmarks[row][1:]
        assert (speed.split()[0], compared.split()[0]) == (ours.split()[0], ratio)


def test_header_in_documentation_is_that_of_bots() -> None:
    def code(path: str) -> str:
        bare = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.DOTALL)
        return " ".join(bare[bare.index("typedef float Card;") : bare.index("} Bot;")].split())

    sdk = "tournament/contests/von_neumann_poker/sdk/von_neumann_poker.h"
    assert code("docs/reference/von_neumann_poker.md") == code(sdk)


def test_pictures_show_what_commands_print(tmp_path: Path) -> None:
    """`make docs-pictures` makes them."""
    pictures.few_bots(tmp_path)
    for terminal in pictures.STEPS:
        today = command(tmp_path, *terminal.words.split(), columns=terminal.columns).out.replace(f"{tmp_path}/", "")
        picture = "".join(pictures.lines_in((pictures.PICTURES / f"{terminal.name}.svg").read_text()))
        assert "".join(picture.split()) == "".join(today.split()), terminal.words


def test_image_copies_what_a_build_needs() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    names = {name for words in re.findall("^COPY (.*)", text, re.MULTILINE) for name in shlex.split(words)[:-1]}
    assert all((ROOT / name).exists() for name in names)
    # What setup.py reads, with the folders that pyproject.toml packs.
    wanted = {"pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "engine", "tournament", "entrants"}
    assert wanted | {"results/README.md"} <= names


def test_cluster_files_are_as_ray_and_kubernetes_take_them() -> None:
    schema = json.loads((Path(str(ray.__file__)).parent / "autoscaler" / "ray-schema.json").read_text())
    jsonschema.validate(yaml.safe_load((DEPLOY / "cluster.yaml").read_text()), schema)
    job, policy = yaml.safe_load_all((DEPLOY / "rayjob.yaml").read_text())
    assert job["spec"]["rayClusterSpec"]["authOptions"] == {"mode": "token"}
    nodes = {"podSelector": {"matchLabels": {"ray.io/is-ray-node": "yes"}}}  # KubeRay's label of all pods of a cluster
    assert policy["spec"]["podSelector"] == nodes["podSelector"] and {"from": [nodes]} in policy["spec"]["ingress"]


def test_every_target_sets_up_what_it_runs(tmp_path: Path) -> None:
    """Begin from nothing. If a target doesn't wait for something, it comes later in this order, or never."""
    makefile = (ROOT / "Makefile").read_text()
    (tmp_path / "Makefile").write_text(makefile)
    for name in ("engine", ".ci"):
        (tmp_path / name).mkdir()
    for name in ("setup.py", "pyproject.toml", ".ci/constraints.txt"):
        (tmp_path / name).touch()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony
    # What a `make` around the tests tells the one inside is left out.
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}

    def first(pattern: str) -> int:
        """Return the number of the first line that has it, or how many lines there are."""
        return next((number for number, line in enumerate(lines) if re.search(pattern, line)), len(lines))

    for target in (*phony[1].split(), ".venv/libraries"):
        make = ["make", "--dry-run", target, "PYTHON=python3"]
        lines = subprocess.check_output(make, cwd=tmp_path, env=outside, text=True).splitlines()
        if target not in ("clean", "help"):
            assert first("-m venv") < first(r"\.venv/bin/"), target
        imports_the_core = r"-m (pytest|tests|docs|benchmarks)|bin/(tournament|stubtest|lint-imports)"
        assert first("build_ext --inplace") <= first(imports_the_core), target
        assert first("group dev") <= first("pytest|bin/(mypy|ruff|stubtest|lint-imports)"), target
        assert first("artifacts.libraries") <= first("-m (pytest .*thorough|benchmarks|tests.lowest)"), target
