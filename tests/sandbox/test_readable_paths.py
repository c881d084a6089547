"""Processes that play read what they need, and nothing else."""

from __future__ import annotations

import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.worker.support import build
from tournament.artifacts import commands
from tournament.sandbox.outside import fork_server, readable_paths, run_command
from tournament.sandbox.outside.launch import ForkServer, LaunchSpec, ProcessLimits, Program

INTERFACE = VON_NEUMANN_POKER.interface


def shell(script: str, *more: str) -> LaunchSpec:
    command = commands.find_command("sh", Path("/"))
    return LaunchSpec(
        Program([command, "-c", script]), ProcessLimits(256, 10), readable=[*commands.read_by(command), *more]
    )


def test_interpreter_without_multiarch_finds_the_same_libraries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = readable_paths.system_libraries()
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _name: None)
    readable_paths.system_libraries.cache_clear()
    assert readable_paths.system_libraries() == known


def test_file_in_readable_folder_needs_no_rule(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "file").write_text("own")
    (tmp_path / "elsewhere").write_text("shown")
    (tmp_path / "bot" / "link").symlink_to(tmp_path / "elsewhere")
    within = [str(tmp_path / "bot" / name) for name in ("file", "link")]
    launch = shell(f"read x < {within[1]}; echo $x", str(tmp_path / "bot"), *within)
    allowed = readable_paths.paths(replace(launch, what=ForkServer("program")), {})
    assert [path for path in allowed if path.startswith(str(tmp_path))] == [str(tmp_path / "bot"), within[1]]
    assert run_command.finish(fork_server.start(launch, "on"), launch, 20).output == b"shown\n"


def test_interpreter_of_program_finds_its_library() -> None:
    """Modules in C are there, too."""
    source = {"bot.toml": 'command = ["python3", "bot.py"]\n', "bot.py": "import ctypes, json, ssl, sqlite3, decimal\n"}
    (entrant,) = build({"bot": {**source, "bot.py": source["bot.py"] + "input()\n"}})
    assert entrant.problem is None
