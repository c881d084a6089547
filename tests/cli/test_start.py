"""The time of a start goes into modules, so commands load only those that they need."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contest_runs import REPOSITORY, make_contest

# The command in a process that tells in the end which modules it loaded.
_TELLING = """
import sys
from tournament.__main__ import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
HEAVY = {"numpy", "pandas", "pyarrow", "pydantic", "ray", "obstore", "wasmtime"}


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Return the modules that a command loads, which has to end well."""
    process = subprocess.run(
        [sys.executable, "-c", _TELLING, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(process.stderr.splitlines()[-1].split())


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    assert not loaded(tmp_path, "--help") & {*HEAVY, "rich", "engine", "tournament.contests", "tournament.config"}
    of_run = loaded(tmp_path, "run", "--help")  # Typer itself loads pydantic
    assert not of_run & {*HEAVY - {"pydantic"}, "engine", "tournament.config", "tournament.contests.contest"}


def test_python_m_imports_package_engine_despite_local_engine(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("raise SystemExit('another engine')")
    words = [sys.executable, "-m", "tournament", "new", "von_neumann_poker", "my_bot", "--language", "python"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_run_loads_no_library_of_functions_on_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_contest(tmp_path, ["bold", "calm"], sessions=2).play()  # The bots are compiled.
    modules = loaded(tmp_path, "run", "von_neumann_poker", "--sessions", "3")
    assert "pyarrow.parquet" in modules
    assert not {"pyarrow.compute", "pyarrow.dataset", "numpy.ma", "pandas", "ray", "obstore"} & modules
    assert not {"tournament.worker.processes.lanes", "tournament.artifacts.c_bots"} & modules
    # A broken package fails as a missing one does.
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "ray.py").write_text("raise ModuleNotFoundError(\"No module named 'ray'\", name='ray')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "broken"))
    words = [sys.executable, "-m", "tournament", "run", "von_neumann_poker", "--executor", "ray"]
    told = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    needed = re.search(r'"(ray>=[^"]*)",', (REPOSITORY / "pyproject.toml").read_text())
    assert needed and told.returncode == 2
    assert told.stderr.splitlines()[-1] == (
        f"tournament: executor \"ray\": No module named 'ray'; pip install '{needed[1]}'"
    )
