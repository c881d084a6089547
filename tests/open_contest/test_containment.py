"""Nothing that an upload, a file or the machine does stops an open contest: one job fails, and the others continue."""

from __future__ import annotations

import errno
import itertools
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.open_contest.support import CONTEST, GOOD, UNFIT, Ground, failing_at
from tests.open_contest.test_archives import zipped
from tests.processes import wait_until
from tournament.cache import list_entry, write_cached
from tournament.open_contest import submissions
from tournament.open_contest.authors import revoke_token
from tournament.open_contest.jobs import (
    ENTERED,
    NOT_FIT,
    OTHER,
    PRACTICE,
    QUEUED,
    QUICK,
    SET_ASIDE,
    TRIAL,
    WITHDRAWN,
)
from tournament.open_contest.submissions import Workers


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    hours = "opens = 2026-06-01T10:00:00Z\ncloses = 2026-06-02T12:00:00Z"
    return Ground(tmp_path, monkeypatch, f"{hours}\nmax_submissions_per_day = 100000\nmax_megabytes_per_author = 1")


@pytest.mark.slow
@pytest.mark.parametrize("every", [23, pytest.param(1, marks=pytest.mark.thorough)])
def test_error_at_any_call_of_job_leaves_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, every: int) -> None:
    """Have one call after the other in the open contest's code fail, while one job enters and another doesn't."""
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    places: list[str] = []
    errors = itertools.cycle([lambda: RuntimeError(), lambda: OSError(errno.ENOSPC, "No space left on device")])
    for number, error in zip(range(1, 4_000, every), errors):
        ground = Ground(tmp_path / str(number), monkeypatch)
        enters = ground.take("ann", "one.zip", zipped({"bot.toml": b'command = ["x"]'}))
        fails = ground.take("eve", "three.c", UNFIT)
        bobs = ground.take("bob", "two.c")
        with suppress(RuntimeError, OSError), failing_at(number, error) as happened:
            ground.do(QUICK, QUICK, TRIAL, TRIAL)
        for _ in range(3):  # The threads continue after an error.
            with suppress(RuntimeError, OSError):
                ground.do_all()
        assert (ground.state(bobs), "two.c" in ground.files()) == (ENTERED, True), happened
        assert {ground.state(job) for job in (enters, fails)} <= {ENTERED, NOT_FIT, SET_ASIDE}, happened
        assert not ground.started().are_waiting(CONTEST), happened
        places += happened
        if not happened:
            break
    assert len(set(places)) > 280 / every, places


def killed_at(ground: Ground, statement: int, work: Callable[[], None]) -> bool:
    """Do some work in a process that is killed before one of its statements, and return whether it was."""
    child = os.fork()
    if child == 0:
        try:
            ground.submissions = ground.started()
            seen = [0]

            def count(_: str) -> None:
                seen[0] += 1
                if seen[0] == statement:
                    os.kill(os.getpid(), signal.SIGKILL)

            ground.submissions.jobs.database.set_trace_callback(count)
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.slow
def test_kill_at_any_statement_loses_and_repeats_no_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads replace a bot, aren't fit, or follow a withdrawal."""
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    for statement in range(1, 2_000, 9):
        ground = Ground(tmp_path / str(statement), monkeypatch)
        ground.enter("ann", "one.c")
        jobs = [ground.take("ann", "one.py", b"def a(bot): pass"), ground.take("eve", "three.c", UNFIT)]
        ground.enter("bob", "two.c")
        jobs.append(ground.submissions.withdraw(ground.author("bob"), CONTEST, "two"))
        jobs.append(ground.take("bob", "two.c", GOOD + b"// later"))
        ground.submissions.jobs.database.close()
        was_killed = killed_at(ground, statement, ground.do_all)
        ground.submissions = ground.started()
        ground.do_all()
        assert [ground.state(job) for job in jobs] == [ENTERED, NOT_FIT, WITHDRAWN, ENTERED], statement
        assert ground.files() == {"one.py", "two.c"} and (ground.entrants / "two.c").read_bytes().endswith(b"later")
        assert not [path for path in ground.entrants.iterdir() if path.name.startswith(".")], statement
        ground.submissions.jobs.database.close()
        if not was_killed:
            break
    assert statement > 40 and not was_killed


@pytest.mark.parametrize(
    ("error", "tries", "why"),
    [
        (ZeroDivisionError, 2, "an error of ours;"),
        (KeyboardInterrupt, 7, "the server ended 6 times"),
    ],
)
def test_job_that_always_fails_is_set_aside_over_restarts(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, error: type[BaseException], tries: int, why: str
) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(submissions, "check", broken)
    job = ground.take("ann", "one.c")
    assert ground.do(QUICK)
    for _ in range(tries):
        assert ground.state(job) == QUEUED
        ground.submissions = ground.started()
        with suppress(KeyboardInterrupt):
            assert ground.do(TRIAL)
    assert ground.state(job) == SET_ASIDE and ground.now_of(job).said.startswith(why)
    is_ours = error is ZeroDivisionError
    assert any("ZeroDivisionError" in line and "one.c of ann" in line for line in ground.told) is is_ours
    assert not ground.do(TRIAL)


def test_threads_continue_after_an_error(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [RuntimeError("first")]
    put_out = ground.submissions.put_out_banned

    def put_out_banned() -> None:
        if broken:
            raise broken.pop()
        put_out()

    monkeypatch.setattr(ground.submissions, "put_out_banned", put_out_banned)
    ground.enter("bob", "two.c")
    told: list[str] = []
    with Workers(ground.submissions, told.append, 1):
        leaves = ground.submissions.withdraw(ground.author("bob"), CONTEST, "two")
        assert wait_until(lambda: ground.state(leaves) == WITHDRAWN)
    assert "RuntimeError: first" in told[0] and "please report it, with" in told[0]


@pytest.mark.parametrize("what", ["its author is banned", "its bot is withdrawn"])
def test_bot_banned_or_withdrawn_during_trial_stays_out(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    def changes(*_: object) -> tuple[bool, str]:
        if "banned" in what:
            revoke_token(ground.authors, "ann", ban=True)
        else:
            ground.withdraw("ann", "one")
        return True, ""

    monkeypatch.setattr(submissions, "check", changes)
    job = ground.enter("ann", "one.c")
    assert job.state in (SET_ASIDE, WITHDRAWN) and ground.files() == set()


def test_closed_contest_tries_last_of_each_bot(ground: Ground) -> None:
    older, last = ground.take("ann", "one.c"), ground.take("ann", "one.py")
    practice = ground.take("ann", "two.c", kind=PRACTICE)
    many = [ground.take("bob", "three.c") for _ in range(20)]
    ground.over.add(CONTEST)
    ground.do_all()
    assert not ground.submissions.are_waiting(CONTEST)
    assert [ground.state(job) for job in (older, last, practice)] == [SET_ASIDE, ENTERED, SET_ASIDE]
    assert [ground.state(job) for job in many] == [SET_ASIDE] * 19 + [ENTERED]
    assert sorted(ground.checked) == ["one.py", "three.c"]


def cached(ground: Ground, patch: pytest.MonkeyPatch, megabytes: float) -> Callable[[], int]:
    """Have each bot that is tried leave a file and a folder in the cache. Return a function that counts them."""
    cache = ground.folder / "cache"
    data = bytes(int(megabytes * (1 << 20)))

    def build(_settings: Path, _contest: str, bot: Path, built: Path, *_: object) -> tuple[bool, str]:
        name = bot.read_bytes().hex()[-20:]
        with pytest.MonkeyPatch.context() as listing:
            listing.setenv("TOURNAMENT_CACHE_LISTED_IN", str(built))
            write_cached(cache / "bots" / f"{name}.program.sealed", data)
            write_cached(cache / "libraries" / "shared.sealed", b"")
            (cache / "programs" / name).mkdir(parents=True, exist_ok=True)
            (cache / "programs" / name / "data").write_bytes(data)
            list_entry(cache / "programs" / name)
        return bot.read_bytes() != UNFIT, ""

    def kept() -> int:
        files, folders = ({*(cache / kind).iterdir()} for kind in ("bots", "programs"))
        assert len(files) == len(folders) and (cache / "libraries" / "shared.sealed").exists()
        return len(files)

    patch.setattr(submissions, "check", build)
    return kept


def test_cache_keeps_only_bots_that_play(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = cached(ground, monkeypatch, 0.1)
    assert ground.enter("ann", "one.c", UNFIT).state == NOT_FIT and kept() == 0
    for number in (1, 2, 2, 3):
        ground.enter("ann", "one.c", GOOD + b"// %d" % number)
        assert kept() == 1
    ground.enter("bob", "two.c", GOOD)
    ground.take("ann", "three.c", b"practice", PRACTICE)
    assert ground.do(OTHER) and kept() == 2
    ground.withdraw("ann", "one")
    assert kept() == 1


def test_bots_and_versions_of_author_take_limited_disk(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    cached(ground, monkeypatch, 0.15)
    for file in ("one.c", "two.c", "three.c"):
        assert ground.enter("ann", file, file.encode()).state == ENTERED
    late = ground.enter("ann", "one.c", b"x" * 500_000)
    assert late.state == NOT_FIT and "make it smaller" in late.said and (ground.entrants / "one.c").stat().st_size == 5
    assert ground.enter("bob", "four.c").state == ENTERED
    for bot in ("two", "three"):
        ground.withdraw("ann", bot)
    for number in range(6):
        assert ground.enter("ann", "one.c", b"%d" % number * 200_000).state == ENTERED
    former = f"author = 'ann' AND state IN ('replaced', '{WITHDRAWN}') AND content NOT NULL"
    sizes = [size for (size,) in ground.submissions.jobs.rows("length(content)", former)]
    assert 0 < sum(sizes) < 1 << 20 and len(sizes) < 5
