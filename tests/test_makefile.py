"""Targets of `make` set up what they run."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_every_target_sets_up_what_it_runs(tmp_path: Path) -> None:
    """Begin from nothing. If a target doesn't wait for something, it comes later in this order, or never."""
    makefile = (ROOT / "Makefile").read_text()
    (tmp_path / "Makefile").write_text(makefile)
    (tmp_path / "setup.py").touch()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "engine").mkdir()
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci" / "constraints.txt").touch()
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
            assert first("-m venv") < first(r"\.venv/bin/|--prefix \.venv"), target
        imports_the_core = r"-m (pytest|tests|docs|benchmarks)|bin/(tournament|stubtest|lint-imports)"
        assert first("build_ext --inplace") <= first(imports_the_core), target
        assert first("group dev") <= first("pytest|bin/(mypy|ruff|stubtest|lint-imports)"), target
        assert first("artifacts.libraries") <= first("-m (pytest .*thorough|benchmarks|tests.lowest)"), target
