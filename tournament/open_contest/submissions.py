"""Submissions of an open contest: bots, practice matches, replays and withdrawals, tried and put among the entrants.

Every job is stored in `jobs` before the server answers, so a killed server continues where it was. A failure in a job
affects that job alone.

Order of file and row: a bot enters in two steps under `among_entrants`. Its copy is renamed into the entrants folder,
then a transaction stores that it entered. A withdrawal removes the file, then stores it. If a server is killed between
the steps, the next one finds the job queued and repeats both. Renaming the same copy, or removing a removed file,
changes nothing. At start, `Submissions` removes hidden copies that a killed server left in the entrants folders.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tournament.cache import cache_folder
from tournament.config import Config, WatchSettings
from tournament.containment import our_error
from tournament.contests import data_files
from tournament.entrants.folder import KINDS, detect_kind
from tournament.names import LETTERS, valid_name
from tournament.open_contest.archives import ARCHIVE, unpack_program
from tournament.open_contest.authors import Author
from tournament.open_contest.jobs import (
    BOT,
    ENTERED,
    NOT_FIT,
    OTHER,
    PLAYED,
    PRACTICE,
    QUEUED,
    QUICK,
    REPLAY,
    SET_ASIDE,
    TRIAL,
    WITHDRAWAL,
    WITHDRAWN,
    Job,
    Jobs,
    quota_day,
)  # fmt: skip
from tournament.open_contest.refusals import Refused
from tournament.open_contest.trials import check, forks, play_practice, quick_check, replay_game
from tournament.records.finals import records_with
from tournament.sandbox.outside.scratch import MIN_TO_BUILD, free_space, remove, scratch_folder

CHECK_SECONDS, PRACTICE_SECONDS = 180.0, 900.0
# Maximum failures and starts of a job before it is set aside.
_MAX_FAILURES, _MAX_STARTS = 2, 6
# Seconds until the next attempt after a failure, because the machine might have been at fault.
_RETRY_SECONDS = 20.0
# Maximum names of an author for each allowed bot.
_NAMES_PER_BOT = 10
# Maximum size of an unpacked archive, as a multiple of the maximum size of a file.
_MAX_UNPACKED = 8
# Approximate maximum number of games of a practice match.
_MAX_GAMES = 5_000_000
# Bytes of disk reserved for the server's own files.
_MIN_FREE = 1 << 20
# Folders of the cache with files that belong to one bot.
_DROPPED = frozenset({"bots", "strategies", "programs"})
# Names of hidden copies of a bot that enters or leaves.
_HIDDEN_COPY = re.compile(r"\.[0-9a-f]{24}(\.\d+)?")
_PURPOSES = {PRACTICE: " for a practice match", REPLAY: " to see a game again"}
_NO_ASKS: Mapping[str, Any] = {}


@dataclass(frozen=True)
class OpenContests:
    """The contests that take submissions, as the last good tournament.toml has them.

    Attributes:
        settings: Path of the file.
        opening: When submissions start and end, and their limits.
        contests: Settings of each contest by name, in the file's order.
        over: Names of contests that have closed, whatever the clock says.
        records: Folder or URL of each contest's records by its name; once it has closed, of its final's.
        is_good: Whether the file still has these settings. If it is being edited badly, no jobs are done.
    """

    settings: Path
    opening: WatchSettings
    contests: Mapping[str, Config]
    over: Collection[str] = ()
    records: Mapping[str, str] = field(default_factory=dict)
    is_good: bool = True

    def config_of(self, contest: str) -> Config:
        """Return the configuration of a contest.

        Raises:
            Refused: There is no such contest.
        """
        if contest not in self.contests:
            raise Refused(404, f"unknown contest; expected one of: {', '.join(self.contests)}")
        return self.contests[contest]

    @property
    def min_free_disk_mb(self) -> int:
        """Free disk space that builds leave, in MiB: the most of any contest, 0 without contests."""
        return max((config.sandbox.min_free_disk_mb for config in self.contests.values()), default=0)


class Submissions:
    """Submissions of authors, and the jobs on them.

    Methods raise sqlite3.Error if the database fails, and OSError if files can't be read or written. `try_next` stores
    such an error as the outcome of the job.

    Attributes:
        jobs: The stored jobs.
        among_entrants: Lock for changing bots' files, and for reading more than one of them.
    """

    def __init__(
        self,
        database: Path,
        current: Callable[[], OpenContests],
        authors: Callable[[], Mapping[str, Author]],
        on_message: Callable[[str, str], None] = lambda contest, what: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Open the database, and remove hidden copies that a killed server left.

        Args:
            database: Path of the database.
            current: Returns the contests that take submissions.
            authors: Returns the authors by name.
            on_message: Called with a contest and a message; the contest is "" for a message about all.
            now: Returns the time, with its time zone.

        Raises:
            InputError: The database has another format.
            RunError: The database can't be opened.
            OSError: An entrants folder can't be read or written.
        """
        self.jobs = Jobs(database)
        self._folder, self._current, self._authors, self._tell, self._now = (
            database.parent,
            current,
            authors,
            on_message,
            now,
        )
        self.among_entrants = threading.RLock()
        self._waits_for_disk = False
        for config in current().contests.values():
            for path in config.entrants.iterdir() if config.entrants.is_dir() else ():
                if _HIDDEN_COPY.fullmatch(path.name):
                    _remove(path)

    @property
    def current(self) -> OpenContests:
        """The contests that take submissions."""
        return self._current()

    def are_waiting(self, contest: str) -> bool:
        """Return whether bots of a contest still have to be tried, or to leave."""
        return bool(self.jobs.rows("n", f"state = '{QUEUED}' AND contest = ? AND kind IN (?, ?) LIMIT 1", contest, BOT,
                                   WITHDRAWAL))  # fmt: skip

    def job(self, author: Author, job_id: str) -> Job | None:
        """Return one of the author's jobs, or None if the author has none with this id."""
        job = self.jobs.job(job_id)
        return job if job and job.author == author.name else None

    def jobs_of(self, author: str, max_jobs: int = 50) -> list[Job]:
        """Return an author's last jobs in all contests, at most this many, the newest first."""
        return self.jobs.find("author = ? ORDER BY n DESC LIMIT ?", author, max_jobs)

    def left_today(self, author: str) -> tuple[int, float]:
        """Return the submissions and the seconds of this machine that an author has left today, each at least 0.

        A day is one of UTC.
        """
        jobs, seconds = self.jobs.today(author, self._now())
        opening = self._current().opening
        return max(0, opening.max_submissions_per_day - jobs), max(0.0, opening.max_seconds_per_day - seconds)

    # Requests of authors

    def admit(self, author: Author, contest: str, file: str) -> str:
        """Return the name of the bot that a file of this name would be, which is the file's name without its ending.

        Raises:
            Refused: The contest is unknown or closed, or no bot can have this ending or name. Or the name is another
                bot's, also one with letters of another case. Or the author has too many bots or names, or the disk
                is full.
        """
        opening, config = self._open(contest)
        name, suffix = os.path.splitext(file)
        if suffix.lower() not in (*KINDS, ARCHIVE) and not data_files.is_data(suffix.lower()):
            raise Refused(422, f"a bot is a file ending in {', '.join(KINDS)}, or a program's folder as {ARCHIVE}")
        if not valid_name(name) or "." in name:
            raise Refused(422, f"a bot's name has {LETTERS}, digits and _ + - only, 64 at most, and no dot")
        entered, owner = bots_in(config.entrants), self.jobs.owner(contest, name)
        if owner and owner != (author.name, name):
            whose = "your bot" if owner[0] == author.name else "another's bot"
            alike = "" if owner[1] == name else ", and names that differ in case only are one name"
            raise Refused(409, f"{owner[1]} is {whose}{alike}; choose another name")
        house = bots_in(config.house) if config.house else set()
        if not owner and name.lower() in {bot.lower() for bot in entered | house}:
            raise Refused(409, f"{name} is a bot that the organiser entered")
        own_bots = [bot for bot in self.jobs.names(author.name, contest) if bot != name]
        queued = {
            bot for (bot,) in self.jobs.rows("bot", f"state = '{QUEUED}' AND kind = ? AND contest = ?", BOT, contest)
        }
        if len((entered | queued).intersection(own_bots)) >= opening.max_bots_per_author:
            raise Refused(409, f"an author can have {opening.max_bots_per_author} bots; withdraw one first")
        if len(own_bots) >= opening.max_bots_per_author * _NAMES_PER_BOT:
            raise Refused(409, f"you have used {len(own_bots)} names; take one of these: {', '.join(own_bots)}")
        if free_space(self._folder)[0] < 2 * opening.max_file_bytes + _MIN_FREE:
            raise Refused(507, "this machine's disk has no space for a file; tell the organiser")
        return name

    def take(
        self,
        author: Author,
        contest: str,
        file: str,
        content: bytes,
        kind: str = BOT,
        asks: Mapping[str, Any] = _NO_ASKS,
    ) -> Job:
        """Store a bot, or one for a practice match, and return its job.

        Args:
            author: The author.
            contest: Name of the contest.
            file: Name of the file.
            content: Content of the file.
            kind: BOT or PRACTICE.
            asks: Of a practice match, names of opponents as "against", the name of a "baseline", and "sessions". Any
                can be missing; then all bots are opponents.

        Raises:
            Refused: The contest doesn't take the file from this author, an opponent or the baseline isn't in the
                contest, or the author has used up today's submissions or seconds, or has another practice match or
                replay queued.
        """
        with self.jobs.changed:
            name = self.admit(author, contest, file)
            self._require_opponents(author.name, contest, name, asks)
            return self._add(Job("", author.name, contest, name, file, kind=kind, asks=asks), content)

    def practise(self, author: Author, contest: str, bot: str, asks: Mapping[str, Any] = _NO_ASKS) -> Job:
        """Queue a practice match of a bot that is in the contest, and return its job.

        Args:
            author: The author.
            contest: Name of the contest.
            bot: Name of the bot.
            asks: Names of opponents, a baseline and sessions, as for `take`.

        Raises:
            Refused: The contest is closed or unknown, the author has no such bot there, or an opponent or the baseline
                isn't in it. Or the author has used up today's submissions or seconds, or has another practice match or
                replay queued.
        """
        _, config = self._open(contest)
        self.require_owner(author, contest, bot)
        if not (files := find_bot_files(config.entrants, bot)):
            raise Refused(404, f"{bot} isn't in the contest")
        if asks.get("baseline") == bot:
            raise Refused(
                400, f"baseline={bot}: this is the bot itself; send another version of it, or name another bot"
            )
        self._require_opponents(author.name, contest, bot, asks)
        return self._add(Job("", author.name, contest, bot, files[0].name, kind=PRACTICE, asks=asks))

    def show(self, author: Author, contest: str, bot: str, asks: Mapping[str, Any]) -> Job:
        """Queue a replay of a recorded session of the author's bot, or of one game, and return its job.

        It is also possible once the contest has closed.

        Args:
            author: The author.
            contest: Name of the contest.
            bot: Name of the bot.
            asks: The name of the "opponent", and "session" and "game" from 0. A game of None means all of the session.

        Raises:
            Refused: The contest is unknown, the author has no such bot, games aren't shown yet, or no player can have
                the opponent's name. Or the author has used up today's submissions or seconds, or has another practice
                match or replay queued.
        """
        current = self._current()
        config = current.config_of(contest)
        self.require_owner(author, contest, bot)
        if config.played.house and contest not in current.over:
            raise Refused(403, "all bots meet the same hands: games are shown once the contest has closed")
        if not valid_name(str(asks["opponent"])):
            raise Refused(404, "opponent=NAME: the name of a bot or house player that it has met")
        return self._add(Job("", author.name, contest, bot, bot, kind=REPLAY, asks=asks))

    def withdraw(self, author: Author, contest: str, bot: str) -> Job:
        """Queue the withdrawal of a bot, and return its job, or one that is already queued.

        Its name remains the author's. Uploads of the bot that aren't tried yet are withdrawn at once.

        Raises:
            Refused: The contest is closed or unknown, the author has no such bot, or it isn't in the contest.
        """
        _, config = self._open(contest)
        with self.jobs.changed:
            self.require_owner(author, contest, bot)
            queued = self.jobs.find(f"state = '{QUEUED}' AND contest = ? AND bot = ? ORDER BY n", contest, bot)
            if queued and queued[-1].kind == WITHDRAWAL:
                return queued[-1]
            if not any(job.kind == BOT for job in queued) and bot not in bots_in(config.entrants):
                raise Refused(404, f"{bot} isn't in the contest")
            return self._add(Job("", author.name, contest, bot, bot, kind=WITHDRAWAL))

    def _add(self, job: Job, content: bytes | None = None) -> Job:
        """Store a new job, and return it with its id, time, lane and number. Withdrawals aren't limited.

        Raises:
            Refused: The author has used up today's submissions or seconds, or has another practice match or replay
                queued.
        """
        lane = {BOT: QUICK, WITHDRAWAL: WITHDRAWAL}.get(job.kind, OTHER)
        now, opening = self._now(), self._current().opening
        with self.jobs.changed:
            waits = self.jobs.find(f"state = '{QUEUED}' AND lane = '{OTHER}' AND author = ?", job.author)
            if lane == OTHER and waits:
                description = "practice match" if waits[0].kind == PRACTICE else waits[0].kind
                raise Refused(409, f"another {description} of yours is still to be done")
            submissions, seconds = self.left_today(job.author)
            for left, description in (
                (submissions, f"{opening.max_submissions_per_day} submissions"),
                (seconds, f"{opening.max_seconds_per_day:,g} seconds of trials, matches and replays"),
            ):
                if job.kind != WITHDRAWAL and left <= 0:
                    midnight = datetime.combine(now.astimezone(UTC).date() + timedelta(1), datetime.min.time(), UTC)
                    after = int((midnight - now.astimezone(UTC)).total_seconds()) + 1
                    raise Refused(429, f"{description} a day; the next from {midnight.isoformat(' ')}", after)
            digest = hashlib.sha256(content or b"").hexdigest()
            job = replace(job, at=now.isoformat(timespec="seconds"), lane=lane, sha256=digest)
            job = self.jobs.add(job, content, quota_day(now), ends_earlier=job.kind == WITHDRAWAL)
        purpose = _PURPOSES.get(job.kind, "")
        description = f"withdrew {job.bot}" if job.kind == WITHDRAWAL else f"submitted {job.file}{purpose}"
        self._tell(job.contest, f"{job.author} {description}")
        return job

    def require_owner(self, author: Author, contest: str, bot: str) -> None:
        """Check that an author holds a bot's name, exactly as written.

        Raises:
            Refused: The author doesn't.
        """
        if self.jobs.owner(contest, bot) != (author.name, bot):
            raise Refused(404, f"you have no bot called {bot}")

    def _require_opponents(self, author: str, contest: str, bot: str, asks: Mapping[str, Any]) -> None:
        """Check that opponents and the baseline are in the contest, and that the baseline is the author's.

        Raises:
            Refused: One of them isn't, or the baseline is also an opponent. House players are checked by the form of
                their names only.
        """
        config = self._current().contests[contest]
        if baseline := str(asks.get("baseline", "")):
            if self.jobs.owner(contest, baseline) != (author, baseline) or not find_bot_files(
                config.entrants, baseline
            ):
                raise Refused(404, f"baseline={baseline}: you have no bot of this name in the contest")
            if baseline in asks.get("against", ()):
                raise Refused(400, f"against={baseline}: this is the baseline; name other opponents")
        for name in asks.get("against", ()):
            is_present = (
                valid_name(name) if config.played.house else name != bot and find_bot_files(config.entrants, name)
            )
            if not is_present:
                raise Refused(404, f"against={name}: the contest has no other bot of this name")

    def _open(self, contest: str) -> tuple[WatchSettings, Config]:
        """Return the limits and the settings of a contest that takes submissions now.

        Raises:
            Refused: There is no such contest, or submissions haven't started or have ended.
        """
        current, now = self._current(), self._now()
        opening, config = current.opening, current.config_of(contest)
        if opening.closes and (now >= opening.closes or contest in current.over):
            raise Refused(403, f"submissions closed at {opening.closes.isoformat(' ')}")
        if opening.opens and now < opening.opens:
            raise Refused(403, f"submissions open at {opening.opens.isoformat(' ')}")
        return opening, config

    # Work of threads

    def try_next(self, lane: str, seconds: float, stopping: Callable[[], bool] = lambda: False) -> bool:
        """Do the next job of a lane, and return whether there was one.

        False means that none could be done in this time. Either none is queued, or its author has no seconds left, or
        a retry is too early. Or the settings file is invalid, or the disk is full. Errors of a job are stored as its
        outcome.

        Args:
            lane: QUICK, TRIAL, OTHER or WITHDRAWAL.
            seconds: Maximum time to wait for a job.
            stopping: Returns whether to stop waiting, or to stop the job, which is then queued again.
        """
        end = time.monotonic() + seconds
        with self.jobs.changed:
            while (job := self._take(lane)) is None:
                if (left := end - time.monotonic()) <= 0 or stopping():
                    return False
                self.jobs.changed.wait(left)
        try:
            self._do(job, stopping)
        finally:
            with self.jobs.changed:
                del self.jobs.running[job.id]
            self.jobs.notify()
        return True

    def _take(self, lane: str) -> Job | None:
        """Take the next job of a lane, or return None if there is none that can be done now.

        Jobs that no one needs once a contest has closed are set aside before.
        """
        current = self._current()
        if not current.is_good or (lane != WITHDRAWAL and self.jobs.in_turn(lane) and self._lacks_disk()):
            return None
        for contest in current.over:
            self._set_late_aside(contest)

        def ready(job: Job) -> bool:
            """Return whether a job can be done now: a retry isn't too early, and its author has seconds left."""
            ((not_before,),) = self.jobs.rows("not_before", "id = ?", job.id)
            has_time = job.contest in current.over or self.left_today(job.author)[1] > 0
            return not_before <= time.time() and (job.kind == WITHDRAWAL or has_time)

        return self.jobs.take(lane, ready)

    def _set_late_aside(self, contest: str) -> None:
        """Set aside what no one needs once a contest has closed: practice, and all but the last upload of each bot."""
        newer = "EXISTS (SELECT 1 FROM job AS later WHERE (later.contest, later.bot, later.kind, later.state) ="
        newer += f" (job.contest, job.bot, '{BOT}', '{QUEUED}') AND later.n > job.n)"
        late = f"state = '{QUEUED}' AND contest = ? AND (kind = '{PRACTICE}' OR kind = '{BOT}' AND {newer})"
        for job in self.jobs.find(late, contest):
            self._end(job, SET_ASIDE, "a later one was submitted" if job.kind == BOT else "the contest has closed")

    def _do(self, job: Job, stopping: Callable[[], bool]) -> None:
        """Do a job, and store its outcome, or that it failed, and how long it took.

        Its seconds count as its author's, except for a withdrawal.
        """
        began = time.monotonic()
        try:
            if job.starts > _MAX_STARTS:
                why = f"the server ended {_MAX_STARTS} times while it was tried; tell the organiser"
                self._end(job, SET_ASIDE, why)
            elif job.kind == WITHDRAWAL:
                self._leave(job)
            elif (config := self._current().contests.get(job.contest)) is None:
                self._end(job, NOT_FIT, "the contest is gone")
            else:
                with scratch_folder() as place:
                    self._try(job, config, place, stopping)
        except Refused as refused:
            self._end(job, NOT_FIT, refused.why)
        except Exception as error:
            why = "an error of ours"
            if isinstance(error, OSError):
                why = f"this machine couldn't keep it: {error.strerror}"
            with contextlib.suppress(Exception):
                self._tell(job.contest, our_error(error, f"{job.file} of {job.author}"))
            self._failed(job, f"{why}; tell the organiser")
        finally:
            if job.kind != WITHDRAWAL:
                self.jobs.spend([job.author], time.monotonic() - began, self._now())

    def _try(self, job: Job, config: Config, folder: Path, stopping: Callable[[], bool]) -> None:
        """Try a bot, play a practice match, or show a game, and store the outcome.

        A job that is stopped is queued again. A bot that passes the quick trial is queued for the full one.

        Raises:
            Refused: The job can't be done: the bot or an opponent has left, its archive is invalid, or its author's
                bots would take too much of the disk.
            RunError: The cache can't be used.
            OSError: This machine can't keep its files.
        """
        current, list_of_built, began = self._current(), folder / "built", time.monotonic()
        remaining = math.inf if job.contest in current.over else self.left_today(job.author)[1]
        ((before,),) = self.jobs.rows("built", "id = ?", job.id)
        bot: Path | None = None
        succeeded: bool | None

        def ends() -> bool:
            """Return whether to stop the job without an outcome."""
            return stopping() or (job.kind == PRACTICE and job.contest in self._current().over)

        def within(seconds: float) -> float:
            """Return a limit in seconds, which is no more than the author has left today."""
            return min(seconds, remaining - (time.monotonic() - began))

        if job.kind == REPLAY:
            records = records_with(current.records[job.contest], job.bot)
            where = current.settings, job.contest, job.bot, records
            succeeded, said = replay_game(*where, within(CHECK_SECONDS), ends, **job.asks)
        else:
            previous = next(iter(find_bot_files(config.entrants, job.bot)), None)
            bot = self._unpacked(job, folder) or previous
            if bot is None:
                raise Refused(404, f"{job.bot} has left the contest")
            tried = current.settings, job.contest, bot, list_of_built
            if job.lane == QUICK:
                succeeded, said = quick_check(*tried, ends)
            else:
                succeeded, said = check(*tried, within(CHECK_SECONDS), ends)
            if succeeded and job.kind == PRACTICE:
                baseline = previous if previous != bot else None
                if named := job.asks.get("baseline"):
                    baseline = next(iter(find_bot_files(config.entrants, named)), None)
                against, sessions = self._plan_practice(job, config)
                succeeded, said = play_practice(
                    *tried, within(PRACTICE_SECONDS), ends, baseline=baseline, opponents=against, sessions=sessions
                )
        built = str(before) + (list_of_built.read_text() if list_of_built.exists() else "")
        if ends() or not (succeeded or self._current().is_good):
            # The job is done again, in its turn.
            self.jobs.set(job, starts=job.starts - 1)
        elif job.lane == QUICK and succeeded is not False:  # The full trial decides.
            self.jobs.set(job, lane=TRIAL, quick=said, built=built, starts=0)
        elif not succeeded and within(1.0) <= 0:
            why = "your seconds of today ended while it was tried; submit it again from midnight UTC"
            self._end(job, SET_ASIDE, why, built)
        elif succeeded is None:
            # The machine might be at fault.
            self._failed(job, said or "its trial ended early; tell the organiser")
        elif succeeded and bot and job.kind == BOT:
            self.jobs.set(job, seconds=time.monotonic() - began)
            self._enter(config, job, bot, said, built)
        else:
            self._end(job, PLAYED if succeeded else NOT_FIT, said, built)

    def _plan_practice(self, job: Job, config: Config) -> tuple[list[str], int]:
        """Return the opponents of a practice match, and its number of sessions.

        Opponents are absolute paths, or names of house players, in the order of the request. None means all. There are
        at most as many sessions as in the contest, and fewer for about 5,000,000 games at most.

        Raises:
            Refused: An opponent has left the contest.
        """
        against = [str(name) for name in job.asks.get("against", ())]
        settings, house = config.contest, config.played.house
        many = len(against) or (len(house.examples) if house else len(bots_in(config.entrants) - {job.bot}))
        seats = None if house else config.played.seats_of(settings.playing())
        matches = many if house else 1 if seats is None else math.comb(many, seats - 1)
        games = config.played.estimates.games(settings) * settings.replicas * max(1, matches)
        requested = int(job.asks.get("sessions") or settings.sessions)
        # Opponents might have left since.
        self._require_opponents(job.author, job.contest, job.bot, job.asks)
        opponents = against if house else [str(find_bot_files(config.entrants, name)[0].absolute()) for name in against]
        return opponents, min(requested, settings.sessions, max(1, int(_MAX_GAMES / games)))

    def _unpacked(self, job: Job, folder: Path) -> Path | None:
        """Return a job's bot as a file or folder with its name, or None if none was submitted or it isn't stored.

        Raises:
            Refused: Its archive is invalid.
            OSError: The folder can't be written.
        """
        content = self.jobs.content(job)
        if content is None:
            return None
        upload = folder / "upload"
        upload.mkdir()
        if not job.file.lower().endswith(ARCHIVE):
            (upload / job.file).write_bytes(content)
            return upload / job.file
        unpack_program(content, upload / job.bot, self._current().opening.max_file_bytes * _MAX_UNPACKED)
        return upload / job.bot

    def _enter(self, config: Config, job: Job, bot: Path, reason: str, built: str) -> None:
        """Put a bot among the entrants in place of its previous version.

        If the author is banned or unknown by now, or the bot withdrawn, the job is set aside.

        Args:
            config: Settings of the contest.
            job: The job.
            bot: File or folder of the bot.
            reason: Text for the author.
            built: List of what the trial made in the cache, an entry a line.

        Raises:
            Refused: The author's bots would take too much of the disk.
            OSError: The entrants folder can't be written.
        """
        self._make_room(config, job, bot, built)
        config.entrants.mkdir(parents=True, exist_ok=True)
        aside = config.entrants / f".{job.id}"
        _remove(aside)
        if bot.is_dir():
            shutil.copytree(bot, aside)
        else:
            shutil.copyfile(bot, aside)
        old: list[Path] = []
        with self.among_entrants, self.jobs.changed:
            now, author = self.jobs.job(job.id), self._authors().get(job.author)
            if now is None or now.state != QUEUED or author is None or author.banned:
                _remove(aside)
                self._end(job, SET_ASIDE, f"{job.bot} may not enter any more", built)
                return
            for number, path in enumerate(find_bot_files(config.entrants, job.bot)):
                if path.is_dir() or path.name != bot.name:
                    old.append(aside.with_name(f"{aside.name}.{number}"))
                    os.rename(path, old[-1])
            os.rename(aside, config.entrants / bot.name)
            self._end(job, ENTERED, reason, built)
        for path in old:
            _remove(path)

    def _make_room(self, config: Config, job: Job, bot: Path, built: str) -> None:
        """Delete stored previous versions of the author's bots, the oldest first, as needed.

        Raises:
            Refused: Bots in the contest would take more than `max_megabytes_per_author` without them.
        """
        max_bytes = self._current().opening.max_megabytes_per_author << 20
        taken = sum(map(_disk_bytes, _still_cached(built))) + _disk_bytes(bot)
        entered = f"state = '{ENTERED}' AND author = ? AND contest = ? AND bot != ?"
        for name, left in self.jobs.rows("bot, built", entered, job.author, job.contest, job.bot):
            taken += sum(map(_disk_bytes, [*_still_cached(left), *find_bot_files(config.entrants, name)]))
        if taken > max_bytes:
            raise Refused(
                422, f"your bots would take {taken >> 20:,} MB as built, of {max_bytes >> 20:,}: make it smaller"
            )
        # These files become the next previous version.
        taken += sum(map(_disk_bytes, find_bot_files(config.entrants, job.bot)))
        self.jobs.drop_versions(job.author, job.contest, max_bytes - taken)

    def _leave(self, job: Job) -> None:
        """Take a bot out of the contest, unless a later upload has entered since. The job is done in either case.

        Raises:
            OSError: The entrants folder can't be written.
        """
        config = self._current().contests.get(job.contest)
        with self.among_entrants:
            condition = f"state = '{ENTERED}' AND contest = ? AND bot = ? AND n > ?"
            if config and not self.jobs.rows("n", condition, job.contest, job.bot, job.n):
                for path in find_bot_files(config.entrants, job.bot):
                    _remove(path)
            self._end(job, WITHDRAWN, "")

    def put_out_banned(self) -> None:
        """Have the bots of banned authors leave their contests, and set aside what they submitted.

        Raises:
            OSError: An entrants folder can't be written.
        """
        for author in [author for author in self._authors().values() if author.banned]:
            for contest, config in self._current().contests.items():
                for bot in bots_in(config.entrants).intersection(self.jobs.names(author.name, contest)):
                    self._leave(self._add(Job("", author.name, contest, bot, bot, kind=WITHDRAWAL)))
                    self._tell(contest, f"{bot} of {author.name}, who is banned, leaves")
            for job in self.jobs.find(f"state = '{QUEUED}' AND author = ?", author.name):
                self._end(job, SET_ASIDE, "its author is banned")

    def _failed(self, job: Job, why: str) -> None:
        """Store that this machine, or our own code, failed at a job.

        The job is queued again after 20 seconds, or set aside at its second failure. A failure with a full disk doesn't
        count.

        Args:
            job: The job.
            why: Reason for the author.
        """
        # A lack of disk space explains the failure, and ends automatically.
        if self._lacks_disk():
            self.jobs.set(job, starts=job.starts - 1)
        elif job.failures + 1 >= _MAX_FAILURES:
            self._end(job, SET_ASIDE, why)
        else:
            self.jobs.set(job, failures=job.failures + 1, said=why, not_before=time.time() + _RETRY_SECONDS)

    def _end(self, job: Job, state: str, reason: str, built: str = "") -> None:
        """Store the outcome of a job, and remove from the cache what no bot needs any more.

        Args:
            job: The job.
            state: Its new state, such as ENTERED or NOT_FIT.
            reason: Text for the author.
            built: List of what the job made in the cache, an entry a line; "" for nothing.
        """
        for left in self.jobs.finish(job, state, reason, built):
            for path in _still_cached(left):
                _remove(path)
        self._tell(job.contest, f"{job.file} of {job.author}: {state}")

    def _lacks_disk(self) -> bool:
        """Return whether trials have to wait, because a build could take too much of the disk.

        True, too, if the free space can't be read. Each change is reported once.
        """
        needed = MIN_TO_BUILD + (self._current().min_free_disk_mb << 20)
        try:
            lacking = min(free_space(place)[0] for place in (self._folder, tempfile.gettempdir())) < needed
        except OSError:
            lacking = True
        if lacking != self._waits_for_disk:
            self._waits_for_disk = lacking
            self._tell("", f"submissions wait: less than {needed >> 20:,} MB of disk are free" if lacking else "enough"
                       " disk is free again; submissions go on")  # fmt: skip
        return lacking


class Workers:
    """Threads that do the jobs, while this context is open: some for each lane.

    Args:
        submissions: The submissions.
        on_message: Called with a line about each error of our own.
        trial_workers: Number of threads for full trials. There are two for quick trials, and one for each other lane.
    """

    def __init__(self, submissions: Submissions, on_message: Callable[[str], None], trial_workers: int) -> None:
        self._submissions, self._tell = submissions, on_message
        self._stopped = threading.Event()
        lanes = [QUICK, QUICK, OTHER, WITHDRAWAL, *[TRIAL] * trial_workers]
        self._threads = [threading.Thread(target=self._work, args=(lane,), name=lane, daemon=True) for lane in lanes]

    def __enter__(self) -> Workers:
        forks.start()
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._submissions.jobs.notify()
        for thread in self._threads:
            thread.join(10)

    def _work(self, lane: str) -> None:
        """Do the jobs of a lane until the context ends."""
        while not self._stopped.is_set():
            try:
                if lane == WITHDRAWAL:
                    self._submissions.put_out_banned()
                self._submissions.try_next(lane, 1.0, self._stopped.is_set)
            except Exception as error:
                self._tell(our_error(error, f"jobs of the lane {lane}"))
                self._stopped.wait(1.0)


def bots_in(entrants: Path) -> set[str]:
    """Return the names of the bots in an entrants folder, without hidden ones. Empty if there is no folder.

    Raises:
        OSError: The folder can't be read.
    """
    return {path.stem for path in _visible(entrants)}


def find_bot_files(entrants: Path, bot: str) -> list[Path]:
    """Return the files and folders of a bot in an entrants folder, in no particular order. Empty if there are none.

    Raises:
        OSError: The folder can't be read.
    """
    return [path for path in _visible(entrants) if path.stem == bot and detect_kind(path)]


def _visible(folder: Path) -> list[Path]:
    """Return the files and folders in a folder that aren't hidden, in no particular order. Empty if it doesn't exist.

    Raises:
        OSError: The folder can't be read.
    """
    return [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []


def _disk_bytes(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder.

    Raises:
        OSError: A file can't be read.
    """
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files)


def _still_cached(built: str) -> list[Path]:
    """Return the paths in the cache that a trial made for its bot alone and that still exist, in no particular order.

    Args:
        built: Folder and name of each entry that the trial made, one on each line.

    Raises:
        RunError: The cache has no folder, or others can write to it.
    """
    paths = {cache_folder() / line for line in built.splitlines() if line.partition("/")[0] in _DROPPED}
    return [path for path in paths if path.parent.parent == cache_folder() and path.exists()]


def _remove(path: Path) -> None:
    """Remove a file or folder, if it exists.

    Raises:
        OSError: It can't be removed.
    """
    if path.is_dir():
        remove(path)
    else:
        path.unlink(missing_ok=True)
