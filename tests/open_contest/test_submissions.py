"""Submissions: who is allowed to submit, how often, with which outcome, and in which order."""

from __future__ import annotations

import threading
from datetime import timedelta
from pathlib import Path

import pytest

from tests.open_contest.support import CONTEST, CRASHES, GOOD, UNFIT, Ground
from tests.open_contest.test_archives import zipped
from tests.processes import wait_until
from tournament.open_contest import submissions
from tournament.open_contest.authors import revoke_token
from tournament.open_contest.jobs import (
    BOT,
    ENTERED,
    NOT_FIT,
    OTHER,
    PLAYED,
    PRACTICE,
    QUEUED,
    QUICK,
    REPLACED,
    SET_ASIDE,
    TRIAL,
    WITHDRAWAL,
    WITHDRAWN,
    Job,
)
from tournament.open_contest.refusals import Refused
from tournament.open_contest.submissions import Workers


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    return Ground(tmp_path, monkeypatch, "max_bots_per_author = 2\nmax_submissions_per_day = 4")


@pytest.fixture
def roomy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """Return a ground that takes more submissions than tests make."""
    return Ground(tmp_path, monkeypatch, "max_submissions_per_day = 1000")


def refused(ground: Ground, author: str, file: str, content: bytes = GOOD) -> Refused:
    with pytest.raises(Refused) as caught:
        ground.take(author, file, content)
    return caught.value


def test_fit_bot_enters_and_unfit_bot_does_not(ground: Ground) -> None:
    assert ground.enter("ann", "one.c").state == ENTERED
    job = ground.enter("ann", "two.py", UNFIT)
    assert job.state == NOT_FIT and job.said == "verdict    not fit"
    assert ground.files() == {"one.c"} and (ground.entrants / "one.c").read_bytes() == GOOD
    assert ground.enter("bob", "two.py").state == ENTERED  # An unfit bot holds no name.


def test_other_language_replaces_bot_and_keeps_former_version(roomy: Ground) -> None:
    first = roomy.enter("ann", "one.c")
    roomy.enter("ann", "one.py", b"def a(bot): pass")
    assert roomy.files() == {"one.py"} and roomy.state(first) == REPLACED
    assert roomy.submissions.jobs.content(first) == GOOD
    assert roomy.enter("ann", "one.py", UNFIT).state == NOT_FIT
    assert (roomy.entrants / "one.py").read_bytes() == b"def a(bot): pass"
    roomy.enter("ann", "one.zip", zipped({"bot.toml": b"x", "more": b"y"}))
    roomy.enter("ann", "one.zip", zipped({"bot.toml": b"x"}))
    assert {path.name for path in (roomy.entrants / "one").iterdir()} == {"bot.toml"} and roomy.files() == {"one"}
    assert not [path for path in roomy.entrants.iterdir() if path.name.startswith(".")]


def test_quick_trial_comes_first_and_refuses_crashing_bot(ground: Ground) -> None:
    waits, crashes = ground.take("ann", "one.c"), ground.take("bob", "two.c", CRASHES)
    assert ground.do(QUICK) and ground.do(QUICK) and not ground.do(QUICK)
    assert (ground.state(waits), ground.now_of(waits).quick) == (QUEUED, "three games")
    assert (ground.state(crashes), ground.now_of(crashes).said) == (NOT_FIT, "it crashes")
    assert ground.checked == [] and ground.do(TRIAL) and ground.state(waits) == ENTERED


@pytest.mark.parametrize("lanes", [(WITHDRAWAL, QUICK, TRIAL), (QUICK, TRIAL, WITHDRAWAL)])
def test_upload_after_withdrawal_enters_in_any_order(ground: Ground, lanes: tuple[str, ...]) -> None:
    first, waits = ground.enter("ann", "one.c"), ground.take("ann", "one.c", GOOD + b"// second")
    leaves = ground.submissions.withdraw(ground.author("ann"), CONTEST, "one")
    later = ground.take("ann", "one.c", GOOD + b"// third")
    assert ground.do(*lanes) == 3
    assert [ground.state(job) for job in (waits, leaves, later)] == [WITHDRAWN, WITHDRAWN, ENTERED]
    assert ground.state(first) in (WITHDRAWN, REPLACED)
    assert (ground.entrants / "one.c").read_bytes().endswith(b"third")


def test_place_in_queue_is_order_of_jobs(roomy: Ground) -> None:
    jobs = [roomy.take(author, f"{author}{n % 2}.c") for n in range(6) for author in ("ann", "eve")]
    jobs += [roomy.take("bob", "bob.c")]
    told = [roomy.submissions.jobs.place(job) for job in jobs]
    order: list[str] = []
    while roomy.do(QUICK):
        order += [job.id for job in jobs if roomy.now_of(job).lane == TRIAL and job.id not in order]
    assert told == [order.index(job.id) + 1 for job in jobs] and told[-1] == 3


@pytest.mark.parametrize(
    ("file", "status"),
    [
        ("../one.c", 422), (".one.c", 422), ("one.two.c", 422), ("one.sh", 422), ("a\\b.c", 422), ("one\n.c", 422),
        ("x" * 65 + ".c", 422), ("ONE.c", 409), ("house.py", 409),
    ],
)  # fmt: skip
def test_upload_with_path_or_foreign_name_is_refused(ground: Ground, file: str, status: int) -> None:
    ground.enter("bob", "one.c")
    (ground.entrants / "House.c").write_bytes(GOOD)
    before = {path: path.stat().st_mtime_ns for path in ground.folder.rglob("*") if path.is_file()}
    assert refused(ground, "ann", file).status == status
    assert {path: path.stat().st_mtime_ns for path in ground.folder.rglob("*") if path.is_file()} == before


def test_author_has_limited_bots_and_submissions(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    ground.enter("ann", "two.c")
    assert "withdraw one first" in refused(ground, "ann", "three.c").why
    assert ground.withdraw("ann", "one").state == WITHDRAWN
    assert ground.files() == {"two.c"}
    ground.enter("ann", "three.c")
    ground.enter("ann", "two.c", UNFIT)
    late = refused(ground, "ann", "two.c")
    assert late.status == 429 and late.retry_after == 12 * 3600 + 1
    ground.submissions = ground.started()
    assert refused(ground, "ann", "two.c").status == 429
    ground.enter("bob", "four.c")
    ground.now += timedelta(hours=12)
    ground.enter("ann", "two.c")


def test_contest_takes_bots_only_while_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hours = "opens = 2026-06-01T15:00:00+02:00\ncloses = 2026-06-02T15:00:00+02:00"
    ground = Ground(tmp_path, monkeypatch, hours)
    assert "open at 2026-06-01 15:00:00+02:00" in refused(ground, "ann", "one.c").why
    ground.now += timedelta(hours=1)
    ground.enter("ann", "one.c")
    ground.now += timedelta(hours=24)
    assert "closed at 2026-06-02 15:00:00+02:00" in refused(ground, "ann", "one.c").why


def practise(ground: Ground, author: str, file: str, content: bytes = GOOD) -> Job:
    job = ground.take(author, file, content, PRACTICE)
    assert ground.do(OTHER)
    return ground.now_of(job)


def test_practice_match_enters_nothing_and_is_counted(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    job = ground.take("ann", "one.py", kind=PRACTICE)
    assert not ground.do(QUICK, TRIAL) and ground.do(OTHER)
    newest = ground.now_of(job)
    assert (newest.state, newest.said) == (PLAYED, "one.py instead of one.c") and ground.files() == {"one.c"}
    assert practise(ground, "ann", "two.c", UNFIT).state == NOT_FIT
    assert practise(ground, "ann", "two.c").said == "two.c instead of None"
    assert ground.enter("bob", "two.c").state == ENTERED  # a practice match holds no name
    with pytest.raises(Refused, match="4 submissions a day"):
        practise(ground, "ann", "one.c")


def test_practice_match_compares_with_other_bot_of_author(roomy: Ground) -> None:
    for author, file in (("ann", "one.c"), ("ann", "old.c"), ("bob", "two.c")):
        roomy.enter(author, file)
    ann, take = roomy.author("ann"), roomy.submissions.take
    first = take(ann, CONTEST, "one.c", GOOD, PRACTICE, {"baseline": "old"})
    assert roomy.do(OTHER) and roomy.now_of(first).said == "one.c instead of old.c"
    second = roomy.submissions.practise(ann, CONTEST, "one", {"baseline": "old"})
    assert roomy.do(OTHER) and roomy.now_of(second).said == "one.c instead of old.c"
    with pytest.raises(Refused, match="you have no bot of this name"):
        take(ann, CONTEST, "one.c", GOOD, PRACTICE, {"baseline": "two"})


def test_replay_is_for_author_and_valid_opponent_alone(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    for who, opponent in (("bob", "two"), ("ann", "--seed"), ("ann", ""), ("ann", "two,three")):
        with pytest.raises(Refused):
            ground.submissions.show(ground.author(who), CONTEST, "one", {"opponent": opponent})
    asks = {"opponent": "two", "session": 0}
    job = ground.submissions.show(ground.author("ann"), CONTEST, "one", asks)
    with pytest.raises(Refused, match="another replay of yours"):
        ground.take("ann", "one.c", kind=PRACTICE)
    assert ground.do(OTHER) and ground.state(job) == PLAYED


def test_jobs_wait_when_seconds_of_day_are_used(ground: Ground) -> None:
    """Jobs that were submitted together wait for the next day, and are tried after closing all the same."""
    jobs = [ground.take("ann", f"{name}.c") for name in ("one", "two")]
    others = ground.take("bob", "three.c")
    ground.submissions.jobs.spend(["ann"], 3600, ground.now)
    assert not ground.do(QUICK) or ground.state(others) == QUEUED
    ground.do_all()
    assert [ground.state(job) for job in (*jobs, others)] == [QUEUED, QUEUED, ENTERED]
    for kind in (BOT, PRACTICE):
        with pytest.raises(Refused, match="3,600 seconds of trials") as late:
            ground.take("ann", "one.c", kind=kind)
        assert late.value.status == 429 and late.value.retry_after
    ground.submissions = ground.started()  # The server was killed.
    assert ground.submissions.left_today("ann")[1] == 0 < ground.submissions.left_today("bob")[1]
    ground.now += timedelta(days=1)
    assert ground.do(QUICK, TRIAL) == 2 and ground.state(jobs[0]) == ENTERED
    ground.submissions.jobs.spend(["ann"], 3600, ground.now)
    ground.over.add(CONTEST)
    ground.do_all()
    assert ground.state(jobs[1]) == ENTERED


def test_author_has_limited_names(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "_NAMES_PER_BOT", 2)
    for number in range(4):
        ground.now += timedelta(days=1)
        ground.enter("ann", f"bot{number}.c")
        ground.withdraw("ann", f"bot{number}")
    ground.now += timedelta(days=1)
    assert "you have used 4 names" in refused(ground, "ann", "another.c").why
    assert ground.enter("ann", "bot3.c").state == ENTERED


def test_bots_of_banned_author_leave(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    ground.enter("bob", "two.c")
    waits = ground.take("ann", "three.c")
    revoke_token(ground.authors, "ann", ban=True)
    ground.submissions.put_out_banned()
    assert ground.files() == {"two.c"} and ground.state(waits) == SET_ASIDE


def test_full_trials_run_together_one_of_each_author(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most, lock = list[str](), [0], threading.Lock()

    def slow(_settings: Path, _contest: str, bot: Path, *_: object) -> tuple[bool, str]:
        with lock:
            inside.append(bot.name)
            most[0] = max(most[0], len(inside))
            assert len([name for name in inside if name.startswith("ann")]) < 2
        wait_until(lambda: len(inside) == 2, 1)
        with lock:
            inside.remove(bot.name)
        return True, ""

    monkeypatch.setattr(submissions, "check", slow)
    jobs = [ground.take(who, f"{who}{n}.c") for who in ("ann", "bob") for n in range(2)]
    with Workers(ground.submissions, ground.told.append, 2):
        assert wait_until(lambda: all(ground.state(job) == ENTERED for job in jobs), 60)
    assert most == [2]


MEGABYTE = 1 << 20


def test_submissions_wait_while_disk_is_full(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads that found the disk full during their trial wait, too, however often."""
    space = [600 * MEGABYTE]
    monkeypatch.setattr(submissions, "free_space", lambda _: (space[0], 1000))
    fills = [True] * 5

    def check(*given: object) -> tuple[bool, str]:
        if fills:
            fills.pop()
            space[0] = 400 * MEGABYTE
            raise OSError(28, "No space left on device")
        return True, "verdict    fit to enter"

    monkeypatch.setattr(submissions, "check", check)
    job = ground.take("ann", "one.c")
    assert ground.do(QUICK)
    while fills:
        space[0] = 600 * MEGABYTE
        assert ground.do(TRIAL)
        assert not ground.do(TRIAL) and ground.state(job) == QUEUED
    other = ground.take("bob", "two.c")
    ground.withdraw("bob", "two")
    assert ground.state(other) == WITHDRAWN
    space[0] = 600 * MEGABYTE
    assert ground.do(TRIAL) and ground.state(job) == ENTERED
    assert ground.told.count("submissions wait: less than 532 MB of disk are free") == 5
    space[0] = MEGABYTE
    with pytest.raises(Refused, match="disk has no space for a file"):
        ground.take("eve", "three.c")
