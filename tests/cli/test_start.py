"""What a start takes: commands load what they need, and no more, since most of a short one's time goes into modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.test_cli import command
from tournament import keys

# The command in a process that tells in the end which modules it loaded.
_TELLING = """
import sys
from tournament.__main__ import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
HEAVY = {"numpy", "pandas", "pyarrow", "pydantic", "ray", "obstore", "sandlock", "wasmtime"}


def loaded(folder: Path, *arguments: str) -> set[str]:
    """The modules that a command loads, which has to end well."""
    process = subprocess.run(
        [sys.executable, "-c", _TELLING, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(process.stderr.splitlines()[-1].split())


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    assert not loaded(tmp_path, "--help") & {*HEAVY, "rich", "engine", "tournament.contests", "tournament.config"}


def test_a_commands_help_names_the_contests(tmp_path: Path) -> None:
    assert "one of: von_neumann_poker, two_card_draw, holdem_training" in command(tmp_path, "verify", "--help").stdout


def test_help_has_whole_first_sentences(tmp_path: Path) -> None:
    text = " ".join(command(tmp_path, "--help").stdout.split())
    assert "Build a bot, play it against a house bot, question it at the limits, and say whether it can enter." in text


def test_a_seed_drawn_ahead_is_drawn_once() -> None:
    """Its key is begun early, and it is the seed of one run only."""
    keys.begin_drawn_seed()
    keys.begin_drawn_seed()
    first, second = keys.drawn_seed(), keys.drawn_seed()
    assert first != second
    assert keys.begin_master_key(first).result() == keys.master_key(first) != keys.master_key(second)
