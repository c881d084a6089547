"""The jobs of an open contest, in one SQLite file beside the authors' file.

A job is a bot that was submitted, a practice match, a replay or a withdrawal. Names, previous versions and quotas are
queries over the jobs. A transaction takes a job and another one finishes it, so a job whose server was killed is queued
again. `submissions` decides about jobs, and this module stores them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tournament.errors import InputError, RunError

BOT, PRACTICE, REPLAY, WITHDRAWAL = "bot", "practice", "replay", "withdrawal"
# Lanes: a bot goes through the quick trial, then through the full one. The others have one each.
QUICK, TRIAL, OTHER = "quick", "trial", "other"
QUEUED, ENTERED, NOT_FIT, PLAYED = "queued", "entered", "not fit", "played"
REPLACED, WITHDRAWN, SET_ASIDE = "replaced", "withdrawn", "set aside"

_FORMAT = 2
# Maximum previous versions of a bot with stored content.
_MAX_VERSIONS = 10
# Maximum replays of an author with stored steps, because they are large.
_MAX_REPLAYS = 3
# Maximum jobs of an author with stored text.
_MAX_TEXTS = 200
_SCHEMA = """
CREATE TABLE IF NOT EXISTS job (
  n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, author TEXT NOT NULL, contest TEXT NOT NULL, bot TEXT NOT NULL,
  file TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL, lane TEXT NOT NULL, state TEXT NOT NULL, said TEXT NOT NULL,
  quick TEXT NOT NULL, starts INTEGER NOT NULL, failures INTEGER NOT NULL, sha256 TEXT NOT NULL, asks TEXT NOT NULL,
  day TEXT NOT NULL, content BLOB, built TEXT NOT NULL DEFAULT '', not_before REAL NOT NULL DEFAULT 0,
  seconds REAL NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS job_queue ON job (state, lane);
CREATE INDEX IF NOT EXISTS job_author ON job (author, day);
CREATE INDEX IF NOT EXISTS job_bot ON job (contest, bot COLLATE NOCASE);
CREATE TABLE IF NOT EXISTS spent (
  author TEXT NOT NULL, day TEXT NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (author, day));
"""
# Jobs by which an author holds a bot's name.
_HOLDS = f"(state = '{QUEUED}' OR kind = '{BOT}' AND state IN ('{ENTERED}', '{REPLACED}', '{WITHDRAWN}'))"


@dataclass(frozen=True)
class Job:
    """A job of an author for a contest.

    Attributes:
        id: Random id of 24 hexadecimal digits, "" before the job is stored.
        author: Name of the author.
        contest: Name of the contest.
        bot: Name of the bot.
        file: Name of the submitted file, or of the bot if none was submitted.
        at: Time of arrival in ISO format, "" before the job is stored.
        kind: BOT, PRACTICE, REPLAY or WITHDRAWAL.
        lane: QUICK, TRIAL, OTHER or WITHDRAWAL.
        state: QUEUED, also while it runs, ENTERED, NOT_FIT, PLAYED, REPLACED, WITHDRAWN or SET_ASIDE.
        said: Text for the author: what the trial found, or why the job failed. Figures of matches and replays as JSON.
            "" while there is nothing, and once it is no longer stored.
        quick: Text of the quick trial, "" before it and once it is no longer stored.
        starts: How often a thread took the job and didn't give it back.
        failures: How often this machine failed at it.
        sha256: Digest of the submitted file in hex, that of no bytes without a file.
        asks: "against", "baseline" and "sessions" of a match, or "opponent", "session" and "game" of a replay.
        n: Number in order of arrival, from 1; 0 before the job is stored.
    """

    id: str
    author: str
    contest: str
    bot: str
    file: str
    at: str = ""
    kind: str = BOT
    lane: str = QUICK
    state: str = QUEUED
    said: str = ""
    quick: str = ""
    starts: int = 0
    failures: int = 0
    sha256: str = ""
    asks: Mapping[str, Any] = field(default_factory=dict)
    n: int = 0


_COLUMNS = ", ".join(one.name for one in dataclasses.fields(Job))


def database_beside(authors: Path) -> Path:
    """Return the path of the database of what the authors of a file submit."""
    return authors.absolute().with_name("submissions.db")


def find_authors(database: Path, contest: str) -> dict[str, str]:
    """Return the author of each bot of a contest by its name. Empty if no author submitted one.

    Bots that are queued or were replaced or withdrawn are included, because their names are held.

    Raises:
        RunError: The database can't be read.
    """
    if not database.exists():
        return {}
    try:
        with contextlib.closing(_connect(database)) as opened:
            rows = opened.execute(f"SELECT bot, author FROM job WHERE contest = ? AND {_HOLDS}", (contest,)).fetchall()
    except sqlite3.Error as error:
        raise RunError(f"{database}: can't be read: {error}") from None
    return dict(rows)


def _connect(path: Path) -> sqlite3.Connection:
    """Open the database for all threads of this process."""
    return sqlite3.connect(path, timeout=30, check_same_thread=False)


class Jobs:
    """All jobs, in a database. Its methods raise sqlite3.Error if the database can't be read or written.

    Attributes:
        changed: Lock of the connection. It is notified if there is something new to do.
        changes: Number of writes.
        served: Time at which a job was last taken, by author and lane, in seconds of the monotonic clock.
        running: Running jobs by id. The caller of `take` removes a job when it ends.
        database: The connection.
    """

    def __init__(self, path: Path) -> None:
        """Open the database, which is made if it doesn't exist.

        Raises:
            InputError: The folder has submissions of an earlier version, or the file one of a later version.
            RunError: The file can't be opened.
        """
        if (earlier := path.with_name("submissions")).is_dir():
            raise InputError(f"{earlier}: submissions of an earlier version; move that folder away, and submit again")
        self.changed = threading.Condition(threading.RLock())
        self.changes = 0
        self.served: dict[tuple[str, str], float] = {}
        self.running: dict[str, Job] = {}
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            self.database = _connect(path)
            self.database.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=30000;")
            (found,) = self.database.execute("PRAGMA user_version").fetchone()
            if found not in (0, _FORMAT):
                raise InputError(f"{path}: written by another version of tournament; move it away, and submit again")
            self.database.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {_FORMAT}; COMMIT;")
        except (OSError, sqlite3.Error) as error:
            raise RunError(f"{path}: can't be opened: {error}") from None

    def find(self, where: str, *values: object) -> list[Job]:
        """Return the jobs that a condition in SQL selects, in the order that it states, otherwise in any order.

        Args:
            where: The condition, with ? for each value. It can end in ORDER BY and LIMIT.
            *values: The values.
        """
        jobs = [Job(*row) for row in self.rows(_COLUMNS, where, *values)]
        return [dataclasses.replace(job, asks=json.loads(str(job.asks))) for job in jobs]

    def rows(self, columns: str, where: str, *values: object) -> list[tuple[Any, ...]]:
        """Return columns of the jobs that a condition in SQL selects, in the order that it states, otherwise any.

        Args:
            columns: The columns, separated by commas.
            where: The condition, with ? for each value.
            *values: The values.
        """
        with self.changed:
            return self.database.execute(f"SELECT {columns} FROM job WHERE {where}", values).fetchall()

    def job(self, job_id: str) -> Job | None:
        """Return a job, or None if there is none with that id."""
        return next(iter(self.find("id = ?", job_id)), None)

    def content(self, job: Job) -> bytes | None:
        """Return the submitted file, or None if there was none or it is no longer stored."""
        (row,) = self.rows("content", "id = ?", job.id)
        content: bytes | None = row[0]
        return content

    def add(self, job: Job, content: bytes | None, day: str, *, ends_earlier: bool = False) -> Job:
        """Store a new job and return it with its id and number.

        Args:
            job: The job.
            content: Content of the submitted file; None if there is none.
            day: Date by which the job counts, as `quota_day` returns it.
            ends_earlier: Whether the job withdraws earlier submissions of its bot that aren't tried yet.
        """
        job = dataclasses.replace(job, id=secrets.token_hex(12))
        with self.changed, self.database as database:
            if ends_earlier:
                database.execute(
                    f"UPDATE job SET state = '{WITHDRAWN}' WHERE contest = ? AND bot = ? AND kind = '{BOT}'"
                    f" AND state = '{QUEUED}'",
                    (job.contest, job.bot),
                )
            values = {one.name: getattr(job, one.name) for one in dataclasses.fields(Job) if one.name != "n"}
            values |= {"asks": json.dumps(dict(job.asks)), "day": day, "content": content}
            marks = ", ".join("?" * len(values))
            number = database.execute(f"INSERT INTO job ({', '.join(values)}) VALUES ({marks})", [*values.values()])
        self.notify()
        return dataclasses.replace(job, n=number.lastrowid or 0)

    def notify(self) -> None:
        """Wake the threads that wait for a job."""
        with self.changed:
            self.changes += 1
            self.changed.notify_all()

    def set(self, job: Job, **values: object) -> bool:
        """Change columns of a queued job and return whether it was still queued. Otherwise nothing changes."""
        names = ", ".join(f"{name} = ?" for name in values)
        with self.changed, self.database as database:
            updated = database.execute(
                f"UPDATE job SET {names} WHERE id = ? AND state = '{QUEUED}'", [*values.values(), job.id]
            )
        self.notify()
        return updated.rowcount == 1

    def take(self, lane: str, ready: Callable[[Job], bool]) -> Job | None:
        """Take the next job of a lane, and return it, or None if none is ready.

        An author has at most one running job per lane.

        Args:
            lane: The lane.
            ready: Called with a job; returns whether it can be done now. Otherwise later jobs are tried.

        Returns:
            The job with one more start, which is now in `running`.
        """
        with self.changed:
            busy = {job.author for job in self.running.values() if job.lane == lane}
            for number in self.in_turn(lane):
                (job,) = self.find("n = ?", number)
                if job.author in busy or job.id in self.running or not ready(job):
                    continue
                if self.set(job, starts=job.starts + 1):
                    self.served[job.author, lane] = time.monotonic()
                    job = self.running[job.id] = dataclasses.replace(job, starts=job.starts + 1)
                    return job
        return None

    def in_turn(self, lane: str) -> list[int]:
        """Return the numbers of the queued jobs of a lane in the order in which they will be taken.

        First jobs of authors come before second ones, and the authors who were served longest ago come first.
        """
        own = "OVER (PARTITION BY author ORDER BY n)"
        columns = f"n, author, row_number() {own}, first_value(n) {own}"
        waiting = self.rows(columns, f"state = '{QUEUED}' AND lane = ?", lane)
        turns = [(turn, self.served.get((author, lane), 0.0), first, number) for number, author, turn, first in waiting]
        return [number for _, _, _, number in sorted(turns)]

    def place(self, job: Job) -> int | None:
        """Return the place of a queued job in its lane, from 1, or None if it isn't queued. Running jobs come first."""
        with self.changed:
            now = self.job(job.id)
            if now is None or now.state != QUEUED:
                return None
            running = [one.n for one in self.running.values() if one.lane == now.lane]
            order = running + [number for number in self.in_turn(now.lane) if number not in running]
        return order.index(now.n) + 1 if now.n in order else None

    def finish(self, job: Job, state: str, said: str, built: str = "") -> list[str]:
        """Store the outcome of a job. A job whose bot has been withdrawn stays withdrawn.

        Args:
            job: The job.
            state: Its new state.
            said: Text for the author.
            built: List of what the job left in the cache, an entry a line; "" for nothing.

        Returns:
            Lists of what no bot in the contest needs in the cache any more, each with an entry a line. Some can be "".
        """
        of_bot, dropped = (job.contest, job.bot), list[str]()
        if state != ENTERED:
            dropped.append(built)
        entered = f"contest = ? AND bot = ? AND kind = '{BOT}' AND state = '{ENTERED}'"
        with self.changed, self.database as database:
            updated = database.execute(
                f"UPDATE job SET state = ?, said = ?, built = ? WHERE id = ? AND state = '{QUEUED}'",
                (state, said, built if state == ENTERED else "", job.id),
            )
            if not updated.rowcount:
                dropped = [built]
            else:
                others, becomes = f"{entered} AND n != ?", REPLACED
                if state == WITHDRAWN:
                    others, becomes = f"{entered} AND n < ?", WITHDRAWN
                if state in (ENTERED, WITHDRAWN):
                    rows = database.execute(f"SELECT sha256, built FROM job WHERE {others}", (*of_bot, job.n))
                    for sha256, left in rows.fetchall():
                        if sha256 == job.sha256:  # The new version needs the same files.
                            database.execute("UPDATE job SET built = built || ? WHERE id = ?", (left, job.id))
                        else:
                            dropped.append(left)
                    database.execute(f"UPDATE job SET state = ?, built = '' WHERE {others}", (becomes, *of_bot, job.n))
                self._forget(database, job)
        self.notify()
        return dropped

    def _forget(self, database: sqlite3.Connection, job: Job) -> None:
        """Drop contents of what never entered and of old versions, and texts of an author's old jobs.

        The last 11 versions of the bot stay, and the texts of the author's last 200 jobs and 3 replays.
        """
        stored = f"SELECT n FROM job WHERE contest = ? AND bot = ? AND kind = '{BOT}' AND content NOT NULL AND state IN"
        stored += f" ('{ENTERED}', '{REPLACED}', '{WITHDRAWN}') ORDER BY n DESC LIMIT {_MAX_VERSIONS + 1}"
        database.execute(
            "UPDATE job SET content = NULL WHERE contest = ? AND bot = ?"
            f" AND state != '{QUEUED}' AND n NOT IN ({stored})",
            (job.contest, job.bot) * 2,
        )
        for kind, maximum in (("%", _MAX_TEXTS), (REPLAY, _MAX_REPLAYS)):
            last = "SELECT n FROM job WHERE author = ? AND kind LIKE ? ORDER BY n DESC LIMIT ?"
            database.execute(
                f"UPDATE job SET said = '', quick = '' WHERE author = ? AND kind LIKE ? AND state != '{QUEUED}'"
                f" AND n NOT IN ({last})",
                (job.author, kind, job.author, kind, maximum),
            )

    def owner(self, contest: str, bot: str) -> tuple[str, str] | None:
        """Return author and name of the bot of this name in any case of letters, or None if no author has it.

        A name is held by queued jobs, and by a bot that has ever entered.
        """
        held = self.rows("author, bot", f"{_HOLDS} AND contest = ? AND bot = ? COLLATE NOCASE ORDER BY n LIMIT 1",
                         contest, bot)  # fmt: skip
        return held[0] if held else None

    def names(self, author: str, contest: str) -> list[str]:
        """Return the names of bots that an author holds in a contest, sorted, including those of withdrawn bots."""
        held = self.rows("DISTINCT bot", f"{_HOLDS} AND contest = ? AND author = ? ORDER BY bot", contest, author)
        return [bot for (bot,) in held]

    def slower_than(self, seconds: float, contest: str) -> frozenset[str]:
        """Return the names of bots now in a contest whose full trial took longer than some seconds."""
        slow = self.rows("bot", f"contest = ? AND state = '{ENTERED}' AND seconds > ?", contest, seconds)
        return frozenset(bot for (bot,) in slow)

    def drop_versions(self, author: str, contest: str, max_bytes: int) -> None:
        """Drop contents of an author's oldest former versions until the others take at most `max_bytes` bytes."""
        previous = f"author = ? AND contest = ? AND state IN ('{REPLACED}', '{WITHDRAWN}') AND content NOT NULL"
        with self.changed, self.database as database:
            for number, size in self.rows("n, length(content)", f"{previous} ORDER BY n DESC", author, contest):
                max_bytes -= size
                if max_bytes < 0:
                    database.execute("UPDATE job SET content = NULL WHERE n = ?", (number,))

    def today(self, author: str, now: datetime) -> tuple[int, float]:
        """Return how many jobs an author submitted today, and the seconds of this machine that they took.

        Withdrawals don't count. Jobs of all contests do.
        """
        day = quota_day(now)
        with self.changed:
            (jobs,) = self.rows("count(*)", f"author = ? AND day = ? AND kind != '{WITHDRAWAL}'", author, day)[0]
            spent = self.database.execute("SELECT seconds FROM spent WHERE author = ? AND day = ?", (author, day))
            return jobs, (spent.fetchone() or (0.0,))[0]

    def spend(self, authors: Collection[str], seconds: float, now: datetime) -> None:
        """Add seconds to what was spent today on each of these authors."""
        with self.changed, self.database as database:
            database.executemany(
                "INSERT INTO spent VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds",
                [(author, quota_day(now), seconds) for author in authors],
            )


def quota_day(now: datetime) -> str:
    """Return the date of UTC by which quotas count, such as "2026-01-31". The time needs a time zone."""
    return str(now.astimezone(UTC).date())
