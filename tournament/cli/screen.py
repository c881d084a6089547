"""A live leaderboard with the progress of a run."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.status import Status
from rich.table import Table
from rich.text import Text

from tournament.cli.numbers import short
from tournament.cli.tables import leaderboard_table
from tournament.errors import pluralize, printable

if TYPE_CHECKING:
    from tournament.runner.executors.cluster_nodes import ClusterState
    from tournament.runner.listener import Progress
    from tournament.standings.standings import Standings

_LINE_SECONDS = 30.0
_JSON_SECONDS = 1.0
_EXTRA_ROWS = 9  # the table's title, head, rules, caption and what is left out; the progress


class Screen:
    """Shows a run or a check while its context is open: live on a terminal, a line every 30 seconds elsewhere.

    Args:
        console: Where to show it. If it can't be written, methods raise an OSError.
        title: Title of the leaderboard.
        contest: Name of the contest, for lines of JSON. "" if there is none.
        as_json: Whether to print a line of JSON each second instead, also on a terminal.
        unit: Unit of scores, "" for none.
        draw: Called with standings and a number of rows; returns what a terminal shows. None for the leaderboard.
    """

    def __init__(
        self,
        console: Console,
        title: str,
        *,
        contest: str = "",
        as_json: bool = False,
        unit: str = "",
        draw: Callable[[Standings, int], RenderableType] | None = None,
    ) -> None:
        """Prepare the screen. Nothing is shown yet."""
        self.console = console
        self.as_json = as_json
        self.title = title
        self.contest = contest
        self._draw = draw or (lambda standings, rows: leaderboard_table(standings, title, rows, unit))
        self._untold: Progress | None = None
        self._progress: Progress
        self._live: Live | None = None
        self._spinner: Status | None = None
        self._last = 0.0
        self._said = time.monotonic()
        self._came = 0.0  # when the progress came that is shown
        self._talk = threading.Lock()
        self._ended = threading.Event()
        self._ticker: threading.Thread | None = None

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._ticker:
            self._ticker.join()
        if self._untold and self.as_json:  # the last line must include all games
            self._print_progress(self._untold)
        if self._live:
            self._live.stop()
            self._live = None
        if self._spinner:
            self._spinner.stop()
            self._spinner = None

    def on_message(self, text: str) -> None:
        """Print a line about the current step, or an object with it as `message` for scripts."""
        if self.as_json:
            self._write({"message": text})
            return
        is_log = not self.console.is_terminal  # a terminal breaks between words, a log not at all
        self.console.print(printable(text), style="dim", highlight=False, markup=False, soft_wrap=is_log)

    def doing(self, text: str) -> None:
        """Show which slow step runs, on a terminal by a spinner and elsewhere by a line.

        Args:
            text: The step. With "" the spinner has no text, and elsewhere nothing is printed.
        """
        if not self.console.is_terminal:
            if text:
                self.on_message(text)
            return
        if self._spinner is None:
            self._spinner = self.console.status("", spinner="dots")
            self._spinner.start()
        self._spinner.update(Text(printable(text)))

    def on_progress(self, progress: Progress) -> None:
        """Show the current leaderboard, or without a terminal an occasional line, or JSON for scripts.

        A terminal is redrawn at most ten times a second. For scripts this starts a thread that writes each second.
        """
        if self.as_json or not self.console.is_terminal:
            with self._talk:
                now = self._came = time.monotonic()
                self._untold = self._progress = progress
                if now - self._said >= (_JSON_SECONDS if self.as_json else _LINE_SECONDS):
                    self._said = now
                    self._print_progress(progress)
            if self.as_json and self._ticker is None:
                self._ticker = threading.Thread(target=self._tick, name="progress", daemon=True)
                self._ticker.start()
            return

        rows = max(3, self.console.height - _EXTRA_ROWS)
        self._redraw(lambda: Group(self._draw(progress.standings, rows), progress_line(progress, self.console.width)))

    def _tick(self) -> None:
        """Write a line of JSON each second until the screen is closed, also while no leg ends."""
        while not self._ended.wait(_JSON_SECONDS / 10):
            with self._talk:
                now = time.monotonic()
                if now - self._said >= _JSON_SECONDS:
                    self._said = now
                    self._print_progress(progress_after(self._progress, now - self._came))

    def _print_progress(self, progress: Progress) -> None:
        """Print a line about a run's progress. For scripts it has the leader's name, or null before there is one."""
        self._untold = None
        if not self.as_json:
            self.on_message(f"{self.title}: {progress_text(progress)}")
            return
        values = dataclasses.asdict(dataclasses.replace(progress, standings=None))  # type: ignore[arg-type]
        del values["standings"]
        leader = next((line.name for line in progress.standings.entrants if line.rank == 1), None)
        self._write({**values, "leader": leader})

    def _write(self, values: dict[str, Any]) -> None:
        """Print values as a line of JSON, with the time and the contest."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        print(json.dumps({"at": at, "contest": self.contest, **values}), file=self.console.file, flush=True)

    def checked(self, what: str, done: int, total: int) -> None:
        """Show a check's progress, without a terminal by a line after more than 30 seconds.

        Args:
            what: What is checked, in the plural.
            done: Number of what has been checked.
            total: Number of all.
        """
        text = f"{short(done)} of {short(total)} {what} checked"
        if self.console.is_terminal:
            self._redraw(lambda: Text(text, no_wrap=True))
        elif time.monotonic() - self._said > _LINE_SECONDS:
            self._said = time.monotonic()
            self.on_message(text)

    def _redraw(self, draw: Callable[[], RenderableType]) -> None:
        """Redraw the screen, unless it was drawn within a tenth of a second."""
        now = time.monotonic()
        if self._live is None:
            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        elif now - self._last < 0.1:
            return
        self._last = now
        self._live.update(draw())
        self._live.refresh()


def progress_after(progress: Progress, seconds: float) -> Progress:
    """Return the progress some time later, before more is known.

    Once the estimated time has passed, the remaining time is unknown, because the estimate was wrong. A remaining time
    of 0 stays.

    Args:
        progress: The progress.
        seconds: Seconds since then.
    """
    remaining = progress.seconds_left
    if remaining is not None and remaining > 0:
        remaining = remaining - seconds if remaining > seconds else None
    return dataclasses.replace(progress, seconds=progress.seconds + seconds, seconds_left=remaining)


def progress_line(progress: Progress, width: int = 120) -> RenderableType:
    """Return a bar, and the progress as text. The bar is full without legs, and omitted below five characters.

    Args:
        progress: The progress.
        width: Width of the terminal in characters. The text isn't cut to it.
    """
    share = progress.legs / progress.total_legs if progress.total_legs else 1.0
    line = Table.grid(padding=(0, 1))
    text = progress_text(progress)
    room = min(30, width - len(text) - 4)
    line.add_row(ProgressBar(total=1.0, completed=share, width=room) if room >= 5 else "", Text(text, no_wrap=True))
    return line


def progress_text(progress: Progress) -> str:
    """Return the legs and games played, the games per second, the time left and the state of the cluster.

    The time is omitted if it is unknown, or if it is over while legs are missing. Without a cluster its state is, too.
    """
    rate = progress.games / progress.seconds if progress.seconds else 0.0
    remaining = ""
    if progress.seconds_left is not None and (progress.seconds_left > 0 or progress.legs >= progress.total_legs):
        remaining = f" · {_clock(progress.seconds_left)} left"
    legs = f"{progress.legs:,}/{progress.total_legs:,} legs"
    speed = short(rate) if rate >= 10 else f"{rate:.2g}"
    return f"{legs} · {short(progress.games)} games · {speed} games/s{remaining}{_cluster_text(progress.cluster)}"


def _cluster_text(cluster: ClusterState | None) -> str:
    """Return a cluster's nodes, cores at work and in all, and lost or excluded nodes if any, or "" without one."""
    if cluster is None:
        return ""
    parts = [pluralize(cluster.nodes, "node"), f"{cluster.cores_at_work:,}/{cluster.cores:,} cores"]
    parts += [f"{len(cluster.lost)} lost"] if cluster.lost else []
    parts += [f"{len(cluster.set_aside)} set aside"] if cluster.set_aside else []
    return " · " + " · ".join(parts)


def _clock(seconds: float) -> str:
    """Return seconds as hours, minutes and seconds, such as 1:05:09, or without hours, such as 5:09."""
    total = max(0, round(seconds))
    hours, rest = divmod(total, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
