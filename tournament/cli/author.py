"""The commands `tournament author`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from tournament.cli.consoles import err, out
from tournament.cli.groups import PLAIN, Command, Group, examples
from tournament.cli.options import LOCATIONS, ConfigPath, Csv, flag, option
from tournament.errors import printable
from tournament.open_contest.authors import add_author, read_authors, renew_token, revoke_token

app = typer.Typer(cls=Group, no_args_is_help=True, help="Manage who may submit bots to an open contest.", **PLAIN)
Name = Annotated[str, typer.Argument(metavar="NAME", help="the author")]
Authors = Annotated[Path, option("FILE", "the authors' file", LOCATIONS)]


@app.command(cls=Command, epilog=examples("author add alice"))
def add(
    name: Name,
    authors: Authors = Path("authors.toml"),
    organiser: Annotated[bool, flag("--organiser", "let the token open the class at a glance", LOCATIONS)] = False,
) -> None:
    """Add an author. The token is printed once, and kept nowhere.

    Raises:
        InputError: The name is invalid, exists already, or differs from another only in case. Or the file is invalid.
        RunError: The file can't be written.
    """
    _print_token(add_author(authors, name, organiser=organiser))


@app.command(cls=Command, epilog=examples("author token alice"))
def token(name: Name, authors: Authors = Path("authors.toml")) -> None:
    """Give an author another token in place of the one before. It is printed once, and kept nowhere.

    Raises:
        InputError: There is no such author, or the file is invalid.
        RunError: The file can't be written.
    """
    _print_token(renew_token(authors, name))


def _print_token(token: str) -> None:
    """Print a token as a line of its own, which a terminal doesn't break."""
    out.print(token, soft_wrap=True, markup=False, highlight=False)


@app.command("list", cls=Command, epilog=examples("author list"))
def list_authors(authors: Authors = Path("authors.toml")) -> None:
    """List the authors, and who of them may not submit.

    Raises:
        InputError: The file can't be read, is larger than 1 MiB, or is invalid.
    """
    registered = read_authors(authors)
    if not registered:
        err.print(f"{authors} has no authors; add one with: tournament author add NAME", soft_wrap=True, markup=False)
    for one in registered.values():
        marks = [word for word, is_so in (("organiser", one.organiser), ("banned", one.banned)) if is_so]
        marks += [] if one.hashed or one.banned else ["revoked"]
        out.print(one.name + (f" ({', '.join(marks)})" if marks else ""))


@app.command(cls=Command, epilog=examples("author status", "author status --csv > class.csv"))
def status(
    authors: Authors = Path("authors.toml"),
    publish: Annotated[Path, option("DIR", "folder of the public board", LOCATIONS)] = Path("published"),
    config: ConfigPath = None,
    as_csv: Csv = False,
) -> None:
    """List every author with the last upload, its state, the reason, and the best place on the board.

    Raises:
        InputError: The authors' file or the settings are invalid, or the database of submissions has another format.
        RunError: The database can't be opened, or the machine is at fault, such as a cache that can't be used.
    """
    from tournament.config import load_contests
    from tournament.open_contest.jobs import Jobs, database_beside
    from tournament.open_contest.overview import boards_in, list_status
    from tournament.records.values import rows_csv

    names = load_contests(config).chosen
    jobs = Jobs(database) if (database := database_beside(authors)).exists() else None
    lines = list_status(read_authors(authors).values(), jobs, names, boards_in(publish, names))
    if as_csv:
        print(rows_csv([asdict(line) for line in lines]), end="")
        return
    table = Table(box=None)
    headings = ("author", "contest", "last upload", "bot", "state", "reason", "best bot", "place")
    for heading in headings:
        table.add_column(heading)
    for line in lines:
        table.add_row(*(Text(printable(str(value or "-"))) for value in asdict(line).values()))
    out.print(table)


@app.command(cls=Command, epilog=examples("author revoke alice"))
def revoke(name: Name, authors: Authors = Path("authors.toml")) -> None:
    """Invalidate an author's token, but keep the author's bots.

    Raises:
        InputError: There is no such author, or the file is invalid.
        RunError: The file can't be written.
    """
    revoke_token(authors, name, ban=False)


@app.command(cls=Command, epilog=examples("author ban alice"))
def ban(name: Name, authors: Authors = Path("authors.toml")) -> None:
    """Take an author's token and bots out of the contest.

    Raises:
        InputError: There is no such author, or the file is invalid.
        RunError: The file can't be written.
    """
    revoke_token(authors, name, ban=True)
