"""What `make` takes for done."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


def without_make() -> dict[str, str]:
    """The environment without what a `make` around the tests tells the one inside."""
    return {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
