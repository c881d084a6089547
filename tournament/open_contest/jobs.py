"""Jobs of an open contest: who asked for what, and what became of it. Each has a folder.

    <id>/job.json    the job
    <id>/upload/     its bot until it is tried
    <id>/built       what trying it left in the cache, a path a line

A job changes in memory first. If the disk can't take it, it is written as soon as the disk can.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import secrets
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tournament.small_files import write_whole

BOT, WITHDRAWAL = "bot", "withdrawal"
PRACTICE, CHECK, REPLAY = "practice", "check", "replay"  # what enters nothing; done by one thread, as practice
QUEUED, ENTERED, NOT_FIT, PLAYED, FIT = "queued", "entered", "not fit", "played", "fit"
REPLACED, WITHDRAWN, SET_ASIDE = "replaced", "withdrawn", "set aside"
_MOST_JOBS = 2_000


@dataclass(frozen=True)
class Job:
    """A bot that was submitted, that is to be checked or to play a practice match, a recorded game that is to be shown,
    or a withdrawal: of whom, for which contest.

    `said` is what `tournament check` said, the figures of a practice match or a replay as JSON, or why the job failed.
    `starts` counts how often it was taken up, `failures` how often this machine failed at it; `sha256` is that of what
    was submitted. `asks`: against whom, how many sessions, or which game.
    """

    id: str
    author: str
    contest: str
    bot: str
    file: str
    at: str
    kind: str = BOT
    state: str = QUEUED
    said: str = ""
    starts: int = 0
    failures: int = 0
    sha256: str = ""
    asks: Mapping[str, Any] = field(default_factory=dict)

    @property
    def lane(self) -> str:
        """The kind of the thread that does it."""
        return PRACTICE if self.kind in (CHECK, REPLAY) else self.kind

    @property
    def brings_a_bot(self) -> bool:
        return self.kind == BOT


class Jobs:
    """All jobs, the oldest first. For one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._all: dict[str, Job] = {}
        self._unwritten: set[str] = set()
        for place in sorted(folder.iterdir()):
            try:
                values: dict[str, Any] = json.loads((place / "job.json").read_bytes())
                known = {one.name for one in dataclasses.fields(Job)}
                job = Job(**{key: value for key, value in values.items() if key in known})
            except (OSError, ValueError, TypeError, AttributeError):  # killed before it was answered
                shutil.rmtree(place, ignore_errors=True)
                continue
            self._all[job.id] = job

    def add(self, job: Job, content: bytes | None) -> Job:
        """Keep a job that has no id yet, with its bot. Raises OSError, and has nothing of it then."""
        job = dataclasses.replace(job, id=f"{time.time_ns():x}-{secrets.token_hex(8)}")
        folder = self._folder / job.id
        try:
            folder.mkdir(mode=0o700)
            if content is not None:
                self.upload(job).mkdir(mode=0o700)
                write_whole(self.upload(job) / job.file, content, 0o600)
            self._write(job)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        self._all[job.id] = job
        return job

    def put(self, job: Job) -> None:
        """The job as it is from now on."""
        self._unwritten |= {job.id}
        self._all[job.id] = job
        self.write_unwritten()

    def write_unwritten(self) -> None:
        """Write what the disk couldn't take before, as far as it can now."""
        for name in list(self._unwritten):
            with contextlib.suppress(OSError):
                if name in self._all:
                    self._write(self._all[name])
                self._unwritten.discard(name)

    def find(self, job_id: str) -> Job | None:
        return self._all.get(job_id)

    def those(self, wanted: Callable[[Job], bool]) -> list[Job]:
        return [job for job in list(self._all.values()) if wanted(job)]

    def queued(self, contest: str | None = None, lane: str | None = None) -> list[Job]:
        """What is still to be done, of a contest and by one thread, or of all."""
        return self.those(
            lambda job: job.state == QUEUED and contest in (None, job.contest) and lane in (None, job.lane)
        )

    def upload(self, job: Job) -> Path:
        """The folder with the bot of a job."""
        return self._folder / job.id / "upload"

    def built(self, job: Job) -> Path:
        """The file that lists what trying its bot left in the cache."""
        return self._folder / job.id / "built"

    def forget_old(self) -> None:
        """Drop the bots of jobs that came to an end, and the oldest jobs of too many."""
        ended = self.those(lambda job: job.state not in (QUEUED, ENTERED))
        for job in self.those(lambda job: job.state != QUEUED):
            if self.upload(job).exists():
                shutil.rmtree(self.upload(job), ignore_errors=True)
        for job in ended[: max(0, len(self._all) - _MOST_JOBS)]:
            shutil.rmtree(self._folder / job.id, ignore_errors=True)
            del self._all[job.id]

    def _write(self, job: Job) -> None:
        write_whole(self._folder / job.id / "job.json", json.dumps(dataclasses.asdict(job)).encode(), 0o600)
