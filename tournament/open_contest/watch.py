"""Open contests that are kept current: new files are played, and every change is published.

After closing, a final is played on fresh cards. With `final_top`, a preliminary of all bots on other fresh cards
decides which bots play it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, Protocol

import watchfiles

from tournament.config import Config, load_config
from tournament.containment import our_error
from tournament.errors import InputError, RunError, TooFewBotsError, TournamentError, main_error_line
from tournament.open_contest.jobs import database_beside, find_authors
from tournament.open_contest.publish import PRELIMINARY, publish, publish_index, unready
from tournament.open_contest.submissions import OpenContests, Submissions, bots_in
from tournament.records.finals import final_location
from tournament.runner.contest_run import run_prepared
from tournament.runner.listener import NullListener, Progress, ProgressListener
from tournament.runner.prepare import PATIENCE_SECONDS, Prepared, prepare_contest
from tournament.sandbox.outside.scratch import sweep_temporary
from tournament.standings.standings import Standings
from tournament.store.reading import read_field
from tournament.store.storage import join_location, open_storage

# Seconds between looks for changes. The system reports changes immediately, except for example on a network's file
# system. The others are seconds between looks at a folder that is being written, and their maximum number.
LOOK_SECONDS, _WHOLE_SECONDS, _WHOLE_LOOKS = 2.0, 0.3, 40
# Seconds until the next attempt after a failure of the machine.
_RETRY_SECONDS = 30.0
# Minimum seconds between boards of a round, and the minimum as a multiple of the time that the last board took.
_PUBLISH_SECONDS, _PAUSE = 3.0, 10
_MAX_FILES = 20_000
# Seconds of a full trial. Legs of a bot that needs longer are played after all others.
_SLOW_SECONDS = 20.0
_NO_RANKS = (
    "the final will give no places, with one match of each pair: set replicas = 10, or until_settled, before it closes"
)

_Files = dict[str, tuple[int, int]]  # time of the last change and size, by path
_State = tuple[_Files, bool]  # a contest's entrants, and whether the contest is over


class WatchListener(Protocol):
    """Receives the progress for the organiser, from the thread that plays."""

    def round(self, config: Config) -> AbstractContextManager[ProgressListener]:
        """Return a context with the listener for a round, given the round's settings."""

    def tell(self, contest: str, what: str) -> None:
        """Show a line about a contest, or about all if the name is empty."""

    def show(self, config: Config, standings: Standings) -> None:
        """Show the standings after a round, given the round's settings."""


class _FilesChanged(Exception):
    """Raised to end a round because its files changed."""


@dataclass
class _Contest:
    """An open contest with its last good settings.

    Attributes:
        name: Name of the contest.
        config: The settings.
        attended: State of the last round; None before it, and if it was interrupted.
        retry_at: Time of the next try after a failure, by `time.monotonic`; None if the last round didn't fail.
        refused: Names and problems of broken bots that were reported.
        unpublished: Last error of our own in publishing it, which is reported once; "" if there was none.
    """

    name: str
    config: Config
    attended: _State | None = None
    retry_at: float | None = None
    refused: frozenset[tuple[str, str]] = frozenset()
    unpublished: str = ""

    @property
    def closing(self) -> tuple[str, datetime] | None:
        """Name and date of closing, because each date has a final of its own, or None without a date."""
        closes = self.config.opening.closes
        return (self.name, closes) if closes else None


@dataclass
class Watch:
    """Keeps the contests of a settings file current.

    Attributes:
        names: Names of the contests.
        settings: Path of the settings file.
        options: Options that override the file's, as in `load_config`.
        published: The published folder.
        shown: Receives the progress.
        authors: Path of the authors' file; None without submissions.
        submissions: Submissions of the authors; None without submissions.
        now: Returns the time, with its time zone.
        stopping: Called often; returns whether to end.
    """

    names: Sequence[str]
    settings: Path
    options: Mapping[str, Any]
    published: Path
    shown: WatchListener
    authors: Path | None = None
    submissions: Submissions | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    stopping: Callable[[], bool] = lambda: False
    _contests: list[_Contest] = field(default_factory=list)
    _read: _Files = field(default_factory=dict)
    _is_good: bool = True
    _retry_at: float | None = None
    _over: set[tuple[str, datetime]] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Load the settings, and publish the index.

        Raises:
            InputError: The settings are invalid, an open contest can't have them, or the published folder would reveal
                files.
            RunError: Records can't be read, or the machine is at fault, such as a cache that can't be used.
        """
        self._read = _files(self.settings)
        self._contests = [_Contest(name, self._load(name)) for name in self.names]
        secret = [self.settings, *([self.authors, database_beside(self.authors)] if self.authors else [])]
        secret += [path for one in self._contests for path in (one.config.entrants, Path(one.config.results))]
        published = self.published.resolve()
        for place in (path.resolve() for path in secret):
            if place.is_relative_to(published) or published.is_relative_to(place):
                raise InputError(f"--publish {self.published}: that folder is public, and would reveal {place}")
        self._close_played_finals(self._contests)
        sweep_temporary()  # A killed server's files can fill the disk.
        try:
            self._publish_index()
        except OSError as trouble:  # Each round publishes it again.
            self.shown.tell("", f"the index of {self.published} can't be published now: {trouble.strerror}")

    def current(self) -> OpenContests:
        """Return the contests for which authors submit bots, in the order of `names`."""
        contests = {one.name: one.config for one in self._contests}
        closed = {one.name for one in self._contests if self._is_over(one)}
        records = {
            one.name: join_location((_final(one) if one.name in closed else one.config).results, one.name)
            for one in self._contests
        }
        is_good = self._is_good and _files(self.settings) == self._read
        return OpenContests(self.settings, self._contests[0].config.opening, contests, closed, records, is_good)

    def _publish_index(self) -> None:
        """Publish the page that leads to the contests.

        Raises:
            OSError: The folder can't be written.
            InputError: A template can't be written.
        """
        current = self.current()
        publish_index(self.published, current.contests, current.over, submissions=self.authors is not None)

    def keep(self) -> None:
        """Play and publish until `stopping` returns True. An exception such as KeyboardInterrupt can end it, too.

        Failures are reported. Those of the machine are tried again after 30 seconds, and others once files change.
        """
        self._warn_of_unranked_finals(self._contests)
        while not self.stopping():
            self._reload_settings()
            for contest in self._contests:
                self._attend(contest)
            _wait([self.settings.parent, *(one.config.entrants for one in self._contests)])

    def _warn_of_unranked_finals(self, contests: Sequence[_Contest]) -> None:
        """Warn while there is time of finals without places, in which every match is played once."""
        for one in contests:
            played, settings = one.config.played, one.config.contest
            is_single = (settings.replicas, settings.until_settled) == (1, None)
            if one.closing and not self._is_over(one) and is_single and not (played.house or settings.tables):
                self.shown.tell(one.name, _NO_RANKS)

    def _is_over(self, contest: _Contest) -> bool:
        """Return whether a contest has closed. It then stays closed whatever the clock shows.

        The first time, that is reported. A contest without a date of closing never closes.
        """
        closing = contest.closing
        if closing and closing not in self._over and self.now() >= closing[1]:
            self._over.add(closing)
            self.shown.tell(contest.name, "it has closed; to reopen it, set a later `closes`")
        return closing in self._over

    def _close_played_finals(self, contests: Sequence[_Contest]) -> None:
        """Close contests whose final, or its preliminary, has records.

        Raises:
            RunError: Records can't be read.
        """
        for contest in contests:
            for is_preliminary in (True, False) if contest.closing else ():
                location = _final(contest, preliminary=is_preliminary).results
                if contest.closing and read_field(open_storage(join_location(location, contest.name))):
                    self._over.add(contest.closing)

    def _load(self, name: str) -> Config:
        """Return the settings of a contest.

        Raises:
            InputError: They are invalid, or an open contest can't have them.
            RunError: The machine is at fault, such as a cache that can't be used.
        """
        config = load_config(name, self.settings, **self.options)
        if config.contest.until_settled is not None and not config.opening.closes:
            raise InputError(
                f"{name}: until_settled requires a final, because edits in answer to the board void its probability."
                " Remove it, or set in [watch] when submissions close"
            )
        min_entrants = config.played.fewest_entrants(config.contest.playing())
        if config.opening.final_top and config.opening.final_top < min_entrants:
            raise InputError(f"{name}: final_top = {config.opening.final_top}: a match needs {min_entrants} bots")
        return config

    def _reload_settings(self) -> None:
        """Load changed settings if they are good. Otherwise the last good ones stay, and the error is reported."""
        try:
            now, is_due = _files(self.settings), self._retry_at is not None and time.monotonic() >= self._retry_at
            if now == self._read and not is_due:
                return
            self._read, self._is_good, self._retry_at = now, False, None
            loaded = [_Contest(name, self._load(name)) for name in self.names]
            for contest in loaded:
                with (
                    contextlib.suppress(TooFewBotsError),
                    prepare_contest(contest.config.played, _while_open(contest), NullListener()) as prepared,
                ):
                    _require_same_games(prepared)
            self._close_played_finals(loaded)
            self._warn_of_unranked_finals(loaded)
        except InputError as refused:
            self.shown.tell("", f"{refused}; the settings before stay")
            return
        except Exception as error:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            trouble = error if isinstance(error, RunError) else our_error(error, self.settings.name)
            self.shown.tell("", f"{trouble}; the settings before stay until it is tried again in {_RETRY_SECONDS:g} s")
            return
        self._contests, self._is_good = loaded, True
        self.shown.tell("", f"{self.settings.name} is read again")

    def _attend(self, contest: _Contest) -> None:
        """Play and publish a contest if something changed or a retry is due. Errors are reported, not raised.

        A final waits until all bots that were submitted in time are tried.
        """
        state: _State | None = None
        try:
            is_over = self._is_over(contest)
            if is_over and self.submissions and self.submissions.are_waiting(contest.name):
                return  # The final has every bot that was submitted in time.
            state = (_files(contest.config.entrants), is_over)
            if state == contest.attended and (contest.retry_at is None or time.monotonic() < contest.retry_at):
                return
            contest.retry_at = None
            self._published(contest, "index", self._publish_index)
            play = self._play_final if is_over else self._play_open
            contest.attended = (play(contest), is_over)
        except _FilesChanged:
            contest.attended = None
            self.shown.tell(contest.name, "something changed: the round starts over, with the games that it has")
        except InputError as waits:
            contest.attended = state
            self.shown.tell(contest.name, f"waits: {waits}")
        except Exception as error:
            contest.attended, contest.retry_at = state, time.monotonic() + _RETRY_SECONDS
            trouble = error if isinstance(error, RunError | OSError) else our_error(error, "this round")
            self.shown.tell(contest.name, f"{trouble}; tried again in {_RETRY_SECONDS:g} s")

    def _play_open(self, contest: _Contest) -> _Files:
        """Play and publish what is missing while a contest is open, and return the entrants' files.

        Raises:
            _FilesChanged: Files changed.
            InputError: There is nothing to play yet, or the settings would archive records.
            RunError: The run stopped early.
            OSError: The published folder can't be written.
        """
        closes = contest.config.opening.closes
        until = f", closes {closes.astimezone(UTC):%Y-%m-%d %H:%M UTC}" if closes else ""
        until += "; then a final is played, which alone counts" if closes else ""
        files, standings, is_current = self._round(contest, _while_open(contest), f"Open contest{until}")
        for failed in standings.failed_legs[:1]:
            self.shown.tell(contest.name, f"the rules failed in {failed}; the contest goes on without such matches")
        if is_current:
            self.shown.tell(contest.name, "the board is current")
        return files

    def _play_final(self, contest: _Contest) -> _Files:
        """Play and publish the final, after the preliminary if there is one, and return the entrants' files.

        Raises:
            _FilesChanged: Files changed.
            InputError: There is nothing to play yet, or the settings would archive records.
            RunError: The run stopped early.
            OSError: The published folder can't be written.
        """
        top, finalists = contest.config.opening.final_top, None
        min_entrants = contest.config.played.fewest_entrants(contest.config.contest.playing())
        preliminary = _final(contest, preliminary=True)
        if top and len(bots_in(contest.config.entrants)) > top:
            files, standings, _ = self._round(contest, preliminary, "Preliminary: the best play the final")
            if self._is_provisional(contest, "preliminary", standings):
                return files
            if len(best := select_finalists(standings, top)) >= min_entrants:  # Otherwise nearly all are disqualified.
                finalists = best
                self.shown.tell(contest.name, f"the preliminary is played; {len(best)} bots play the final")
        whose = f" of the best {len(finalists)}" if finalists else ""
        heading = f"Final{whose}: it alone counts"
        files, standings, is_current = self._round(contest, _final(contest), heading, finalists, closes=True)
        if self._is_provisional(contest, "final", standings) or not is_current:
            return files
        if finalists:
            publish_it = partial(
                publish, self.published, contest.name, preliminary, "Preliminary", subfolder=PRELIMINARY
            )
            self._published(contest, "preliminary", partial(publish_it, open=False))
            self._published(contest, "index", self._publish_index)
        self.shown.tell(contest.name, "the final is played")
        return files

    def _is_provisional(self, contest: _Contest, stage: str, standings: Standings) -> bool:
        """Return whether the standings of a final or preliminary are provisional.

        If the rules failed in a match, that is reported, and the round is tried again.
        """
        for failed in standings.failed_legs[:1]:
            contest.retry_at = time.monotonic() + _RETRY_SECONDS
            self.shown.tell(
                contest.name,
                f"the {stage} is provisional: the rules failed in {failed}; repair the rules, then it closes;"
                f" tried again in {_RETRY_SECONDS:g} s",
            )
        return standings.is_provisional

    def _round(
        self,
        contest: _Contest,
        config: Config,
        heading: str,
        finalists: Collection[str] | None = None,
        *,
        closes: bool = False,
    ) -> tuple[_Files, Standings, bool]:
        """Play a round.

        Args:
            contest: The contest.
            config: Settings of this round.
            heading: Heading of its board.
            finalists: Names of the bots that play; None for all.
            closes: Whether its last board shows everything, such as the seed.

        Returns:
            Files of the entrants, the standings, and whether the board shows them. It doesn't if an internal error
            prevented that.

        Raises:
            _FilesChanged: Files changed, the contest closed, or the watch is to end.
            InputError: There is nothing to play yet, or the settings would archive records.
            RunError: The run stopped early.
            OSError: The published folder can't be written.
        """
        config, is_over = self._with_authors(config, contest.name), self._is_over(contest)
        with ExitStack() as playing:
            listener = playing.enter_context(self.shown.round(config))
            with self.submissions.among_entrants if self.submissions else nullcontext():
                files = _wait_for_writes(config.entrants)
                patience = PATIENCE_SECONDS if finalists is None else inf
                prepared = playing.enter_context(prepare_contest(config.played, config, listener, patience))
            _require_same_games(prepared)
            broken = {(one.name, main_error_line(one.problem or "")) for one in prepared.entrants if not one.artifact}
            for name, problem in sorted(broken - contest.refused):
                self.shown.tell(contest.name, f"{name} is refused: {problem}")
            contest.refused = frozenset(broken)
            if finalists is not None:
                prepared = replace(
                    prepared, entrants=[one for one in prepared.entrants if one.is_house or one.name in finalists]
                )
            if self.submissions:
                prepared = replace(prepared, last=self.submissions.jobs.slower_than(_SLOW_SECONDS, contest.name))

            def has_changes() -> bool:
                """Return whether files have changed, the contest has closed, or the watch is to end."""
                changed = _files(config.entrants) != files or _files(self.settings) != self._read
                return changed or self._is_over(contest) != is_over or self.stopping()

            def board(*, open: bool, with_unready: bool = True) -> bool:
                """Publish the board, and return whether that succeeded.

                Raises:
                    TournamentError: The records or the settings don't allow publishing.
                    OSError: The published folder can't be written.
                """
                publish_it = partial(publish, self.published, contest.name, config, heading, open=open)
                exclude = None if with_unready else unready
                return self._published(contest, "board", partial(publish_it, unready=exclude))

            began = time.monotonic()
            try:
                between = _Between(listener, partial(board, open=True, with_unready=False), has_changes)
                standings = run_prepared(prepared, between)
            finally:
                if not is_over:
                    self._spend(contest, files, time.monotonic() - began)
        is_current = board(open=not closes or standings.is_provisional)
        self.shown.show(config, standings)
        return files, standings, is_current

    def _spend(self, contest: _Contest, files: _Files, seconds: float) -> None:
        """Divide the seconds of a round equally among the authors whose bots came or changed since the last one.

        Nothing is spent without submissions, or if no author's bot changed.
        """
        before = contest.attended[0] if contest.attended else files
        changed = {path for path, state in files.items() if before.get(path) != state}
        entrants = contest.config.entrants
        bots = {Path(os.path.relpath(path, entrants).split(os.sep)[0]).stem for path in changed}
        if self.submissions and bots:
            jobs = self.submissions.jobs
            authors = {owner[0] for bot in bots if (owner := jobs.owner(contest.name, bot))}
            if authors:
                jobs.spend(authors, seconds / len(authors), self.now())

    def _with_authors(self, config: Config, name: str) -> Config:
        """Return the settings with the author of each bot if that decides which bots meet, otherwise unchanged.

        Raises:
            RunError: The database of submissions can't be read.
        """
        if self.authors is None or config.contest.table_mates == "any":
            return config
        return replace(config, authors=find_authors(database_beside(self.authors), name))

    def _published(self, contest: _Contest, subject: str, publish_it: Callable[[], None]) -> bool:
        """Publish something, and return whether that succeeded. An internal error doesn't stop play.

        Args:
            contest: The contest.
            subject: What is published, for messages.
            publish_it: Called to publish it; raises as documented below, or an internal error.

        Raises:
            TournamentError: The records or the settings don't allow publishing.
            OSError: The folder can't be written.
        """
        try:
            publish_it()
        except (TournamentError, OSError):
            raise
        except Exception as error:
            if contest.unpublished != (trouble := repr(error)):
                contest.unpublished = trouble
                self.shown.tell(
                    contest.name, f"{our_error(error, f'publishing the {subject}')}; play goes on without it"
                )
            return False
        return True


@dataclass
class _Between:
    """A listener that publishes boards during a round, and ends the round when files change.

    Attributes:
        inner: Listener that receives everything, too.
        publish: Publishes a board.
        has_changes: Returns whether files changed.
        due: Time of the next board, by `time.monotonic`. Boards come at least 3 seconds apart, and ten times as long
            as the last one took.
    """

    inner: ProgressListener
    publish: Callable[[], object]
    has_changes: Callable[[], bool]
    due: float = field(default_factory=lambda: time.monotonic() + _PUBLISH_SECONDS)

    def on_message(self, text: str) -> None:
        """Forward a message."""
        self.inner.on_message(text)

    def on_progress(self, progress: Progress) -> None:
        """Forward the progress, publish a board if it is due, and end the round if files changed.

        Raises:
            _FilesChanged: Files changed.
            TournamentError: The records or the settings don't allow publishing.
            OSError: The published folder can't be written.
        """
        self.inner.on_progress(progress)
        came, began = self.has_changes(), time.monotonic()
        if came or began >= self.due:
            if _is_worth_showing(progress.standings):
                self.publish()
            self.due = time.monotonic() + max(_PUBLISH_SECONDS, _PAUSE * (time.monotonic() - began))
        if came:
            raise _FilesChanged


def _is_worth_showing(ranking: Standings) -> bool:
    """Return whether at least two bots, and half of those that are ranked, have met each other."""
    ranked = len(ranking.ranked)
    return ranked > 1 and ranked - len(unready(ranking)) >= max(2, ranked / 2)


def select_finalists(ranking: Standings, top: int) -> list[str]:
    """Return the names of the best bots of a preliminary.

    A bot is one of them if its true rank can be at most `top`. Without bounds of ranks, it is one if its score is at
    least that of place `top`. So there can be more than `top`, and bots without a match aren't among them.

    Returns:
        The names in the order of the standings, the best first.
    """
    ranked = [line for line in ranking.ranked if line.matches]
    min_score = min((line.score for line in ranked[:top]), default=0.0)
    return [
        line.name for line in ranked if (line.rank_low <= top if line.rank_low is not None else line.score >= min_score)
    ]


def _while_open(contest: _Contest) -> Config:
    """Return a contest's settings while it is open, without a probability for its order."""
    settings = contest.config.contest.model_copy(update={"until_settled": None})
    return replace(contest.config, contest=settings)


def _final(contest: _Contest, *, preliminary: bool = False) -> Config:
    """Return the settings of a final, or of its preliminary, on cards that no one has seen.

    Each date of closing has a final of its own, because the cards of a final that was shown are known.
    """
    closes = contest.config.opening.closes
    assert closes is not None
    settings = contest.config.contest.model_copy(update={"seed": None})
    results = final_location(contest.config.results, closes, preliminary=preliminary)
    return replace(contest.config, contest=settings, results=results)


def _require_same_games(prepared: Prepared) -> None:
    """Check that the settings wouldn't archive records.

    Raises:
        InputError: They would, because the records are of other settings.
        RunError: Records can't be read.
    """
    if unlike := prepared.incompatible_records():
        raise InputError(f"{unlike}; stop, and run with --archive for that")


def _wait(paths: Sequence[Path]) -> None:
    """Wait until something changes directly in one of these folders, at most 2 seconds. Missing ones are skipped."""
    existing = [place for place in dict.fromkeys(paths) if place.is_dir()]
    how: dict[str, Any] = {"rust_timeout": int(1000 * LOOK_SECONDS), "yield_on_timeout": True, "debounce": 100}
    try:
        next(watchfiles.watch(*existing, watch_filter=None, recursive=False, **how))
    except (OSError, RuntimeError):  # The system has too few watches left.
        time.sleep(LOOK_SECONDS)


def _wait_for_writes(folder: Path) -> _Files:
    """Return the files in a folder once no one has written to it for 0.3 seconds, or after 40 looks.

    The time and size of each are by its path.
    """
    files = _files(folder)
    for _ in range(_WHOLE_LOOKS):
        time.sleep(_WHOLE_SECONDS)
        before, files = files, _files(folder)
        if before == files:
            break
    return files


def _files(root: Path) -> _Files:
    """Return time and size of the files and folders at a path or below it, by path, about 20,000 at most.

    Names that begin with a dot or two underscores are omitted, and so is what can't be read. Times are nanoseconds, and
    sizes bytes.
    """
    states: _Files = {}
    folders = [os.fspath(root)]
    while folders and len(states) < _MAX_FILES:
        path = folders.pop()
        try:
            status = os.lstat(path)
            states[path] = (status.st_mtime_ns, status.st_size)
            if os.path.isdir(path):
                folders += [entry.path for entry in os.scandir(path) if not entry.name.startswith((".", "__"))]
        except OSError:  # The file has just gone.
            continue
    return states
