"""What is said of a program's build that failed."""

from __future__ import annotations

from pathlib import Path

from tournament.artifacts.bot_toml import Recipe
from tournament.artifacts.program_build import _complaint
from tournament.sandbox.outside.run_command import Finished


def test_build_command_that_the_sandbox_hides_is_told_how_to_be_shown() -> None:
    recipe = Recipe(command=("./bot",), build=("rustc", "bot.rs"))
    denied = Finished(127, b"", b"/home/ann/.cargo/bin/rustc: Permission denied\n", cut_off=False)
    assert "a folder that [sandbox] readable_paths" in _complaint(recipe, denied, Path("/place"))
    failed = Finished(1, b"", b"bot.rs: Permission denied\n", cut_off=False)
    assert "[sandbox]" not in _complaint(recipe, failed, Path("/place"))
