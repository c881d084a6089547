"""Options that several commands share, and commands for a user to copy."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tournament.contests import BUILT_IN
from tournament.errors import InputError

# Groups of options, in the order in which --help and docs/reference/commands.md list them.
PLAY = "What is played"
SETTLED = "Until the order is settled"
PLAYERS = "Who plays"
CHOICE = "What is shown"
OUTPUT = "Output"
LOCATIONS = "Where things are"
GROUPS = (PLAY, SETTLED, PLAYERS, CHOICE, OUTPUT, LOCATIONS)


# Exit codes of commands that say which of two is better.
EXITS = {"better": 0, "open": 3, "worse": 4}


def option(metavar: str, help: str, group: str, *names: str, **more: Any) -> Any:
    """Return an option with a value.

    Args:
        metavar: Name of the value in --help.
        help: Meaning of the option.
        group: One of `GROUPS`, under which --help lists it.
        *names: Names of the option. Without any, Typer makes one from the parameter's name.
        **more: Further arguments of `typer.Option`.
    """
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=group, **more)


def flag(name: str, help: str, group: str) -> Any:
    """Return an option without a value. It needs a name, or Typer would add one for its opposite."""
    return typer.Option(name, help=help, rich_help_panel=group)


Contest = Annotated[str, typer.Argument(metavar="CONTEST", help="a table of tournament.toml, or a built-in contest")]
_ANY = f"a table of tournament.toml, or one of: {', '.join(BUILT_IN)}; default "
ContestOrOnly = Annotated[str | None, typer.Argument(metavar="CONTEST", help=f"{_ANY}the only one that has records")]
ContestOrAll = Annotated[str | None, typer.Argument(metavar="CONTEST", help=f"{_ANY}all that have records")]
ConfigPath = Annotated[
    Path | None,
    option("FILE", "settings file; default tournament.toml here", LOCATIONS, "--config", envvar="TOURNAMENT_CONFIG"),
]
Results = Annotated[
    str | None,
    option("DIR|URL", "where the contests' records are", LOCATIONS, "--results", envvar="TOURNAMENT_RESULTS"),
]
Final = Annotated[bool, flag("--final", "records of the last final of an open contest", LOCATIONS)]
Workers = Annotated[
    int | None,
    option("N", "workers that play at the same time; 0 is one per core", PLAYERS, envvar="TOURNAMENT_WORKERS"),
]
Executor = Annotated[
    str | None, option("auto|local|ray", "this machine's threads, or Ray", PLAYERS, envvar="TOURNAMENT_EXECUTOR")
]
Cluster = Annotated[
    str | None, option("ADDR", "Ray cluster to join, e.g. auto", PLAYERS, envvar="TOURNAMENT_RAY_ADDRESS")
]
Csv = Annotated[bool, flag("--csv", "a table for spreadsheets, such as a gradebook", OUTPUT)]
Json = Annotated[bool, flag("--json", "print JSON for scripts", OUTPUT)]


def check_game(session: int | None, game: int | None) -> None:
    """Check that a game comes with its session.

    Raises:
        InputError: There is no session.
    """
    if game is not None and session is None:
        raise InputError("--game requires --session")


def command_line(*words: str, **options: object) -> str:
    """Return a command for a user to copy into a shell.

    Args:
        *words: The words after `tournament`.
        **options: Value of each option by name, in the order of the command. Options that are None or False are
            omitted, and those that are True have no value.
    """
    arguments: list[str] = []
    for name, value in options.items():
        if value is not None and value is not False:
            arguments += [f"--{name}"] if value is True else [f"--{name}", str(value)]
    return shlex.join(["tournament", *words, *arguments])


def print_json(value: Any) -> None:
    """Print a value as JSON on standard output.

    Raises:
        TypeError: JSON has no such type.
        OSError: Standard output can't be written, or was closed.
    """
    sys.stdout.write(json.dumps(value, indent=2) + "\n")
