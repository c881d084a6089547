"""Bots that authors hand in: taken in, tried one after the other, and put among the entrants if they are fit.

In a folder that only this user may read:

    jobs/<id>/    job.json: who handed in what, and what became of it; upload/ has the bot until it is tried
    kept/<contest>/<bot>/    former versions, by number
    state.json    whose each bot is, and how often each author handed one in today

All is written before it is answered, so a server that was killed goes on where it was. A bot's files change only while
`among_entrants` is held: who reads them holds it, too, and never sees a bot twice or not at all.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import shutil
import stat
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any

from tournament.config import Config, Opening
from tournament.entrants.folder import KINDS, kind_of
from tournament.errors import printable
from tournament.names import LETTERS, valid_name
from tournament.open_contest.authors import Author
from tournament.open_contest.trials import check, play_gauntlet
from tournament.small_files import write_whole

ARCHIVE = ".zip"
_MOST_JOBS, _MOST_KEPT, _MOST_TRIES = 2_000, 10, 3
_NAMES_A_BOT = 10  # that an author may have used, for each bot that he may have: former versions of each are kept
_MOST_FILES, _MOST_UNPACKED = 500, 8  # of an archive; times its bytes

QUEUED, ENTERED, NOT_FIT, PLAYED = "queued", "entered", "not fit", "played"


class Refused(Exception):
    """A submission that isn't taken: an HTTP status, why, and after how many seconds another try makes sense."""

    def __init__(self, status: int, why: str, retry_after: int | None = None) -> None:
        super().__init__(why)
        self.status, self.why, self.retry_after = status, why, retry_after


@dataclass(frozen=True)
class Job:
    """A submission: of whom, for which contest, and what became of it. `said` is what `tournament check` said; of a
    gauntlet that was played, for which a bot doesn't enter, its figures as JSON."""

    id: str
    author: str
    contest: str
    bot: str
    file: str
    at: str
    state: str = QUEUED
    said: str = ""
    renames: str = ""  # the bot's former name
    is_gauntlet: bool = False


@dataclass(frozen=True)
class Open:
    """What submissions are for, as the last good tournament.toml has it: the contests by name, and its [watch].
    `is_good`: the file is still that one."""

    settings: Path
    opening: Opening
    contests: Mapping[str, Config]
    is_good: bool = True


@dataclass
class _State:
    """Whose each bot is, by contest and the bot's name in lower case: author and name; former names, by contest and
    name; and attempts of a day."""

    bots: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    renamed: dict[str, dict[str, str]] = field(default_factory=dict)
    day: str = ""
    attempts: dict[str, int] = field(default_factory=dict)


def submissions_beside(authors: Path) -> Path:
    """The folder of what the authors of a file hand in."""
    return authors.absolute().parent / "submissions"


class Submissions:
    """See above. `now` is the time, for tests."""

    def __init__(
        self,
        folder: Path,
        current: Callable[[], Open],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._folder, self._current, self._now = folder, current, now
        self.among_entrants = threading.RLock()
        self._one_compiler = threading.Lock()
        self._changed = threading.Condition()
        self._jobs: dict[str, Job] = {}
        self._served: dict[tuple[str, bool], float] = {}  # when each author's latest job, or gauntlet, was tried
        self._tries: Counter[str] = Counter()  # of jobs that this machine failed at
        for place in (folder, folder / "jobs", folder / "kept"):
            place.mkdir(mode=0o700, exist_ok=True)
        self._state = self._read_state()
        self._read_jobs()

    @property
    def contests(self) -> list[str]:
        """The names of those that are open."""
        return list(self._current().contests)

    @property
    def opening(self) -> Opening:
        return self._current().opening

    def are_waiting(self, contest: str) -> bool:
        """Whether bots that were handed in to a contest are still to be tried."""
        with self._changed:
            return any(not job.is_gauntlet for job in self._queued(contest))

    def renamed(self, contest: str) -> dict[str, str]:
        """The former names of bots."""
        return dict(self._state.renamed.get(contest, {}))

    def admit(self, author: Author, contest: str, file: str, renames: str = "") -> str:
        """The name of the bot that a file of this name would be. Raises Refused, before anything is read."""
        opening, config = self._open(contest)
        name, suffix = os.path.splitext(file)
        if suffix.lower() not in (*KINDS, ARCHIVE):
            raise Refused(422, f"a bot is a file ending in {', '.join(KINDS)}, or a program's folder as {ARCHIVE}")
        if not valid_name(name) or "." in name:
            raise Refused(422, f"a bot's name has {LETTERS}, digits and _ + - only, 64 at most, and no dot")
        with self._changed:
            own, entered = self._state.bots.get(contest, {}), _bots_in(config.entrants)
            owner = own.get(name.lower())
            if owner and owner != [author.name, name]:
                mine = "your bot" if owner[0] == author.name else "another's bot"
                raise Refused(409, f"{owner[1]} is {mine}; names that differ in case only look alike")
            if not owner and name.lower() in {bot.lower() for bot in entered}:
                raise Refused(409, f"{name} is a bot that the organiser entered")
            if renames and (renames == name or own.get(renames.lower()) != [author.name, renames]):
                raise Refused(404, f"you have no other bot called {renames}")
            others = [bot for who, bot in own.values() if who == author.name and bot not in (name, renames)]
            queued = {job.bot for job in self._queued(contest)}
            if len((entered | queued).intersection(others)) >= opening.bots_of_an_author:
                raise Refused(409, f"an author may have {opening.bots_of_an_author} bots; withdraw one first")
            if len(others) >= opening.bots_of_an_author * _NAMES_A_BOT:
                raise Refused(409, f"you have used {len(others)} names; take one of these: {', '.join(others)}")
        if shutil.disk_usage(self._folder).free < opening.free_megabytes << 20:
            raise Refused(507, "this machine has little disk left; tell the organiser")
        return name

    def take(
        self, author: Author, contest: str, file: str, content: bytes, renames: str = "", *, is_gauntlet: bool = False
    ) -> Job:
        """Keep a bot to be tried, and count the attempt. Raises Refused as `admit` does, for one too many today, and
        for a second gauntlet at a time."""
        with self._changed:
            name = self.admit(author, contest, file, renames)
            if is_gauntlet and any(job.is_gauntlet and job.author == author.name for job in self._queued()):
                raise Refused(409, "another gauntlet of yours is still to be played")
            self._count(author)
            self._state.bots.setdefault(contest, {})[name.lower()] = [author.name, name]
            self._write_state()
            at = self._now().isoformat(timespec="seconds")
            job = Job(
                f"{time.time_ns():x}-{secrets.token_hex(8)}", author.name, contest, name, file, at,
                renames=renames, is_gauntlet=is_gauntlet,
            )  # fmt: skip
            upload = self._folder / "jobs" / job.id / "upload"
            upload.mkdir(mode=0o700, parents=True)
            write_whole(upload / file, content, 0o600)
            self._note(job)
            self._changed.notify_all()
        return job

    def job(self, author: Author, job_id: str) -> Job | None:
        """One of the author's jobs."""
        found = self._jobs.get(job_id)
        return found if found and found.author == author.name else None

    def jobs_of(self, author: Author) -> list[Job]:
        """The author's jobs, the newest first."""
        return [job for job in reversed(list(self._jobs.values())) if job.author == author.name]

    def current_job(self, job: Job) -> Job:
        """The job as it is now."""
        return self._jobs.get(job.id, job)

    def withdraw(self, author: Author, contest: str, bot: str) -> None:
        """Take a bot out of the contest; its name stays the author's. Raises Refused."""
        _, config = self._open(contest)
        with self._changed:
            if self._state.bots.get(contest, {}).get(bot.lower()) != [author.name, bot]:
                raise Refused(404, f"you have no bot called {bot}")
        self._keep(config, contest, bot)

    def put_out(self, banned: set[str]) -> None:
        """Take all bots of these authors out of their contests."""
        current = self._current()
        for contest, config in current.contests.items():
            entered = _bots_in(config.entrants)
            for author, bot in list(self._state.bots.get(contest, {}).values()):
                if author in banned and bot in entered:
                    self._keep(config, contest, bot)

    def try_next(
        self, seconds: float, stopping: Callable[[], bool] = lambda: False, *, gauntlets: bool = False
    ) -> bool:
        """Try the job of whoever waits longest, and enter its bot if it is fit, or play the next of the gauntlets;
        whether there was one in time. Each kind is for one thread."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._next(gauntlets) is not None, seconds):
                return False
            job = self._next(gauntlets)
        if job is None or stopping():
            return False
        if not self._current().is_good:  # else it would be to blame for the organiser's mistake
            time.sleep(min(seconds, 1.0))
            return False
        self._served[job.author, gauntlets] = time.monotonic()
        try:
            found = self._outcome(job, stopping)
        except Refused as refused:
            found = NOT_FIT, refused.why
        except OSError as error:
            found = NOT_FIT, f"this machine could not keep it: {error.strerror}; tell the organiser"
        if found is None:
            return True  # once more in its turn
        state, said = found
        with self._changed:
            self._note(dataclasses.replace(job, state=state, said=said))
            if state != ENTERED and not self._is_used(job):
                self._state.bots.get(job.contest, {}).pop(job.bot.lower(), None)  # anybody may have the name
                self._write_state()
            shutil.rmtree(self._folder / "jobs" / job.id / "upload", ignore_errors=True)
            self._forget_old()
            self._changed.notify_all()
        return True

    def _outcome(self, job: Job, stopping: Callable[[], bool]) -> tuple[str, str] | None:
        """What becomes of a job, and what is said to it; None where it came to no end. Raises Refused."""
        current = self._current()
        config = current.contests.get(job.contest)
        if not config:
            return NOT_FIT, "the contest is gone"
        bot = self._unpacked(job)
        with self._one_compiler:
            fit, said = check(current.settings, job.contest, bot, stopping)
        if fit and job.is_gauntlet:
            former = next(iter(_files_of_bot(config, job.bot)), None)
            fit, said = play_gauntlet(current.settings, job.contest, bot, former, stopping)
        if stopping() or not (fit or self._current().is_good):
            return None
        self._tries[job.id] += 1
        if fit is None and self._tries[job.id] < _MOST_TRIES:
            return None  # it may have been the machine
        if fit and not job.is_gauntlet:
            self._enter(config, job, bot)
        return (PLAYED if job.is_gauntlet else ENTERED) if fit else NOT_FIT, said

    def _is_used(self, job: Job) -> bool:
        """Whether a job's bot has been in the contest under its name, or another job may bring it there."""
        config = self._current().contests.get(job.contest)
        plays = config is not None and job.bot in _bots_in(config.entrants)
        comes = any(one.bot == job.bot for one in self._queued(job.contest))
        return plays or comes or (self._folder / "kept" / job.contest / job.bot).exists()

    def _queued(self, contest: str | None = None) -> list[Job]:
        """What is still to be tried, of a contest or of all."""
        return [job for job in self._jobs.values() if job.state == QUEUED and contest in (None, job.contest)]

    def _open(self, contest: str) -> tuple[Opening, Config]:
        current, now = self._current(), self._now()
        opening = current.opening
        if contest not in current.contests:
            raise Refused(404, f"no contest is called so; there are {', '.join(current.contests)}")
        if opening.opens and now < opening.opens:
            raise Refused(403, f"submissions open at {opening.opens.isoformat(' ')}")
        if opening.closes and now >= opening.closes:
            raise Refused(403, f"submissions closed at {opening.closes.isoformat(' ')}")
        return opening, current.contests[contest]

    def _count(self, author: Author) -> None:
        now = self._now().astimezone(UTC)
        if self._state.day != str(now.date()):
            self._state.day, self._state.attempts = str(now.date()), {}
        count = self._state.attempts.get(author.name, 0)
        most = self._current().opening.submissions_a_day
        if count >= most:
            midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
            left = int((midnight - now).total_seconds()) + 1
            raise Refused(429, f"{most} submissions a day; the next from {midnight.isoformat(' ')}", left)
        self._state.attempts[author.name] = count + 1

    def _next(self, gauntlets: bool) -> Job | None:
        of_kind = [job for job in self._queued() if job.is_gauntlet == gauntlets]
        return min(of_kind, key=lambda job: self._served.get((job.author, gauntlets), 0.0), default=None)

    def _unpacked(self, job: Job) -> Path:
        """The bot of a job as a file or folder of its name. Raises Refused for what is no archive of a program."""
        upload = self._folder / "jobs" / job.id / "upload"
        if not job.file.lower().endswith(ARCHIVE):
            return upload / job.file
        folder = upload / job.bot
        shutil.rmtree(folder, ignore_errors=True)  # of a try that was cut off
        most = self._current().opening.bytes_a_file
        for name, content, runs in _files_of((upload / job.file).read_bytes(), most * _MOST_UNPACKED):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o755 if runs else 0o644)
        return folder

    def _enter(self, config: Config, job: Job, bot: Path) -> None:
        """Put a bot among the entrants in place of its former version."""
        config.entrants.mkdir(parents=True, exist_ok=True)
        aside = config.entrants / f".{job.id}"
        shutil.rmtree(aside, ignore_errors=True)
        if bot.is_dir():
            shutil.copytree(bot, aside)
        else:
            shutil.copyfile(bot, aside)
        with self.among_entrants:
            for name in (job.bot, job.renames):
                self._keep(config, job.contest, name, but=bot.name)
            os.rename(aside, config.entrants / bot.name)
        with self._changed:
            renamed = self._state.renamed.setdefault(job.contest, {})
            renamed = {new: old for new, old in renamed.items() if old != job.bot}
            self._state.renamed[job.contest] = renamed | ({job.bot: job.renames} if job.renames else {})
            self._write_state()

    def _keep(self, config: Config, contest: str, bot: str, but: str = "") -> None:
        """Move a bot's files from the entrants to its former versions, `but` copy the one that is replaced in place."""
        kept = self._folder / "kept" / contest / bot
        with self.among_entrants:
            for path in _files_of_bot(config, bot):
                kept.mkdir(mode=0o700, parents=True, exist_ok=True)
                numbers = sorted(int(one.name.partition("-")[0]) for one in kept.iterdir())
                take = shutil.copyfile if path.name == but and path.is_file() else shutil.move
                take(path, kept / f"{(numbers or [0])[-1] + 1:06}-{path.name}")
        if kept.exists():
            for old in sorted(kept.iterdir())[:-_MOST_KEPT]:
                shutil.rmtree(old) if old.is_dir() else old.unlink()

    def _note(self, job: Job) -> None:
        self._jobs[job.id] = job
        content = json.dumps(dataclasses.asdict(job)).encode()
        write_whole(self._folder / "jobs" / job.id / "job.json", content, 0o600)

    def _forget_old(self) -> None:
        for job in [job for job in self._jobs.values() if job.state != QUEUED][: max(0, len(self._jobs) - _MOST_JOBS)]:
            shutil.rmtree(self._folder / "jobs" / job.id, ignore_errors=True)
            del self._jobs[job.id]

    def _read_jobs(self) -> None:
        for place in sorted((self._folder / "jobs").iterdir()):
            try:
                job = Job(**json.loads((place / "job.json").read_bytes()))
            except (OSError, ValueError, TypeError):  # killed before it was answered
                shutil.rmtree(place, ignore_errors=True)
                continue
            self._jobs[job.id] = job

    def _read_state(self) -> _State:
        with contextlib.suppress(FileNotFoundError):
            values: dict[str, Any] = json.loads((self._folder / "state.json").read_bytes())
            return _State(**values)
        return _State()

    def _write_state(self) -> None:
        content = json.dumps(dataclasses.asdict(self._state)).encode()
        write_whole(self._folder / "state.json", content, 0o600)


def _visible(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []


def _bots_in(folder: Path) -> set[str]:
    return {path.stem for path in _visible(folder)}


def _files_of_bot(config: Config, bot: str) -> list[Path]:
    return [path for path in _visible(config.entrants) if path.stem == bot and kind_of(path)]


def _files_of(archive: bytes, most: int) -> list[tuple[str, bytes, bool]]:
    """The files of an archive: path, content, and whether it may be executed. One folder around all of them is left
    away. Raises Refused for paths that lead out, links, and for too much."""
    found: dict[str, tuple[bytes, bool]] = {}
    left = most
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
            if len(entries) > _MOST_FILES:
                raise Refused(422, f"the archive has more than {_MOST_FILES} files")
            for entry in entries:
                path, mode = PurePosixPath(entry.filename), entry.external_attr >> 16
                plain = not path.is_absolute() and ".." not in path.parts and "\\" not in entry.filename
                if not plain or not entry.filename.isprintable() or str(path) in found:
                    raise Refused(422, f"the archive has a path that is refused: {printable(entry.filename)[:100]}")
                if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                    raise Refused(422, f"the archive has more than plain files: {path}")
                with opened.open(entry) as stream:
                    content = stream.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise Refused(422, f"the archive has more than {most:,} bytes unpacked")
                found[str(path)] = (content, bool(mode & 0o100))
    except Refused:
        raise
    except Exception as error:  # each of its decompressors has its own
        raise Refused(422, f"the archive can't be read: {printable(str(error))[:100]}") from None
    tops = {PurePosixPath(path).parts[0] for path in found}
    around = len(tops) == 1 and "bot.toml" not in found
    return [
        (str(PurePosixPath(*PurePosixPath(path).parts[1:])) if around else path, content, runs)
        for path, (content, runs) in found.items()
    ]
