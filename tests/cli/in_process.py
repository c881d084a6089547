"""The command within the tests' own process, without the second that it takes to start."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from tournament.cli import consoles
from tournament.cli.commands import main


@dataclass(frozen=True)
class Shown:
    """The output of a command, and its exit code."""

    code: int
    out: str
    err: str


def run_cli(*words: str, columns: int = 100) -> Shown:
    """Run `tournament` with these words, on a terminal that is none, of this many columns."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    # Consoles keep the width that they had when they were first imported.
    for console in (consoles.out, consoles.err):
        console.width = columns
    with (
        patch.object(sys, "argv", ["tournament", *words]),
        patch.dict("os.environ", {"COLUMNS": str(columns), "NO_COLOR": "1"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Shown(code, out.getvalue(), err.getvalue())


def command(folder: Path, *words: str, columns: int = 100) -> Shown:
    """Run `tournament` with these words in a folder."""
    with contextlib.chdir(folder):
        return run_cli(*words, columns=columns)
