"""The command `tournament watch`."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.cli.consoles import out
from tournament.cli.options import OUTPUT, PLAY, Cluster, ConfigPath, Executor, Results, Workers, flag, option
from tournament.cli.screen import Screen
from tournament.cli.tables import leaderboard_table
from tournament.errors import InputError, RunError, printable

if TYPE_CHECKING:
    from tournament.config import Config
    from tournament.open_contest.web import Address
    from tournament.runner.listener import ProgressListener
    from tournament.standings.standings import Standings


class _ConsoleListener:
    """The live board of the contest in play, with messages above it, or without a terminal lines of JSON."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live = out.is_terminal

    @contextmanager
    def round(self, config: Config) -> Iterator[ProgressListener]:
        """Show a round's progress while the block runs.

        Yields:
            The listener, which is valid until the end of the block.

        Raises:
            OSError: The progress can't be written. Methods of the listener raise it, too.
        """
        played = config.played
        with Screen(out, played.title, contest=played.name, as_json=not self._live, unit=played.points_unit) as screen:
            yield screen

    def tell(self, contest: str, what: str) -> None:
        """Show a message, with the time. If it can't be written, it is lost.

        Args:
            contest: Name of the contest, "" for a message about all.
            what: The message.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock, contextlib.suppress(OSError):  # the log's disk can be full
            if self._live:
                text = printable(f"{contest}: {what}" if contest else what)
                out.print(f"{now[11:19]} {text}", highlight=False, markup=False)
            else:
                print(json.dumps({"at": now, "contest": contest, "message": what}), flush=True)

    def show(self, config: Config, standings: Standings) -> None:
        """Show the board after a round on a terminal, in at least three rows. Elsewhere nothing is shown."""
        if self._live:
            played = config.played
            out.print(leaderboard_table(standings, played.title, max(3, out.height - 9), played.points_unit))


def watch(
    contests: Annotated[
        list[str] | None,
        typer.Argument(metavar="CONTEST", help="contest to keep current; default every table of tournament.toml"),
    ] = None,
    publish: Annotated[Path, option("DIR", "folder of the public page and board", OUTPUT)] = Path("published"),
    serve: Annotated[
        str | None, option("[HOST:]PORT", "serve that folder; without a host, on this machine only", OUTPUT)
    ] = None,
    public_url: Annotated[
        str | None, option("URL", "address by which people reach the server, if it is another one", OUTPUT)
    ] = None,
    allow_http: Annotated[
        bool,
        flag(
            "--allow-http", "serve other machines without https, so that others on the network can read tokens", OUTPUT
        ),
    ] = False,
    submissions: Annotated[
        Path | None, option("FILE", "take bots from the authors of this file, made by `tournament author add`", PLAY)
    ] = None,
    workers: Workers = None,
    executor: Executor = None,
    ray_address: Cluster = None,
    results: Results = None,
    config: ConfigPath = None,
) -> None:
    """Keep contests current until stopped: play new bots, publish the board, take submissions.

    While submissions are open, the public page shows standings, crosstable and games, but no output of bots.

    If [watch] says when the contest closes, a final is played then on a fresh seed, and only the final counts.

    Raises:
        InputError: A setting or an option is wrong, a file is missing or invalid, the server isn't installed or its
            address can't be used. Or the database of submissions has another format.
        RunError: The database of submissions can't be opened, the server ended, or the machine is at fault.
        typer.Exit: The command is stopped.
    """
    from tournament.config import FILE_NAME, load_contests
    from tournament.cores import cores
    from tournament.open_contest.authors import AuthorsFile
    from tournament.open_contest.jobs import database_beside
    from tournament.open_contest.submissions import Submissions, Workers
    from tournament.open_contest.watch import Watch
    from tournament.sandbox.outside.confinement import raise_descriptor_limit

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings = (config or Path(FILE_NAME)).absolute()
    if submissions and not serve:
        raise InputError("--submissions: authors submit bots over the web; add --serve PORT")
    if submissions and not submissions.exists():
        raise InputError(
            f"{submissions} does not exist; create it with: tournament author add NAME --authors {submissions}"
        )
    if not settings.exists():
        raise InputError(f"{settings} does not exist; create it with: tournament init FOLDER")
    where = _address(serve, public_url, allow_http) if serve else None
    options = {"results": results, "workers": workers, "executor": executor, "ray_address": ray_address}
    names = contests or list(load_contests(config).chosen)
    try:
        with ExitStack() as until_stopped:
            listener = _ConsoleListener()
            listener.tell("", f"starting: {', '.join(names)}")
            authors = AuthorsFile(submissions, partial(listener.tell, "")) if submissions else None
            watching = Watch(names, settings, options, publish, listener, submissions)
            if authors:
                database = database_beside(authors.path)
                watching.submissions = Submissions(database, watching.current, authors, listener.tell)
            if where:
                from tournament.open_contest.web import Server

                raise_descriptor_limit()
                serving = Server(where, publish, watching.submissions, authors)
                server = until_stopped.enter_context(serving)
                watching.stopping = lambda: bool(serving.ended)
                listener.tell("", f"served at {server.url}")
            if watching.submissions:
                at_a_time = watching.current().opening.trial_workers or max(1, cores() - 1)
                until_stopped.enter_context(Workers(watching.submissions, partial(listener.tell, ""), at_a_time))
            watching.keep()
            if where:
                raise RunError(serving.ended)
    except KeyboardInterrupt:
        print("tournament: stopped; watch again to continue", file=sys.stderr)
        raise typer.Exit(130) from None


def _address(serve: str, url: str | None, allow_http: bool) -> Address:
    """Return the address on which to serve.

    Args:
        serve: A port, or a host, a colon and a port.
        url: URL by which people reach the server. None for that of the address.
        allow_http: Whether other machines can be served without https.

    Raises:
        InputError: The server isn't installed, an option is wrong, or tokens could be read on the way.
    """
    try:
        from tournament.open_contest.web import parse_address
    except ModuleNotFoundError as missing:
        raise InputError(
            f"--serve needs {missing.name}: in a clone, pip install '.[serve]'; with a wheel, its name with [serve]"
            " after it, as in pip install './tournament-0.1.0-….whl[serve]'"
        ) from None
    where = parse_address(serve, url)
    if not (where.is_loopback or allow_http):
        raise InputError(
            f"--serve {serve}: other machines would send tokens that anybody between can read. Put a reverse proxy"
            " with https before a port of this machine, or force it: --allow-http"
        )
    return where
