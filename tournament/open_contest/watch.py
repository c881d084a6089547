"""Contests kept current until somebody stops it: what comes into a folder is played, and what changed is shown."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import watchfiles

from tournament.config import Config, load_config
from tournament.containment import our_error
from tournament.errors import InputError, RunError, TooFewBotsError, TournamentError, main_error_line
from tournament.open_contest.owners import authors_of_bots, submissions_beside
from tournament.open_contest.publishing import is_whole, publish, publish_index
from tournament.open_contest.submissions import Open, Submissions
from tournament.records.finals import final_place
from tournament.runner.contest_run import run_prepared
from tournament.runner.listener import NullListener, Progress, ProgressListener
from tournament.runner.prepare import Prepared, prepare_contest
from tournament.sandbox.outside.scratch import sweep_temporary
from tournament.standings.standings import Standings
from tournament.store.reading import read_field
from tournament.store.storage import join_location, open_storage

# The system tells of changes at once; of those that it doesn't tell, as on a network's file system, a look does.
LOOK_SECONDS, _WHOLE_SECONDS, _WHOLE_LOOKS = 2.0, 0.3, 40
_AGAIN_SECONDS = 30.0  # after trouble of the machine
_MOST_FAILURES = 2  # of publishing the same
_PUBLISH_SECONDS, _PAUSE = 3.0, 10  # between boards of one round, at least; and in times of what the last one took
_MOST_FILES = 20_000
_NO_PLACES = (
    "the final will give no places, with one match of each pair: set replicas = 10, or until_settled, before it closes"
)

# What lies somewhere: paths, the times of their last change, and sizes.
_Files = dict[str, tuple[int, int]]
# What lies among a contest's entrants, and whether it is over.
_State = tuple[_Files, bool]


class Shown(Protocol):
    """Tells what goes on: a listener for each round, the standings after it, and what happened in between."""

    def round(self, config: Config) -> AbstractContextManager[ProgressListener]: ...
    def tell(self, contest: str, what: str) -> None: ...
    def show(self, config: Config, standings: Standings) -> None: ...


class _SomethingCame(Exception):
    """While a run plays: it can wait until that is played, too."""


@dataclass
class _Contest:
    """An open contest: its last good settings, and what lay among its entrants, before or after the end, when it was
    last attended to. `again` is when to try again after trouble; `refused` are its broken bots that were told.
    `unpublished`: of which state what could not be published, by an error of our own, and how often."""

    name: str
    config: Config
    attended: _State | None = None
    again: float | None = None
    refused: frozenset[tuple[str, str]] = frozenset()
    unpublished: dict[str, tuple[_State, int]] = field(default_factory=dict)

    @property
    def closing(self) -> tuple[str, datetime] | None:
        """Its name and when it closes, if it does: each date has a final of its own."""
        closes = self.config.opening.closes
        return (self.name, closes) if closes else None


@dataclass
class Watch:
    """Keeps contests of a settings file current. `options` lie over the file's, as in `load_config`; `stopping`
    ends it; `now`, the time, is for tests."""

    names: Sequence[str]
    settings: Path
    options: Mapping[str, Any]
    published: Path
    shown: Shown
    authors: Path | None = None
    submissions: Submissions | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    stopping: Callable[[], bool] = lambda: False
    _contests: list[_Contest] = field(default_factory=list)
    _read: _Files = field(default_factory=dict)
    _is_good: bool = True
    _again: float | None = None
    _over: set[tuple[str, datetime]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Raises InputError for settings that are wrong, or that an open contest can't have."""
        self._read = _files(self.settings)
        self._contests = [_Contest(name, self._load(name)) for name in self.names]
        secret = [self.settings, *([self.authors, submissions_beside(self.authors)] if self.authors else [])]
        for one in self._contests:
            secret += [one.config.entrants, Path(one.config.results)]
        published = self.published.resolve()
        for place in (path.resolve() for path in secret):
            if place.is_relative_to(published) or published.is_relative_to(place):
                raise InputError(f"--publish {self.published}: everybody sees that folder, and no one may see {place}")
        self._look_for_finals(self._contests)
        sweep_temporary()  # what a server that was killed has left may fill the disk
        try:
            self._publish_index()
        except OSError as trouble:  # what was published stays, and is published again with each round
            self.shown.tell("", f"the index of {self.published} can't be published now: {trouble.strerror}")

    def current(self) -> Open:
        """What submissions are for."""
        contests = {one.name: one.config for one in self._contests}
        over = {one.name for one in self._contests if self._is_over(one)}
        records = {
            one.name: join_location((_final(one) if one.name in over else one.config).results, one.name)
            for one in self._contests
        }
        is_good = self._is_good and _files(self.settings) == self._read
        return Open(self.settings, self._contests[0].config.opening, contests, over, records, is_good)

    def _publish_index(self) -> None:
        current = self.current()
        publish_index(self.published, current.contests, current.over, submissions=self.authors is not None)

    def keep(self) -> None:
        """Play and show until `stopping`; an exception such as KeyboardInterrupt stops it at any moment."""
        for name in self._finals_without_places(self._contests):
            self.shown.tell(name, _NO_PLACES)
        while not self.stopping():
            self._look_at_settings()
            for contest in self._contests:
                self._attend(contest)
            _wait([self.settings.parent, *(one.config.entrants for one in self._contests)])

    def _finals_without_places(self, contests: Sequence[_Contest]) -> list[str]:
        """The names of contests whose final will give no places: of matches that are all played once. That is told
        while there is time: a final stays closed."""
        return [
            one.name
            for one in contests
            if one.closing
            and not self._is_over(one)
            and one.config.played.house is None
            and one.config.contest.tables is None
            and (one.config.contest.replicas, one.config.contest.until_settled) == (1, None)
        ]

    def _is_over(self, contest: _Contest) -> bool:
        """Whether a contest has closed: once it has, whatever the clock says later."""
        closing = contest.closing
        if closing and closing not in self._over and self.now() >= closing[1]:
            self._over.add(closing)
            self.shown.tell(contest.name, "it has closed; to reopen it, set a later `closes`")
        return closing in self._over

    def _look_for_finals(self, contests: Sequence[_Contest]) -> None:
        """A final whose records are there has been shown, as far as anybody knows. Raises as reading them does."""
        for contest in contests:
            if contest.closing and read_field(open_storage(join_location(_final(contest).results, contest.name))):
                self._over.add(contest.closing)

    def _load(self, name: str) -> Config:
        config = load_config(name, self.settings, **self.options)
        if config.contest.until_settled is not None and not config.opening.closes:
            raise InputError(
                f"{name}: until_settled is for a final: edits in answer to the board void its chance. Take it away, or"
                " say in [watch] when submissions close"
            )
        return config

    def _look_at_settings(self) -> None:
        """Take settings that changed, if they are good; else the last good ones stay."""
        try:
            now, is_due = _files(self.settings), self._again is not None and time.monotonic() >= self._again
            if now == self._read and not is_due:
                return
            self._read, self._is_good, self._again = now, False, None
            loaded = [_Contest(name, self._load(name)) for name in self.names]
            for contest in loaded:
                open_now = _while_open(contest)
                with (
                    contextlib.suppress(TooFewBotsError),  # it waits
                    prepare_contest(contest.config.played, open_now, NullListener()) as prepared,
                ):
                    _require_same_games(prepared)
            self._look_for_finals(loaded)
            without_places = self._finals_without_places(loaded)
        except InputError as refused:
            self.shown.tell("", f"{refused}; the settings before stay")
            return
        except Exception as error:
            self._again = time.monotonic() + _AGAIN_SECONDS
            trouble = error if isinstance(error, RunError) else our_error(error, self.settings.name)
            self.shown.tell("", f"{trouble}; the settings before stay until it is tried again in {_AGAIN_SECONDS:g} s")
            return
        self._contests, self._is_good = loaded, True
        for name in without_places:
            self.shown.tell(name, _NO_PLACES)
        self.shown.tell("", f"{self.settings.name} is read again")

    def _attend(self, contest: _Contest) -> None:
        """Play what is missing of a contest, and show it, where something changed; after its end, the final."""
        state: _State | None = None
        try:
            is_over = self._is_over(contest)
            if is_over and self.submissions and self.submissions.are_waiting(contest.name):
                return  # what came in time is in the final
            state = (_files(contest.config.entrants), is_over)
            if state == contest.attended and (contest.again is None or time.monotonic() < contest.again):
                return
            contest.again = None
            self._published(contest, "index", state, self._publish_index)
            contest.attended = (self._play(contest, is_over), is_over)
        except _SomethingCame:
            contest.attended = None
            self.shown.tell(contest.name, "something changed: the round starts over, with the games that it has")
        except InputError as waits:
            contest.attended = state
            self.shown.tell(contest.name, f"waits: {waits}")
        except Exception as error:
            contest.attended, contest.again = state, time.monotonic() + _AGAIN_SECONDS
            trouble = error if isinstance(error, RunError | OSError) else our_error(error, "this round")
            self.shown.tell(contest.name, f"{trouble}; tried again in {_AGAIN_SECONDS:g} s")

    def _play(self, contest: _Contest, is_over: bool) -> _Files:
        """What lay among the entrants that were played."""
        config = self._with_authors(_final(contest) if is_over else _while_open(contest), contest.name)
        with ExitStack() as playing:
            listener = playing.enter_context(self.shown.round(config))
            with self.submissions.among_entrants if self.submissions else nullcontext():
                lies = _when_whole(config.entrants)
                prepared = playing.enter_context(prepare_contest(config.played, config, listener))
            _require_same_games(prepared)
            broken = {
                (one.name, main_error_line(one.problem or "")) for one in prepared.entrants if one.artifact is None
            }
            for name, problem in sorted(broken - contest.refused):
                self.shown.tell(contest.name, f"{name} is refused: {problem}")
            contest.refused = frozenset(broken)

            def came() -> bool:
                changed = _files(config.entrants) != lies or _files(self.settings) != self._read
                return changed or self._is_over(contest) != is_over or self.stopping()

            def board(*, open: bool) -> bool:
                publish_it = partial(publish, self.published, contest.name, config, open=open)
                return self._published(contest, "board", (lies, is_over), publish_it)

            standings = run_prepared(prepared, _Between(listener, partial(board, open=True), came))
        closes = is_over and not standings.is_provisional
        is_current = board(open=not closes)
        self.shown.show(config, standings)
        if is_over and not closes:
            failed = standings.failed_legs[0]
            contest.again = time.monotonic() + _AGAIN_SECONDS
            self.shown.tell(
                contest.name,
                f"the final is provisional: the rules failed in match {failed.match} ({failed.title}): {failed.reason};"
                f" mend the rules, then it closes; tried again in {_AGAIN_SECONDS:g} s",
            )
        elif is_current:
            self.shown.tell(contest.name, "the final is played" if is_over else "the board is current")
        return lies

    def _with_authors(self, config: Config, name: str) -> Config:
        """The settings with who submitted which bot, if that decides who sits at a table."""
        if self.authors is None or config.contest.table_mates == "any":
            return config
        return replace(config, authors=authors_of_bots(submissions_beside(self.authors), name))

    def _published(self, contest: _Contest, what: str, state: _State, publish_it: Callable[[], None]) -> bool:
        """Publish, unless that failed twice for the same state: then play goes on without, until something changes.

        Raises what publishing does, before that.
        """
        of, failures = contest.unpublished.get(what, (state, 0))
        failures = failures if of == state else 0
        if failures >= _MOST_FAILURES:
            return False
        try:
            publish_it()
        except (TournamentError, OSError):
            raise
        except Exception as error:
            contest.unpublished[what] = state, failures + 1
            if failures + 1 < _MOST_FAILURES:
                raise
            trouble = our_error(error, f"publishing the {what}")
            self.shown.tell(contest.name, f"{trouble}; set aside until something changes, play goes on")
            return False
        return True


@dataclass
class _Between:
    """A listener that, between batches, publishes whole boards now and then, and stops a run when something `came`."""

    inner: ProgressListener
    publish: Callable[[], object]
    came: Callable[[], bool]
    due: float = field(default_factory=lambda: time.monotonic() + _PUBLISH_SECONDS)

    def on_message(self, text: str) -> None:
        self.inner.on_message(text)

    def on_progress(self, progress: Progress) -> None:
        self.inner.on_progress(progress)
        came = self.came()
        if (came or time.monotonic() >= self.due) and is_whole(progress.standings):
            began = time.monotonic()
            self.publish()
            self.due = time.monotonic() + max(_PUBLISH_SECONDS, _PAUSE * (time.monotonic() - began))
        if came:
            raise _SomethingCame


def _while_open(contest: _Contest) -> Config:
    settings = contest.config.contest.model_copy(update={"until_settled": None})
    return replace(contest.config, contest=settings)


def _final(contest: _Contest) -> Config:
    """On cards that no one has seen: a seed is drawn, whatever the file says. Each date of closing has a final of its
    own: where it is put off after one was shown, its cards are known."""
    closes = contest.config.opening.closes
    assert closes is not None
    settings = contest.config.contest.model_copy(update={"seed": None})
    return replace(contest.config, contest=settings, results=final_place(contest.config.results, closes))


def _require_same_games(prepared: Prepared) -> None:
    """Raise InputError where settings would put records aside."""
    if unlike := prepared.incompatible_records():
        raise InputError(f"{unlike}; stop, and run with --archive for that")


def _wait(places: Sequence[Path]) -> None:
    """Until something changes at one of these, or it is time to look."""
    there = [place for place in dict.fromkeys(places) if place.is_dir()]
    how: dict[str, Any] = {"rust_timeout": int(1000 * LOOK_SECONDS), "yield_on_timeout": True, "debounce": 100}
    try:
        next(watchfiles.watch(*there, watch_filter=None, recursive=False, **how))
    except (OSError, RuntimeError):  # of the system's watches too few are left
        time.sleep(LOOK_SECONDS)


def _when_whole(folder: Path) -> _Files:
    """What lies in a folder once no one has written to it for a moment, or for long."""
    lies = _files(folder)
    for _ in range(_WHOLE_LOOKS):
        time.sleep(_WHOLE_SECONDS)
        before, lies = lies, _files(folder)
        if before == lies:
            break
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
