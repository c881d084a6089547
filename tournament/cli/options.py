"""Options that several commands share, and commands for a user to copy."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tournament.contests import BUILT_IN

# What options are for: --help and docs/reference/commands.md list them in these groups, in this order.
PLAY = "What is played"
SETTLED = "Until the order is settled"
WHO_PLAYS = "Who plays"
CHOICE = "What is shown"
OUTPUT = "Output"
PLACES = "Where things are"
GROUPS = (PLAY, SETTLED, WHO_PLAYS, CHOICE, OUTPUT, PLACES)

Contest = Annotated[str, typer.Argument(metavar="CONTEST", help="a table of tournament.toml, or a built-in contest")]
ContestOrAny = Annotated[
    str | None,
    typer.Argument(metavar="CONTEST", help=f"a table of tournament.toml, or one of: {', '.join(BUILT_IN)}"),
]
ConfigPath = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        envvar="TOURNAMENT_CONFIG",
        help="settings file; default tournament.toml here",
        rich_help_panel=PLACES,
    ),
]
Results = Annotated[
    str | None,
    typer.Option(
        "--results",
        metavar="DIR|URL",
        envvar="TOURNAMENT_RESULTS",
        help="where the contests' records are",
        rich_help_panel=PLACES,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="print JSON for scripts", rich_help_panel=OUTPUT)]


def command_line(*words: str, **options: object) -> str:
    """A command for a user to copy. Options that are None are left out."""
    given = [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
    return shlex.join(["tournament", *words, *given])


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2) + "\n")
