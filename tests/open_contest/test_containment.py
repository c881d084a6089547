"""Nothing that an upload, a file or the machine does stops an open contest: one job fails, and the others go on."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.open_contest.support import CONTEST, GOOD, UNFIT, Ground, failing_at
from tests.open_contest.test_submissions import zipped
from tests.processes import wait_until
from tournament.cache import keep
from tournament.open_contest import jobs as jobs_module
from tournament.open_contest import submissions
from tournament.open_contest.authors import revoke_token
from tournament.open_contest.jobs import (
    BOT,
    ENTERED,
    NOT_FIT,
    PRACTICE,
    QUEUED,
    SET_ASIDE,
    WITHDRAWAL,
    WITHDRAWN,
)
from tournament.open_contest.workers import Workers


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    hours = "opens = 2026-06-01T10:00:00Z\ncloses = 2026-06-02T12:00:00Z"
    return Ground(tmp_path, monkeypatch, f"{hours}\nmax_submissions_per_day = 100000\nmax_megabytes_per_author = 1")


def do_all(ground: Ground) -> None:
    """What the threads do until nothing is left, one failure of theirs at a time."""
    for _ in range(20):
        for kind in (WITHDRAWAL, BOT, PRACTICE):
            try:
                if kind == WITHDRAWAL:
                    ground.submissions.put_out_banned()
                ground.submissions.try_next(0, kind=kind)
            except (RuntimeError, OSError):
                pass  # the threads go on, see below
        if not ground.submissions.are_waiting(CONTEST):
            break
    ground.submissions.try_next(0)


@pytest.mark.slow
@pytest.mark.parametrize("error", [RuntimeError, lambda: OSError(errno.ENOSPC, "No space left on device")])
def test_an_error_at_any_call_of_a_job_leaves_everybody_elses_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Callable[[], Exception]
) -> None:
    """At each call in the code of the open contest, one after the other, while one job enters and another doesn't."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    places: list[str] = []
    for number in range(1, 1_000):
        ground = Ground(tmp_path / str(number), monkeypatch)
        enters = ground.take("ann", "one.zip", zipped({"bot.toml": b'command = ["x"]'}))
        fails = ground.take("eve", "three.c", UNFIT)
        bobs = ground.take("bob", "two.c")
        try:
            with failing_at(number, error) as happened:
                ground.submissions.try_next(0)
                ground.submissions.try_next(0)
        except (RuntimeError, OSError):
            pass  # the thread goes on, see below
        do_all(ground)
        assert (ground.state(bobs), "two.c" in ground.files()) == (ENTERED, True), happened
        assert {ground.state(job) for job in (enters, fails)} <= {ENTERED, NOT_FIT, SET_ASIDE}, happened
        assert not ground.started().are_waiting(CONTEST), happened
        places += happened
        if not happened:
            break
    assert len(set(places)) > 60, places


def test_a_job_that_always_fails_is_set_aside_over_restarts(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(submissions, "check", broken)
    job = ground.take("ann", "one.c")
    for _ in range(2):
        assert ground.state(job) == QUEUED
        ground.submissions = ground.started()
        assert ground.submissions.try_next(0)
    found = ground.submissions.current_job(job)
    assert (found.state, found.said) == (SET_ASIDE, "an error of ours; tell the organiser")
    assert any("ZeroDivisionError" in line and "one.c of ann" in line for line in ground.told)
    assert not ground.submissions.try_next(0) and not ground.started().try_next(0)


class _Ended(BaseException):
    pass


def test_a_thread_goes_on_after_an_error_and_is_replaced_where_it_ends(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [RuntimeError("first"), _Ended()]
    do = ground.submissions.try_next

    def try_next(*words: Any) -> bool:
        if broken and words[2] == BOT:
            raise broken.pop(0)
        return do(*words)

    monkeypatch.setattr(ground.submissions, "try_next", try_next)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    told: list[str] = []
    with Workers(ground.submissions, told.append):
        job = ground.take("ann", "one.c")
        assert wait_until(lambda: ground.state(job) == ENTERED)
    assert "RuntimeError: first" in told[0] and "please report it, with" in told[0]
    assert told[1:] == ["the thread of jobs of the kind bot ended; another goes on"]


def test_an_upload_enters_though_the_disk_is_full_meanwhile(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """What became of a job is written once the disk takes it."""
    job = ground.take("ann", "one.c")
    later = ground.take("bob", "two.c")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(jobs_module, "write_whole", full)
        assert ground.submissions.try_next(0) and ground.state(job) == ENTERED
        assert ground.started().current_job(job).state == QUEUED
        broken.setattr(submissions, "check", full)
        assert ground.submissions.try_next(0) and ground.state(later) == QUEUED
    assert ground.submissions.try_next(0) and not ground.submissions.are_waiting(CONTEST)
    again = ground.started()
    assert again.current_job(job).state == again.current_job(later).state == ENTERED


def test_former_versions_of_each_bot_are_kept_apart_from_the_others(ground: Ground) -> None:
    for number in range(12):
        for file in ("one.c", "two.c"):
            ground.enter("ann", file, GOOD + b"// %d" % number)
    kept = ground.folder / "submissions" / "kept" / CONTEST
    assert [len(list((kept / bot).iterdir())) for bot in ("one", "two")] == [10, 10]


@pytest.mark.parametrize("what", ["its author is banned", "its bot is withdrawn", "its name is another's"])
def test_a_bot_does_not_enter_where_that_changed_while_it_was_tried(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    known = ground.submissions._owners

    def changes(*_: object) -> tuple[bool, str]:
        if "banned" in what:
            revoke_token(ground.authors, "ann", ban=True)
        elif "withdrawn" in what:
            ground.withdraw("ann", "one")
        else:
            known.give(CONTEST, "one", "bob")
        return True, ""

    monkeypatch.setattr(submissions, "check", changes)
    job = ground.enter("ann", "one.c")
    assert job.state in (NOT_FIT, WITHDRAWN) and ground.files() == set()


def test_once_it_has_closed_the_last_of_each_bot_is_tried_and_no_practice_played(ground: Ground) -> None:
    older, last = ground.take("ann", "one.c"), ground.take("ann", "one.py")
    practice = ground.take("ann", "two.c", kind=PRACTICE)
    many = [ground.take("bob", "three.c") for _ in range(20)]
    ground.over.add(CONTEST)
    assert ground.submissions.try_next(0) and ground.submissions.try_next(0) and not ground.submissions.try_next(0)
    assert not ground.submissions.try_next(0, kind=PRACTICE) and not ground.submissions.are_waiting(CONTEST)
    assert [ground.state(job) for job in (older, last, practice)] == [SET_ASIDE, ENTERED, SET_ASIDE]
    assert [ground.state(job) for job in many] == [SET_ASIDE] * 19 + [ENTERED]
    assert ground.checked == ["one.py", "three.c"]


def cached(ground: Ground, monkeypatch: pytest.MonkeyPatch, megabytes: float) -> Path:
    """Where each bot that is tried leaves its own file in the cache."""
    cache = ground.folder / "cache"
    monkeypatch.setenv("TOURNAMENT_CACHE", str(cache))

    def build(_settings: Path, _contest: str, bot: Path, built: Path, _stopping: object) -> tuple[bool, str]:
        content = bot.read_bytes() if bot.is_file() else b"folder"
        with monkeypatch.context() as listing:
            listing.setenv("TOURNAMENT_CACHE_LISTED_IN", str(built))
            keep(cache / "bots" / f"{content.hex()[-20:]}.program.sealed", bytes(int(megabytes * (1 << 20))))
            keep(cache / "libraries" / "shared.sealed", b"")
        return content != UNFIT, ""

    monkeypatch.setattr(submissions, "check", build)
    return cache


def test_the_cache_keeps_of_what_was_tried_only_what_plays(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = cached(ground, monkeypatch, 0.1)

    def kept() -> int:
        return len(list((cache / "bots").iterdir()))

    assert ground.enter("ann", "one.c", UNFIT).state == NOT_FIT and kept() == 0
    for number, count in ((1, 1), (2, 1), (2, 1), (3, 1)):
        ground.enter("ann", "one.c", GOOD + b"// %d" % number)
        assert kept() == count
    ground.enter("bob", "two.c", GOOD)
    ground.take("ann", "three.c", b"practice", PRACTICE)
    assert ground.submissions.try_next(0, kind=PRACTICE) and kept() == 2
    ground.withdraw("ann", "one")
    assert kept() == 1 and (cache / "libraries" / "shared.sealed").exists()


def test_an_authors_bots_and_former_versions_take_a_bounded_part_of_the_disk(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached(ground, monkeypatch, 0.3)
    for file in ("one.c", "two.c", "three.c"):
        assert ground.enter("ann", file, file.encode()).state == ENTERED
    late = ground.enter("ann", "one.c", b"x" * 500_000)
    assert late.state == NOT_FIT and "make it smaller" in late.said and (ground.entrants / "one.c").stat().st_size == 5
    assert ground.enter("bob", "four.c").state == ENTERED
    ground.withdraw("ann", "two")
    ground.withdraw("ann", "three")
    for number in range(6):
        assert ground.enter("ann", "one.c", b"%d" % number * 200_000).state == ENTERED
    kept = ground.folder / "submissions" / "kept" / CONTEST
    assert sum(path.stat().st_size for path in kept.rglob("*") if path.is_file()) < 1 << 20
    assert len(list((kept / "one").iterdir())) == 2
