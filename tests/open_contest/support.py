"""An open contest for tests, whose checks say what a bot's source says they say."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import pytest

import tournament
from tests.contest_runs import command_line, environment
from tests.processes import wait_until
from tournament.config import load_config
from tournament.open_contest import submissions
from tournament.open_contest.authors import Author, AuthorsFile, add_author, read_authors
from tournament.open_contest.jobs import BOT, OTHER, QUICK, TRIAL, WITHDRAWAL, Job, database_beside
from tournament.open_contest.submissions import OpenContests, Submissions

CONTEST = "von_neumann_poker"
LANES = (QUICK, TRIAL, OTHER, WITHDRAWAL)
GOOD = b"int a(const Bot *bot) { return 0; }\nint b(const Bot *bot, const int bet) { return 1; }\n"
UNFIT, CRASHES = b"unfit", b"crashes"  # Sources that fail in the full and in the quick trial.
_OURS = str(Path(tournament.__file__).parent / "open_contest")


class Ground:
    """A folder with a settings file, entrants, authors, and what takes submissions. Its time is that of `now`."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, watch: str = "") -> None:
        self.folder, self.now = folder, datetime(2026, 6, 1, 12, tzinfo=UTC)
        self.settings = folder / "tournament.toml"
        folder.mkdir(exist_ok=True)
        self.settings.write_text(f"[{CONTEST}]\nsessions = 20\n[watch]\n{watch}\n")
        self.entrants = folder / "entrants" / CONTEST
        self.entrants.mkdir(parents=True)
        self.authors = folder / "authors.toml"
        self.tokens = {name: add_author(self.authors, name) for name in ("ann", "bob", "eve")}
        self.checked: list[str] = []
        patch.setattr(submissions, "quick_check", self._quick_check)
        patch.setattr(submissions, "check", self._check)
        patch.setattr(submissions, "play_practice", self._play_practice)
        patch.setattr(submissions, "replay_game", self._show_game)
        patch.setattr(submissions, "_RETRY_SECONDS", 0.0)
        self.over: set[str] = set()
        self.told: list[str] = []
        self.authors_file = AuthorsFile(self.authors)
        self.submissions = self.started()

    def started(self) -> Submissions:
        """Start again, as after a kill."""
        config = load_config(CONTEST, self.settings)
        records = {CONTEST: str(self.folder / "results" / CONTEST)}
        current = OpenContests(self.settings, config.opening, {CONTEST: config}, self.over, records)
        return Submissions(
            database_beside(self.authors), lambda: current, self.authors_file,
            lambda _, what: self.told.append(what), lambda: self.now,
        )  # fmt: skip

    def author(self, name: str) -> Author:
        return read_authors(self.authors)[name]

    def take(self, author: str, file: str, content: bytes = GOOD, kind: str = BOT) -> Job:
        """Submit a bot."""
        return self.submissions.take(self.author(author), CONTEST, file, content, kind)

    def do(self, *lanes: str) -> int:
        """Do the next job of each lane, and return how many there were."""
        return sum(self.submissions.try_next(lane, 0) for lane in lanes)

    def do_all(self) -> None:
        """Do all jobs."""
        while self.do(*LANES):
            pass

    def enter(self, author: str, file: str, content: bytes = GOOD) -> Job:
        """Submit a bot and try it."""
        job = self.take(author, file, content)
        assert self.do(QUICK, TRIAL)
        return self.now_of(job)

    def withdraw(self, author: str, bot: str) -> Job:
        job = self.submissions.withdraw(self.author(author), CONTEST, bot)
        assert self.do(WITHDRAWAL)
        return self.now_of(job)

    def now_of(self, job: Job) -> Job:
        found = self.submissions.jobs.job(job.id)
        assert found
        return found

    def state(self, job: Job) -> str:
        return self.now_of(job).state

    def files(self) -> set[str]:
        """Return what is stored among the entrants."""
        return {path.name for path in self.entrants.iterdir() if not path.name.startswith(".")}

    def _quick_check(self, _settings: Path, _contest: str, bot: Path, _built: Path, *_: object) -> tuple[bool, str]:
        runs = bot.is_dir() or bot.read_bytes() != CRASHES
        return runs, "three games" if runs else "it crashes"

    def _check(self, _settings: Path, _contest: str, bot: Path, _built: Path, *_: object) -> tuple[bool, str]:
        self.checked.append(bot.name)
        fit = bot.is_dir() or bot.read_bytes() != UNFIT
        return fit, "verdict    fit to enter" if fit else "verdict    not fit"

    def _play_practice(
        self, _settings: Path, _contest: str, bot: Path, *_: object, baseline: Path | None, **_more: object
    ) -> tuple[bool, str]:
        return True, f"{bot.name} instead of {baseline and baseline.name}"

    def _show_game(self, _settings: Path, _contest: str, bot: str, *_: object, **asks: object) -> tuple[bool, str]:
        return True, json.dumps({"shown": [bot, *asks.values()]})


@contextmanager
def failing_at(number: int, error: Callable[[], Exception], *within: str) -> Iterator[list[str]]:
    """Raise in this thread at one call that the open contest's code makes, or that leads into it.

    Args:
        number: Number of the call.
        error: Makes the exception.
        within: Names of functions, if only calls in them count.

    Yields:
        A list that has the place of the call once it happened.
    """
    seen, happened = 0, list[str]()

    def is_within(frame: FrameType | None) -> bool:
        while frame is not None:
            if frame.f_code.co_filename.startswith(_OURS) and frame.f_code.co_name in within:
                return True
            frame = frame.f_back
        return not within

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal seen
        ours = event in ("call", "c_call") and frame.f_code.co_filename.startswith(_OURS)
        if event == "c_call" and getattr(arg, "__name__", "") in ("__enter__", "__exit__"):
            return  # A lock would stay taken.
        above = frame.f_back if event == "call" else frame
        if not ours or happened or not is_within(above):
            return
        seen += 1
        if seen == number:
            happened.append(f"{frame.f_code.co_name}, line {frame.f_lineno}")
            raise error()

    sys.setprofile(count)
    try:
        yield happened
    finally:
        sys.setprofile(None)


@dataclass
class Process:
    """`tournament watch --serve` in a folder, which is killed and started again. Leaving the context kills it."""

    folder: Path

    def __post_init__(self) -> None:
        self.said = self.folder / "said"
        self.running: subprocess.Popen[bytes] | None = None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]

    def __enter__(self) -> Process:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.running and self.running.poll() is None:
            self.kill()

    def start(self) -> None:
        words = ["watch", "--serve", str(self.port), "--submissions", "authors.toml", "--executor", "local"]
        with self.said.open("ab") as said:
            self.running = subprocess.Popen(
                command_line(words), cwd=self.folder, env=environment(), stdout=said, stderr=said
            )

    def kill(self) -> None:
        assert self.running and self.running.poll() is None, self.said.read_text()[-2000:]
        self.running.kill()
        self.running.wait()

    def says(self, words: str, seconds: float = 60) -> bool:
        return wait_until(lambda: words in self.said.read_text(), seconds)

    def ask(self, method: str, path: str, token: str, body: bytes | None = None) -> tuple[int, dict[str, str]]:
        """Status and values of an answer, however often the server is killed meanwhile: in three minutes at most."""
        end = time.monotonic() + 180
        while True:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
            try:
                headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read())
            except (OSError, http.client.HTTPException):
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)
            finally:
                connection.close()
