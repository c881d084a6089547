"""Contests kept current until somebody stops it: what comes into a folder is played, and what changed is shown."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from tournament.config import Config, load_config
from tournament.errors import BadInput, RunFailed, telling_line
from tournament.open_contest.authors import read_authors
from tournament.open_contest.publishing import publish, publish_index
from tournament.open_contest.submissions import Open, Submissions
from tournament.runner.contest_run import run_prepared
from tournament.runner.preparing import Prepared, prepare_contest
from tournament.runner.watcher import NobodyWatching, Progress, Watcher
from tournament.store.storage import inside

# Looking is by polling: it takes a millisecond, and sees what comes to folders of networks, too.
LOOK_SECONDS, _WHOLE_SECONDS = 0.5, 0.3
_AGAIN_SECONDS = 30.0  # after trouble of the machine
_MOST_FILES = 20_000
_FINAL = "final"

# What lies somewhere: paths, the times of their last change, and sizes.
_Files = dict[str, tuple[int, int]]


class Shown(Protocol):
    """Tells what goes on: a watcher for each round, and what happened in between."""

    def round(self, config: Config) -> AbstractContextManager[Watcher]: ...
    def tell(self, contest: str, what: str) -> None: ...


class _SomethingCame(Exception):
    """While a run plays: it can wait until that is played, too."""


@dataclass
class _Contest:
    """An open contest: its last good settings, and what lay among its entrants, before or after the end, when it was
    last attended to. `again` is when to try again after trouble; `refused` are its broken bots that were told."""

    name: str
    config: Config
    attended: tuple[_Files, bool] | None = None
    again: float | None = None
    refused: frozenset[tuple[str, str]] = frozenset()

    @property
    def is_over(self) -> bool:
        closes = self.config.opening.closes
        return closes is not None and datetime.now(UTC) >= closes


@dataclass
class Watch:
    """Keeps contests of a settings file current. `options` lie over the file's, as in `load_config`."""

    names: Sequence[str]
    settings: Path
    options: Mapping[str, Any]
    published: Path
    shown: Shown
    authors: Path | None = None
    submissions: Submissions | None = None
    _contests: list[_Contest] = field(default_factory=list)
    _read: _Files = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises BadInput for settings that are wrong, or that an open contest can't have."""
        self._read = _files(self.settings)
        self._contests = [_Contest(name, self._load(name)) for name in self.names]
        publish_index(self.published, list(self.names))

    def current(self) -> Open:
        """What submissions are for."""
        contests = {one.name: one.config for one in self._contests}
        return Open(self.settings, self._contests[0].config.opening, contests)

    def keep(self, stopping: Callable[[], bool] = lambda: False) -> None:
        """Play and show until `stopping`; an exception such as KeyboardInterrupt stops it at any moment."""
        while not stopping():
            self._look_at_settings()
            if self.submissions and self.authors:
                self.submissions.put_out({one.name for one in read_authors(self.authors).values() if one.banned})
            for contest in self._contests:
                self._attend(contest)
            time.sleep(LOOK_SECONDS)

    def _load(self, name: str) -> Config:
        config = load_config(name, self.settings, **self.options)
        if config.contest.until_settled is not None and not config.opening.closes:
            raise BadInput(
                f"{name}: until_settled is for a final: edits in answer to the board void its chance. Take it away, or"
                " say in [watch] when submissions close"
            )
        return config

    def _look_at_settings(self) -> None:
        """Take settings that changed, if they are good; else the last good ones stay."""
        if (now := _files(self.settings)) == self._read:
            return
        self._read = now
        try:
            loaded = [_Contest(name, self._load(name)) for name in self.names]
            for contest in loaded:
                _require_same_games(prepare_contest(contest.config.played, _while_open(contest), NobodyWatching()))
        except (BadInput, RunFailed) as refused:
            self.shown.tell("", f"{refused}; the settings before stay")
            return
        self._contests = loaded
        self.shown.tell("", f"{self.settings.name} is read again")

    def _attend(self, contest: _Contest) -> None:
        """Play what is missing of a contest, and show it, where something changed; after its end, the final."""
        is_over = contest.is_over
        state = (_files(contest.config.entrants), is_over)
        if state == contest.attended and (contest.again is None or time.monotonic() < contest.again):
            return
        contest.again = None
        try:
            contest.attended = (self._play(contest, is_over), is_over)
        except _SomethingCame:
            contest.attended = None
        except BadInput as waits:
            contest.attended = state
            self.shown.tell(contest.name, f"waits: {waits}")
        except (RunFailed, OSError) as trouble:
            contest.attended, contest.again = state, time.monotonic() + _AGAIN_SECONDS
            self.shown.tell(contest.name, f"{trouble}; tried again in {_AGAIN_SECONDS:g} s")

    def _play(self, contest: _Contest, is_over: bool) -> _Files:
        """What lay among the entrants that were played."""
        config = _final(contest) if is_over else _while_open(contest)
        with self.shown.round(config) as watcher:
            with self.submissions.among_entrants if self.submissions else nullcontext():
                lies = _when_whole(config.entrants)
                prepared = prepare_contest(config.played, config, watcher)
            _require_same_games(prepared)
            broken = {(one.name, telling_line(one.problem or "")) for one in prepared.entrants if one.artifact is None}
            for name, problem in sorted(broken - contest.refused):
                self.shown.tell(contest.name, f"{name} is refused: {problem}")
            contest.refused = frozenset(broken)

            def came() -> bool:
                changed = _files(config.entrants) != lies or _files(self.settings) != self._read
                return changed or contest.is_over != is_over

            run_prepared(prepared, _Interrupted(watcher, came))
        publish(self.published, contest.name, config.results, self.settings, open=not is_over)
        self.shown.tell(contest.name, "the final is played" if is_over else "the board is current")
        return lies


@dataclass
class _Interrupted:
    """A watcher that stops a run after a commit when something `came`."""

    inner: Watcher
    came: Callable[[], bool]

    def say(self, text: str) -> None:
        self.inner.say(text)

    def on_progress(self, progress: Progress) -> None:
        self.inner.on_progress(progress)
        if self.came():
            raise _SomethingCame


def _while_open(contest: _Contest) -> Config:
    settings = contest.config.contest.model_copy(update={"until_settled": None})
    return replace(contest.config, contest=settings)


def _final(contest: _Contest) -> Config:
    """On cards that nobody has seen: a seed is drawn, whatever the file says."""
    settings = contest.config.contest.model_copy(update={"seed": None})
    return replace(contest.config, contest=settings, results=inside(contest.config.results, _FINAL))


def _require_same_games(prepared: Prepared) -> None:
    """Raise BadInput where settings would put records aside."""
    if unlike := prepared.unlike():
        raise BadInput(f"{unlike}; stop, and run with --archive for that")


def _when_whole(folder: Path) -> _Files:
    """What lies in a folder once nobody has written to it for a moment."""
    lies = _files(folder)
    while True:
        time.sleep(_WHOLE_SECONDS)
        before, lies = lies, _files(folder)
        if before == lies:
            return lies


def _files(place: Path) -> _Files:
    """The files at a path or below it, hidden ones apart."""
    found: _Files = {}
    folders = [os.fspath(place)]
    while folders and len(found) < _MOST_FILES:
        path = folders.pop()
        try:
            status = os.lstat(path)
            found[path] = (status.st_mtime_ns, status.st_size)
            if os.path.isdir(path):
                folders += [entry.path for entry in os.scandir(path) if not entry.name.startswith((".", "__"))]
        except OSError:
            continue  # it has just gone
    return found
