"""The commands `tournament author`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tournament.cli.consoles import out
from tournament.cli.groups import PLAIN, Command, Group, examples
from tournament.cli.options import PLACES, option
from tournament.open_contest.authors import add_author, read_authors, renew_token, revoke_token

app = typer.Typer(cls=Group, no_args_is_help=True, help="Who may submit bots to an open contest.", **PLAIN)
Name = Annotated[str, typer.Argument(metavar="NAME", help="the author")]
Authors = Annotated[Path, option("FILE", "the authors' file", PLACES)]


@app.command(cls=Command, epilog=examples("author add alice"))
def add(name: Name, authors: Authors = Path("authors.toml")) -> None:
    """Add an author. The token is printed once, and kept nowhere."""
    _print_token(add_author(authors, name))


@app.command(cls=Command, epilog=examples("author token alice"))
def token(name: Name, authors: Authors = Path("authors.toml")) -> None:
    """Give an author another token in place of the one before. It is printed once, and kept nowhere."""
    _print_token(renew_token(authors, name))


def _print_token(token: str) -> None:
    out.print(token, soft_wrap=True, markup=False, highlight=False)


@app.command("list", cls=Command, epilog=examples("author list"))
def list_authors(authors: Authors = Path("authors.toml")) -> None:
    """List the authors, and who of them may not submit."""
    for one in read_authors(authors).values():
        out.print(f"{one.name}{' (banned)' if one.banned else '' if one.hashed else ' (revoked)'}")


@app.command(cls=Command, epilog=examples("author revoke alice"))
def revoke(name: Name, authors: Authors = Path("authors.toml")) -> None:
    """Let an author's token open nothing any more; the bots stay."""
    revoke_token(authors, name, ban=False)


@app.command(cls=Command, epilog=examples("author ban alice"))
def ban(name: Name, authors: Authors = Path("authors.toml")) -> None:
    """Take an author's token and bots out of the contest."""
    revoke_token(authors, name, ban=True)
