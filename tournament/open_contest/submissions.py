"""Bots that authors submit: taken in, tried one after the other, and put among the entrants if they are fit.

In a folder that only this user may read:

    jobs/<id>/    who asked for what, and what became of it
    kept/<contest>/<bot>/    former versions, by number
    state.json    whose each bot is, and how often each author handed one in today

All is written before it is answered, so a server that was killed goes on where it was. Whatever goes wrong in a job
fails this job alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tournament.config import Config, WatchSettings
from tournament.containment import our_error
from tournament.entrants.folder import KINDS
from tournament.names import LETTERS, valid_name
from tournament.open_contest.archives import ARCHIVE, unpack_program
from tournament.open_contest.authors import Author
from tournament.open_contest.entered import Entered, bots_in, drop_built, files_of_bot, size_of, size_of_built
from tournament.open_contest.jobs import (
    BOT,
    CHECK,
    ENTERED,
    FIT,
    NOT_FIT,
    PLAYED,
    PRACTICE,
    QUEUED,
    REPLACED,
    REPLAY,
    SET_ASIDE,
    WITHDRAWAL,
    WITHDRAWN,
    Job,
    Jobs,
)  # fmt: skip
from tournament.open_contest.owners import STATE, Owners
from tournament.open_contest.refusals import Refused
from tournament.open_contest.trials import Wish, check, play_practice, show_game
from tournament.sandbox.outside.scratch import LEAST_TO_BUILD, free_space

_MOST_FAILURES, _MOST_STARTS = 2, 6  # of a job, before it is set aside; it starts again where the server was killed
_AGAIN_SECONDS = 20.0  # after a failure: the machine may have had trouble
_NAMES_A_BOT = 10  # that an author may have used, for each bot that he may have: former versions of each are kept
_MOST_SHOWN = 3  # replays of an author whose steps are kept
_MOST_UNPACKED = 8  # of an archive, times its bytes
_LEAST_FREE = 1 << 20  # bytes, for the server's own files
_NO_ASKS: Mapping[str, Any] = {}
_FOR = {PRACTICE: " for a practice match", CHECK: " to be checked", REPLAY: " to see a game again"}


@dataclass(frozen=True)
class Open:
    """What submissions are for, as the last good tournament.toml has it: the contests by name, and its [watch].
    `over` are those that have closed, whatever the clock says; `records` is where each one's are, in the end its
    final's. `is_good`: the file is still that one."""

    settings: Path
    opening: WatchSettings
    contests: Mapping[str, Config]
    over: Collection[str] = ()
    records: Mapping[str, str] = field(default_factory=dict)
    is_good: bool = True

    @property
    def min_free_disk_mb(self) -> int:
        """Free disk space that builds leave, in megabytes."""
        return max((config.sandbox.min_free_disk_mb for config in self.contests.values()), default=0)


class Submissions:
    """See above. `authors` are those of now, `tell` is told of a contest what goes on there, `now` is the time."""

    def __init__(
        self,
        folder: Path,
        current: Callable[[], Open],
        authors: Callable[[], Mapping[str, Author]],
        tell: Callable[[str, str], None] = lambda contest, what: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._folder, self._current, self._authors, self._tell, self._now = folder, current, authors, tell, now
        for place in (folder, folder / "jobs", folder / "kept"):
            place.mkdir(mode=0o700, exist_ok=True)
        self._entered = Entered(folder / "kept")
        self.among_entrants = self._entered.among_entrants
        self._one_compiler = threading.Lock()
        self._changed = threading.Condition()  # guards jobs and owners; taken after `among_entrants` where both are
        self._jobs = Jobs(folder / "jobs")
        self._owners = Owners(folder / STATE)
        self._served: dict[tuple[str, str], float] = {}  # when a job of each author, of each kind, was last begun
        self._not_before: dict[str, float] = {}  # when a job that failed is tried again
        self._waits_for_disk = False

    @property
    def contests(self) -> list[str]:
        """The names of those that are open."""
        return list(self._current().contests)

    @property
    def current(self) -> Open:
        """What submissions are for."""
        return self._current()

    @property
    def opening(self) -> WatchSettings:
        return self._current().opening

    def names_of(self, author: Author, contest: str) -> list[str]:
        """All names of bots that an author holds."""
        return sorted(self._owners.bots(author.name, contest))

    def place_in_queue(self, job: Job) -> int | None:
        """How many jobs of its kind are to be done up to this one, if each author waits for his turn alone."""
        queued = [one.id for one in self._jobs.queued(lane=job.lane)]
        return 1 + queued.index(job.id) if job.id in queued else None  # it may have been done since it was looked up

    def are_waiting(self, contest: str) -> bool:
        """Whether bots that were submitted to a contest are still to be tried, or to leave."""
        with self._changed:
            return any(job.lane != PRACTICE for job in self._jobs.queued(contest))

    def admit(self, author: Author, contest: str, file: str) -> str:
        """The name of the bot that a file of this name would be. Raises Refused, before anything is read."""
        opening, config = self._open(contest)
        name, suffix = os.path.splitext(file)
        if suffix.lower() not in (*KINDS, ARCHIVE):
            raise Refused(422, f"a bot is a file ending in {', '.join(KINDS)}, or a program's folder as {ARCHIVE}")
        if not valid_name(name) or "." in name:
            raise Refused(422, f"a bot's name has {LETTERS}, digits and _ + - only, 64 at most, and no dot")
        with self._changed:
            entered, owner = bots_in(config.entrants), self._owners.owner(contest, name)
            if owner and owner != (author.name, name):
                mine = "your bot" if owner[0] == author.name else "another's bot"
                alike = "" if owner[1] == name else ", and names that differ in case only are one name"
                raise Refused(409, f"{owner[1]} is {mine}{alike}; choose another name")
            if not owner and name.lower() in {bot.lower() for bot in entered}:
                raise Refused(409, f"{name} is a bot that the organiser entered")
            others = [bot for bot in self._owners.bots(author.name, contest) if bot != name]
            queued = {job.bot for job in self._jobs.queued(contest, BOT)}
            if len((entered | queued).intersection(others)) >= opening.max_bots_per_author:
                raise Refused(409, f"an author may have {opening.max_bots_per_author} bots; withdraw one first")
            if len(others) >= opening.max_bots_per_author * _NAMES_A_BOT:
                raise Refused(409, f"you have used {len(others)} names; take one of these: {', '.join(others)}")
        if free_space(self._folder)[0] < 2 * opening.max_file_bytes + _LEAST_FREE:
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
        """Take in a bot, or one that is to be checked or to play a practice match. Raises Refused as `admit` does, for
        one too many today, or for more than one at a time that doesn't enter; and OSError."""
        name = self.admit(author, contest, file)
        self._require_opponents(contest, name, asks)
        return self._take(author, contest, name, file, content, kind, asks)

    def _take(
        self,
        author: Author,
        contest: str,
        name: str,
        file: str,
        content: bytes | None,
        kind: str,
        asks: Mapping[str, Any],
    ) -> Job:
        with self._changed:
            if content is not None:
                self.admit(author, contest, file)  # with what came meanwhile
            job = Job("", author.name, contest, name, file, self._at(), kind, asks={**asks})
            others = self._jobs.queued(lane=PRACTICE) if job.lane == PRACTICE else []
            if waits := next((one for one in others if one.author == author.name), None):
                what = "practice match" if waits.kind == PRACTICE else waits.kind
                raise Refused(409, f"another {what} of yours is still to be done")
            opening = self.opening
            self._owners.count(author.name, opening.max_submissions_per_day, opening.max_seconds_per_day, self._now())
            self._owners.give(contest, name, author.name)
            self._owners.write()
            job = self._add(replace(job, sha256=hashlib.sha256(content or b"").hexdigest()), content)
        self._tell(contest, f"{author.name} submitted {file}{_FOR.get(kind, '')}")
        return job

    def practise(self, author: Author, contest: str, bot: str, asks: Mapping[str, Any] = _NO_ASKS) -> Job:
        """Have a bot that is in the contest play a practice match. Raises as `take` does."""
        _, config = self._open(contest)
        files = files_of_bot(config.entrants, bot)
        if not files or self._owners.owner(contest, bot) != (author.name, bot):
            raise Refused(404, f"you have no bot called {bot} in the contest")
        self._require_opponents(contest, bot, asks)
        return self._take(author, contest, bot, files[0].name, None, PRACTICE, asks)

    def show(self, author: Author, contest: str, bot: str, asks: Mapping[str, Any]) -> Job:
        """Have a recorded session of the author's bot, or a game of it, played again. Raises as `take` does."""
        current = self._current()
        if contest not in current.contests:
            raise Refused(404, f"unknown contest; expected one of: {', '.join(current.contests)}")
        if self._owners.owner(contest, bot) != (author.name, bot):
            raise Refused(404, f"you have no bot called {bot}")
        if current.contests[contest].played.house and contest not in current.over:
            raise Refused(403, "all bots meet the same hands: games are shown once the contest has closed")
        if not valid_name(str(asks["opponent"])):
            raise Refused(404, "opponent=NAME: the name of a bot or house player that it has met")
        return self._take(author, contest, bot, bot, None, REPLAY, asks)

    def _require_opponents(self, contest: str, bot: str, asks: Mapping[str, Any]) -> None:
        """Raise Refused for opponents that are not in the contest."""
        config = self._current().contests[contest]
        for name in asks.get("against", ()):
            there = valid_name(name) if config.played.house else name != bot and files_of_bot(config.entrants, name)
            if not there:
                raise Refused(404, f"against={name}: there is no other bot of this name in the contest")

    def withdraw(self, author: Author, contest: str, bot: str) -> Job:
        """Have a bot leave the contest soon; its name stays the author's. Raises Refused, and OSError."""
        _, config = self._open(contest)
        with self._changed:
            if self._owners.owner(contest, bot) != (author.name, bot):
                raise Refused(404, f"you have no bot called {bot}")
            queued = [job for job in self._jobs.queued(contest) if job.bot == bot]
            if leaving := [job for job in queued if job.kind == WITHDRAWAL]:
                return leaving[0]
            if not queued and bot not in bots_in(config.entrants):
                raise Refused(404, f"{bot} isn't in the contest")
            return self._add(Job("", author.name, contest, bot, bot, self._at(), WITHDRAWAL), None)

    def left_today(self, author: Author) -> int:
        """How many submissions an author has left today."""
        return self._owners.left_today(author.name, self.opening.max_submissions_per_day, self._now())

    def seconds_left(self, author: Author) -> float:
        """How many seconds of this machine an author has left today."""
        return round(self._owners.seconds_left(author.name, self.opening.max_seconds_per_day, self._now()), 1)

    def job(self, author: Author, job_id: str) -> Job | None:
        """One of the author's jobs."""
        found = self._jobs.find(job_id)
        return found if found and found.author == author.name else None

    def jobs_of(self, author: Author) -> list[Job]:
        """The author's jobs, the newest first."""
        return self._jobs.those(lambda job: job.author == author.name)[::-1]

    def current_job(self, job: Job) -> Job:
        """The job as it is now."""
        return self._jobs.find(job.id) or job

    def put_out_banned(self) -> None:
        """Have all that authors who are banned submitted leave their contests."""
        banned = {author.name for author in self._authors().values() if author.banned}
        if not banned:
            return
        for job in self._jobs.queued():
            if job.author in banned:
                self._end(job, SET_ASIDE, "its author is banned")
        for contest, config in self._current().contests.items():
            for author in banned:
                for bot in bots_in(config.entrants).intersection(self._owners.bots(author, contest)):
                    self._leave(config, contest, bot)
                    self._tell(contest, f"{bot} of {author}, who is banned, leaves")

    def try_next(self, seconds: float, stopping: Callable[[], bool] = lambda: False, kind: str = BOT) -> bool:
        """Do the job of a kind of whoever waits longest; whether there was one in time. Each kind is for one thread."""
        with self._changed:
            self._jobs.write_unwritten()
            if not self._changed.wait_for(lambda: self._next(kind) is not None, seconds):
                return False
            job = self._next(kind)
        if job is None or stopping():
            return False
        if not self._current().is_good:  # else it would be to blame for the organiser's mistake
            time.sleep(min(seconds, 1.0))
            return False
        self._served[job.author, kind] = began = time.monotonic()
        try:
            self._queue_again(job := replace(job, starts=job.starts + 1))
            found = self._outcome(job, stopping)
        except Refused as refused:
            found = NOT_FIT, refused.why
        except Exception as error:
            self._failed(job, error)
            return True
        finally:
            self._spend(job, time.monotonic() - began)
        if found is None:  # the server stops, or its settings are wrong: once more, in its turn
            self._queue_again(replace(job, starts=job.starts - 1))
        elif found[0] == QUEUED:
            self._failed_for(job, found[1])
        else:
            self._end(job, *found)
        return True

    def _spend(self, job: Job, seconds: float) -> None:
        """Count what doing a job took, for its author."""
        if job.kind != WITHDRAWAL:
            with self._changed, contextlib.suppress(OSError):
                self._owners.spend(job.author, seconds, self._now())
                self._owners.write()

    def _outcome(self, job: Job, stopping: Callable[[], bool]) -> tuple[str, str] | None:
        """What becomes of a job, QUEUED where this machine failed at it, and what is said to it; None where it came to
        no end. Raises Refused."""
        if job.starts > _MOST_STARTS:
            return SET_ASIDE, f"the server ended {_MOST_STARTS} times while it was tried; tell the organiser"
        current = self._current()
        config = current.contests.get(job.contest)
        if not config:
            return NOT_FIT, "the contest is gone"
        if job.kind == WITHDRAWAL:
            self._leave(config, job.contest, job.bot)
            return WITHDRAWN, ""

        def ends() -> bool:
            return stopping() or (job.kind in (PRACTICE, CHECK) and job.contest in self._current().over)

        if job.kind == REPLAY:
            shown, said = show_game(current.settings, current.records[job.contest], self._wish(job, config), ends)
            return None if ends() else (PLAYED if shown else NOT_FIT, said)
        former = next(iter(files_of_bot(config.entrants, job.bot)), None)
        bot, built = self._unpacked(job) or former, self._jobs.built(job)
        if bot is None:
            return NOT_FIT, f"{job.bot} has left the contest"
        with self._one_compiler:
            fit, said = check(current.settings, job.contest, bot, built, ends)
        if fit and job.kind == PRACTICE:
            seats = config.played.seats_of(config.contest.playing())  # two versions are compared at two seats only
            baseline = former if former != bot and (config.played.house or seats == 2) else None
            fit, said = play_practice(
                current.settings, job.contest, bot, baseline, built, ends, self._wish(job, config)
            )
        if ends() or not (fit or self._current().is_good):
            return None
        if fit is None:
            return QUEUED, said  # it may have been the machine
        if fit and job.brings_a_bot:
            self._enter(config, job, bot)
        return {PRACTICE: PLAYED, CHECK: FIT}.get(job.kind, ENTERED) if fit else NOT_FIT, said

    def _wish(self, job: Job, config: Config) -> Wish:
        """What a practice match or a replay is asked for, within what one may take."""
        against = [str(name) for name in job.asks.get("against", ())]
        settings, house = config.contest, config.played.house
        many = len(against) or (len(house.examples) if house else len(bots_in(config.entrants) - {job.bot}))
        seats = None if house else config.played.seats_of(settings.playing())
        matches = many if house else 1 if seats is None else math.comb(many, seats - 1)
        games = config.played.estimates.games(settings) * settings.replicas * max(1, matches)
        most = max(1, int(config.opening.max_games_per_call / games))
        asked = int(job.asks.get("sessions") or settings.sessions)
        self._require_opponents(job.contest, job.bot, job.asks)  # who may have left meanwhile
        opponents = against if house else [str(files_of_bot(config.entrants, name)[0].absolute()) for name in against]
        sessions = min(asked, settings.sessions, most)
        return Wish(
            job.contest,
            job.bot,
            tuple(opponents),
            None if sessions == settings.sessions else sessions,
            str(job.asks.get("opponent", "")),
            int(job.asks.get("session", 0)),
            job.asks.get("game"),
        )

    def _failed(self, job: Job, error: Exception) -> None:
        """Note that this machine, or our own code, failed at a job."""
        why = f"this machine could not keep it: {error.strerror}" if isinstance(error, OSError) else "an error of ours"
        with contextlib.suppress(Exception):
            self._tell(job.contest, our_error(error, f"{job.file} of {job.author}"))
        self._failed_for(job, f"{why}; tell the organiser")

    def _failed_for(self, job: Job, why: str) -> None:
        if self._lacks_disk():  # that explains it, and ends by itself
            self._queue_again(replace(job, starts=job.starts - 1))
            return
        job = replace(job, failures=job.failures + 1, said=why)
        if job.failures >= _MOST_FAILURES:
            self._end(job, SET_ASIDE, why)
            return
        self._not_before[job.id] = time.monotonic() + _AGAIN_SECONDS
        self._queue_again(job)

    def _queue_again(self, job: Job) -> None:
        with self._changed:
            if self.current_job(job).state == QUEUED:  # else its bot was withdrawn
                self._jobs.put(job)

    def _end(self, job: Job, state: str, said: str) -> None:
        """Note what became of a job that was to be done, unless its bot was withdrawn meanwhile."""
        with self._changed:
            known = self._jobs.find(job.id)
            if known is None or known.state != QUEUED:
                return
            self._jobs.put(replace(job, state=state, said=said))
            self._not_before.pop(job.id, None)
            if state == ENTERED:
                self._replace_older(job)
            else:
                drop_built(self._jobs.built(job))
                if not self._is_used(job):
                    self._owners.release(job.contest, job.bot)
                    with contextlib.suppress(OSError):
                        self._owners.write()
            self._forget_shown(job)
            self._jobs.forget_old()
            self._changed.notify_all()
        self._tell(job.contest, f"{job.file} of {job.author}: {state}")

    def _forget_shown(self, job: Job) -> None:
        """Keep only an author's last replays: what they show is large."""
        shown = self._jobs.those(lambda one: (one.kind, one.author) == (REPLAY, job.author) and one.said != "")
        for older in shown[:-_MOST_SHOWN]:
            self._jobs.put(replace(older, said=""))

    def _replace_older(self, job: Job) -> None:
        """Note of the jobs that brought a bot's former versions that these don't play any more."""
        for older in self._entered_as(job.contest, job.bot):
            if older.id == job.id:
                continue
            self._jobs.put(replace(older, state=REPLACED))
            if older.sha256 == job.sha256:  # then it is still needed, and goes when this one does
                with contextlib.suppress(FileNotFoundError), self._jobs.built(job).open("a") as built:
                    built.write(self._jobs.built(older).read_text())
            else:
                drop_built(self._jobs.built(older))

    def _entered_as(self, contest: str, bot: str) -> list[Job]:
        return self._jobs.those(lambda job: (job.contest, job.bot, job.state) == (contest, bot, ENTERED))

    def _is_used(self, job: Job) -> bool:
        """Whether a job's bot has been in the contest under its name, or another job may bring it there."""
        config = self._current().contests.get(job.contest)
        plays = config is not None and job.bot in bots_in(config.entrants)
        comes = any(one.bot == job.bot for one in self._jobs.queued(job.contest))
        return plays or comes or bool(self._entered.versions(job.contest, job.bot))

    def _add(self, job: Job, content: bytes | None) -> Job:
        job = self._jobs.add(job, content)
        self._changed.notify_all()
        return job

    def _at(self) -> str:
        return self._now().isoformat(timespec="seconds")

    def _open(self, contest: str) -> tuple[WatchSettings, Config]:
        current, now = self._current(), self._now()
        opening = current.opening
        if contest not in current.contests:
            raise Refused(404, f"unknown contest; expected one of: {', '.join(current.contests)}")
        if opening.closes and (now >= opening.closes or contest in current.over):
            raise Refused(403, f"submissions closed at {opening.closes.isoformat(' ')}")
        if opening.opens and now < opening.opens:
            raise Refused(403, f"submissions open at {opening.opens.isoformat(' ')}")
        return opening, current.contests[contest]

    def _lacks_disk(self) -> bool:
        """Return whether trials have to wait, since a build could take too little of the disk."""
        needed = LEAST_TO_BUILD + (self._current().min_free_disk_mb << 20)
        try:
            lacking = min(free_space(place)[0] for place in (self._folder, tempfile.gettempdir())) < needed
        except OSError:
            lacking = True
        if lacking != self._waits_for_disk:
            self._waits_for_disk = lacking
            self._tell("", f"submissions wait: less than {needed >> 20:,} MB of disk are free" if lacking else "enough"
                       " disk is free again; submissions go on")  # fmt: skip
        return lacking

    def _next(self, kind: str) -> Job | None:
        if kind != WITHDRAWAL and self._jobs.queued(lane=kind) and self._lacks_disk():
            return None
        now = time.monotonic()
        ready = [job for job in self._jobs.queued(lane=kind) if self._not_before.get(job.id, 0.0) <= now]
        ready = [job for job in ready if not self._is_late(job)]
        return min(ready, key=lambda job: self._served.get((job.author, kind), 0.0), default=None)

    def _is_late(self, job: Job) -> bool:
        """Set aside what no one waits for once the contest has closed: practice matches, and all but the last that was
        submitted of a bot."""
        if job.contest not in self._current().over or job.kind in (WITHDRAWAL, REPLAY):
            return False
        same = [one for one in self._jobs.queued(job.contest, BOT) if one.bot == job.bot]
        if job.kind == BOT and same[-1:] == [job]:
            return False
        self._end(job, SET_ASIDE, "the contest has closed" if job.lane == PRACTICE else "a later one was submitted")
        return True

    def _unpacked(self, job: Job) -> Path | None:
        """The bot of a job as a file or folder of its name, None if nothing was submitted. Raises Refused for what is
        no archive of a program."""
        upload = self._jobs.upload(job)
        if not upload.exists():
            return None
        if not job.file.lower().endswith(ARCHIVE):
            return upload / job.file
        folder = upload / job.bot
        shutil.rmtree(folder, ignore_errors=True)  # of a try that was cut off
        unpack_program((upload / job.file).read_bytes(), folder, self.opening.max_file_bytes * _MOST_UNPACKED)
        return folder

    def _enter(self, config: Config, job: Job, bot: Path) -> None:
        """Put a bot among the entrants in place of its former version. Raises Refused where it is no more its author's
        to enter, or too large."""
        self._make_room(config, job, bot)
        aside = self._entered.copy_aside(config.entrants, bot, job.id)
        with self.among_entrants, self._changed:
            author = self._authors().get(job.author)
            owned = self._owners.owner(job.contest, job.bot) == (job.author, job.bot)
            if self.current_job(job).state != QUEUED or not owned or author is None or author.banned:
                shutil.rmtree(aside, ignore_errors=True)
                aside.unlink(missing_ok=True)
                raise Refused(409, f"{job.bot} may not enter any more")
            self._entered.enter(config.entrants, job.contest, aside, bot.name)

    def _make_room(self, config: Config, job: Job, bot: Path) -> None:
        """Raise Refused where an author's bots would take too much of the disk; former versions make room."""
        most = self.opening.max_megabytes_per_author << 20
        names = self._owners.bots(job.author, job.contest)
        others = [one for name in names if name != job.bot for one in self._entered_as(job.contest, name)]
        taken = sum(size_of_built(self._jobs.built(one)) for one in [job, *others]) + size_of(bot)
        for one in others:
            taken += sum(size_of(path) for path in files_of_bot(config.entrants, one.bot))
        if taken > most:
            raise Refused(422, f"your bots would take {taken >> 20:,} MB as built, of {most >> 20:,}: make it smaller")
        taken += sum(size_of(path) for path in files_of_bot(config.entrants, job.bot))  # the next former version
        self._entered.drop_oldest([(job.contest, name) for name in names], most - taken)

    def _leave(self, config: Config, contest: str, bot: str) -> None:
        """Take a bot out of the contest, and what is still to be tried of it."""
        with self.among_entrants:
            self._entered.leave(config.entrants, contest, bot)
        with self._changed:
            for job in [*self._entered_as(contest, bot), *self._jobs.queued(contest, BOT)]:
                if job.bot == bot:
                    self._jobs.put(replace(job, state=WITHDRAWN))
                    drop_built(self._jobs.built(job))
