"""What `make` takes for done."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Stands for the real one. While it builds for the first time, a source is edited.
SETUP = """
from pathlib import Path
builds = Path("builds")
builds.write_text(builds.read_text() + "x" if builds.exists() else "x")
if builds.read_text() == "x":
    Path("engine/core.pyx").write_text("# edited while it is built")
"""


def test_a_source_that_is_edited_while_the_core_is_built_is_built_again(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for place, text in (("engine/core.pyx", ""), ("setup.py", SETUP), ("pyproject.toml", "")):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text)
    environment = tmp_path / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    for stamp in ("compilers", "installed"):
        (environment / stamp).touch()
    make = ["make", "--silent", "build", "PYTHON=python3"]
    found = []
    for _ in range(3):
        made = subprocess.run(make, cwd=tmp_path, env=without_make(), capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
        found.append((tmp_path / "builds").read_text())
    assert found == ["x", "xx", "xx"]


def test_every_target_sets_up_what_it_runs(tmp_path: Path) -> None:
    """From nothing, in the order in which one job goes: what a target doesn't wait for comes later there, or never."""
    makefile = (ROOT / "Makefile").read_text()
    (tmp_path / "Makefile").write_text(makefile)
    (tmp_path / "setup.py").touch()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "engine").mkdir()
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony
    for target in (*phony[1].split(), ".venv/azurite", ".venv/libraries"):
        make = ["make", "--dry-run", target, "PYTHON=python3"]
        lines = subprocess.check_output(make, cwd=tmp_path, env=without_make(), text=True).splitlines()
        first = partial(_first, lines)

        if target != "clean":
            assert first("-m venv") < first(r"\.venv/bin/|--prefix \.venv"), target
        imports_the_core = r"-m (pytest|tests|docs|benchmarks)|bin/(tournament|stubtest|lint-imports)"
        assert first("build_ext --inplace") <= first(imports_the_core), target
        assert first("group dev") <= first("pytest|bin/(mypy|ruff|stubtest|lint-imports)"), target
        assert first("artifacts.libraries") <= first("-m (pytest .*thorough|benchmarks|tests.lowest)"), target


def _first(lines: list[str], pattern: str) -> int:
    """The number of the first line that has it, or how many lines there are."""
    return next((number for number, line in enumerate(lines) if re.search(pattern, line)), len(lines))


def without_make() -> dict[str, str]:
    """The environment without what a `make` around the tests tells the one inside."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
