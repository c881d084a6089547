"""Processes that play read what they need, and nothing else."""

from __future__ import annotations

from pathlib import Path

from tournament.artifacts import commands
from tournament.sandbox.outside import fork_server, run_command
from tournament.sandbox.outside.launch import LaunchSpec, ProcessLimits, Program


def test_link_in_readable_folder_can_be_followed(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "elsewhere").write_text("shown")
    link = tmp_path / "bot" / "link"
    link.symlink_to(tmp_path / "elsewhere")
    command = commands.find_command("sh", Path("/"))
    readable = [*commands.read_by(command), str(tmp_path / "bot"), str(link)]
    launch = LaunchSpec(
        Program([command, "-c", f"read x < {link}; echo $x"]), ProcessLimits(256, 10), readable=readable
    )
    assert run_command.finish(fork_server.start(launch, "on"), launch, 20).output == b"shown\n"
