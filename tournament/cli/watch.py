"""The command `tournament watch`."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.text import Text

from tournament.cli.consoles import err
from tournament.cli.options import OUTPUT, PLAY, WHO_PLAYS, ConfigPath, Results, flag, option
from tournament.cli.screen import Screen, progress_line
from tournament.cli.tables import leaderboard_table
from tournament.errors import BadInput, printable

if TYPE_CHECKING:
    from tournament.config import Config
    from tournament.open_contest.server import Address
    from tournament.runner.watcher import Progress, Watcher

_LINES = 8  # of what happened, below the board
_LINES_AROUND = 10  # the table's title, head, rules and caption; the progress


class _OnTerminal:
    """The board of the contest that plays or played last, what plays, and below it what happened."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: deque[str] = deque(maxlen=_LINES)
        self._playing: tuple[Config, Progress] | None = None
        self._live = Live(console=err, auto_refresh=False)

    def __enter__(self) -> _OnTerminal:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    @contextmanager
    def round(self, config: Config) -> Iterator[Watcher]:
        yield _Round(self, config)

    def tell(self, contest: str, what: str) -> None:
        with self._lock:
            self._last.append(printable(f"{contest}: {what}" if contest else what))
            self._draw()

    def play(self, config: Config, progress: Progress) -> None:
        with self._lock:
            self._playing = config, progress
            self._draw()

    def _draw(self) -> None:
        lines = Text("\n".join(self._last), style="dim")
        if self._playing is None:
            self._live.update(lines, refresh=True)
            return
        config, progress = self._playing
        played = config.played
        rows = max(3, err.height - _LINES_AROUND - _LINES)
        table = leaderboard_table(progress.standings, played.title, rows, played.display.unit)
        self._live.update(Group(table, progress_line(progress, err.width), lines), refresh=True)


@dataclass(frozen=True)
class _Round:
    """A watcher of one round of one contest."""

    shown: _OnTerminal
    config: Config

    def say(self, text: str) -> None:
        self.shown.tell(self.config.played.name, text)

    def on_progress(self, progress: Progress) -> None:
        self.shown.play(self.config, progress)


class _AsLines:
    """A line of JSON for each thing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @contextmanager
    def round(self, config: Config) -> Iterator[Watcher]:
        with Screen(err, config.played.title, contest=config.played.name, as_json=True) as screen:
            yield screen

    def tell(self, contest: str, what: str) -> None:
        with self._lock:
            print(json.dumps({"contest": contest, "says": what}), flush=True)


def watch(
    contests: Annotated[
        list[str] | None, typer.Argument(metavar="[CONTEST]…", help="default all of tournament.toml")
    ] = None,
    publish: Annotated[Path, option("DIR", "folder of the page and board that everybody may see", OUTPUT)] = Path(
        "published"
    ),
    serve: Annotated[
        str | None, option("[HOST:]PORT", "show that folder on the web; on this machine alone without a host", OUTPUT)
    ] = None,
    url: Annotated[str | None, option("URL", "by which people reach it, where that is another address", OUTPUT)] = None,
    certificate: Annotated[Path | None, option("FILE", "of --serve, for https", OUTPUT)] = None,
    key: Annotated[Path | None, option("FILE", "the certificate's key", OUTPUT)] = None,
    plain_http: Annotated[
        bool, flag("--plain-http", "serve other machines without https: whoever is between can read tokens", OUTPUT)
    ] = False,
    submissions: Annotated[
        Path | None, option("FILE", "take bots from the authors of this file, made by `tournament author add`", PLAY)
    ] = None,
    workers: Annotated[
        int | None, option("N", "batches played at once", WHO_PLAYS, envvar="TOURNAMENT_WORKERS")
    ] = None,
    executor: Annotated[
        str | None, option("auto|local|ray", "who plays", WHO_PLAYS, envvar="TOURNAMENT_EXECUTOR")
    ] = None,
    address: Annotated[
        str | None, option("auto|HOST:PORT", "a Ray cluster to join", WHO_PLAYS, envvar="TOURNAMENT_ADDRESS")
    ] = None,
    results: Results = None,
    config: ConfigPath = None,
) -> None:
    """What is published while submissions are open has no games, and figures of three digits: dealt games and exact
    scores would tell a bot that is handed in again what it will see. Once they close a final is played on a fresh seed.
    """
    from tournament.config import FILE_NAME, load_contests
    from tournament.open_contest.submissions import Submissions
    from tournament.open_contest.watch import Shown, Watch

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings = (config or Path(FILE_NAME)).absolute()
    if submissions and not serve:
        raise BadInput("--submissions: authors hand in over the web; add --serve PORT")
    if submissions and not submissions.exists():
        raise BadInput(f"{submissions} is not there; make it by tournament author add NAME --authors {submissions}")
    options = {"results": results, "workers": workers, "executor": executor, "address": address}
    names = contests or list(load_contests(config).chosen)
    stopped = threading.Event()
    try:
        with ExitStack() as until_stopped:
            shown: Shown = until_stopped.enter_context(_OnTerminal()) if err.is_terminal else _AsLines()
            watching = Watch(names, settings, options, publish, shown, submissions)
            if submissions:
                folder = submissions.absolute().parent / "submissions"
                watching.submissions = taken = Submissions(folder, watching.current)
                checking = threading.Thread(target=_check_all, args=(taken, stopped), daemon=True)
                checking.start()
                until_stopped.callback(checking.join, 10)
            until_stopped.callback(stopped.set)
            if serve:
                where = _address(serve, url, certificate, key, plain_http)
                from tournament.open_contest.server import Server

                server = until_stopped.enter_context(Server(where, publish, watching.submissions, submissions))
                shown.tell("", f"served at {server.url}")
            watching.keep()
    except KeyboardInterrupt:
        print("tournament: stopped; watch again to go on", file=sys.stderr)
        raise typer.Exit(130) from None


def _check_all(submissions: Any, stopped: threading.Event) -> None:
    while not stopped.is_set():
        submissions.try_next(1.0, stopped.is_set)


def _address(serve: str, url: str | None, certificate: Path | None, key: Path | None, plain_http: bool) -> Address:
    try:
        from tournament.open_contest.server import address_of
    except ModuleNotFoundError as missing:
        raise BadInput(f"--serve needs {missing.name}: pip install 'tournament[serve]'") from None
    if (certificate is None) != (key is None):
        raise BadInput("--certificate and --key go together")
    where = address_of(serve, url=url, certificate=certificate, key=key)
    if not (where.is_loopback or certificate or plain_http):
        raise BadInput(
            f"--serve {serve}: other machines would send tokens that anybody between can read. Put a reverse proxy"
            " with https before a port of this machine, give --certificate and --key, or force it: --plain-http"
        )
    return where
