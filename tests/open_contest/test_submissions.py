"""Submissions: who is allowed to submit, how often, with which outcome, and in which order."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.open_contest.support import CONTEST, CRASHES, GOOD, UNFIT, Ground
from tests.open_contest.test_archives import zipped
from tests.processes import wait_until
from tournament.config import load_config
from tournament.errors import InputError
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
    database_beside,
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


def test_what_is_fit_enters_and_what_is_not_does_not(ground: Ground) -> None:
    assert ground.enter("ann", "one.c").state == ENTERED
    job = ground.enter("ann", "two.py", UNFIT)
    assert job.state == NOT_FIT and job.said == "verdict    not fit"
    assert ground.files() == {"one.c"} and (ground.entrants / "one.c").read_bytes() == GOOD
    assert ground.enter("bob", "two.py").state == ENTERED  # An unfit bot holds no name.


def test_another_language_replaces_the_first_and_former_versions_are_kept(roomy: Ground) -> None:
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


def test_quick_trial_comes_first_and_refuses_what_crashes(ground: Ground) -> None:
    waits, crashes = ground.take("ann", "one.c"), ground.take("bob", "two.c", CRASHES)
    assert ground.do(QUICK) and ground.do(QUICK) and not ground.do(QUICK)
    assert (ground.state(waits), ground.now_of(waits).quick) == (QUEUED, "three games")
    assert (ground.state(crashes), ground.now_of(crashes).said) == (NOT_FIT, "it crashes")
    assert ground.checked == [] and ground.do(TRIAL) and ground.state(waits) == ENTERED


@pytest.mark.parametrize("lanes", [(WITHDRAWAL, QUICK, TRIAL), (QUICK, TRIAL, WITHDRAWAL)])
def test_upload_after_withdrawal_enters_whatever_is_done_first(ground: Ground, lanes: tuple[str, ...]) -> None:
    first, waits = ground.enter("ann", "one.c"), ground.take("ann", "one.c", GOOD + b"// second")
    leaves = ground.submissions.withdraw(ground.author("ann"), CONTEST, "one")
    later = ground.take("ann", "one.c", GOOD + b"// third")
    assert ground.do(*lanes) == 3
    assert [ground.state(job) for job in (waits, leaves, later)] == [WITHDRAWN, WITHDRAWN, ENTERED]
    assert ground.state(first) in (WITHDRAWN, REPLACED)
    assert (ground.entrants / "one.c").read_bytes().endswith(b"third")


def test_place_in_queue_is_the_order_in_which_jobs_are_done(roomy: Ground) -> None:
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
        ("../one.c", 422), ("..c", 422), (".one.c", 422), ("one.two.c", 422), ("one", 422), ("one.sh", 422),
        ("a/b.c", 422), ("a\\b.c", 422), ("one\n.c", 422), ("x" * 65 + ".c", 422), ("CON:.c", 422), ("ONE.c", 409),
        ("one.c", 409), ("house.py", 409),
    ],
)  # fmt: skip
def test_no_upload_names_a_path_or_takes_anothers_name(ground: Ground, file: str, status: int) -> None:
    ground.enter("bob", "one.c")
    (ground.entrants / "House.c").write_bytes(GOOD)
    before = {path: path.stat().st_mtime_ns for path in ground.folder.rglob("*") if path.is_file()}
    assert refused(ground, "ann", file).status == status
    assert {path: path.stat().st_mtime_ns for path in ground.folder.rglob("*") if path.is_file()} == before


def test_an_author_has_so_many_bots_and_submissions(ground: Ground) -> None:
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


def test_it_opens_and_closes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hours = "opens = 2026-06-01T15:00:00+02:00\ncloses = 2026-06-02T15:00:00+02:00"
    ground = Ground(tmp_path, monkeypatch, hours)
    assert "open at 2026-06-01 15:00:00+02:00" in refused(ground, "ann", "one.c").why
    ground.now += timedelta(hours=1)
    ground.enter("ann", "one.c")
    ground.now += timedelta(hours=24)
    late = refused(ground, "ann", "one.c")
    assert late.status == 403 and "closed at 2026-06-02 15:00:00+02:00" in late.why


def test_folder_of_an_earlier_version_is_refused_by_a_line(ground: Ground) -> None:
    (ground.folder / "submissions").mkdir()
    with pytest.raises(InputError, match="submissions of an earlier version; move that folder away"):
        ground.started()


def practise(ground: Ground, author: str, file: str, content: bytes = GOOD) -> Job:
    """Ask for a practice match and have it played."""
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


def test_practice_match_compares_with_another_bot_of_the_author(roomy: Ground) -> None:
    for author, file in (("ann", "one.c"), ("ann", "old.c"), ("bob", "two.c")):
        roomy.enter(author, file)
    ann, take = roomy.author("ann"), roomy.submissions.take
    compared = take(ann, CONTEST, "one.c", GOOD, PRACTICE, {"baseline": "old"})
    assert roomy.do(OTHER) and roomy.now_of(compared).said == "one.c instead of old.c"
    compared = roomy.submissions.practise(ann, CONTEST, "one", {"baseline": "old"})
    assert roomy.do(OTHER) and roomy.now_of(compared).said == "one.c instead of old.c"
    for asks, why in (
        ({"baseline": "two"}, "you have no bot of this name"),
        ({"baseline": "../one"}, "you have no bot of this name"),
        ({"baseline": "old", "against": ["old"]}, "this is the baseline"),
    ):
        with pytest.raises(Refused, match=why):
            take(ann, CONTEST, "one.c", GOOD, PRACTICE, asks)
    with pytest.raises(Refused, match="this is the bot itself"):
        roomy.submissions.practise(ann, CONTEST, "one", {"baseline": "one"})


def test_replay_is_for_the_bots_author_and_names_no_odd_opponent(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    for who, opponent in (("bob", "two"), ("ann", "--seed"), ("ann", ""), ("ann", "two,three")):
        with pytest.raises(Refused):
            ground.submissions.show(ground.author(who), CONTEST, "one", {"opponent": opponent})
    asks = {"opponent": "two", "session": 0}
    job = ground.submissions.show(ground.author("ann"), CONTEST, "one", asks)
    with pytest.raises(Refused, match="another replay of yours"):
        ground.take("ann", "one.c", kind=PRACTICE)
    assert ground.do(OTHER) and ground.state(job) == PLAYED


def test_only_last_replays_and_versions_are_kept(roomy: Ground) -> None:
    versions = [roomy.enter("ann", "one.c", GOOD + b"// %d" % number) for number in range(13)]
    content = roomy.submissions.jobs.content
    assert [content(job) is not None for job in versions] == [False] * 2 + [True] * 11
    jobs = []
    for session in range(5):
        asks = {"opponent": "two", "session": session}
        jobs.append(roomy.submissions.show(roomy.author("ann"), CONTEST, "one", asks))
        assert roomy.do(OTHER)
    assert [bool(roomy.now_of(job).said) for job in jobs] == [False, False, True, True, True]


def test_seconds_of_a_day_are_looked_at_when_a_job_is_taken(ground: Ground) -> None:
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


def test_job_that_outlasts_the_seconds_of_a_day_is_set_aside(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def slow(*words: Any) -> tuple[bool, str]:
        given.append(words[4])
        time.sleep(words[4])
        return False, "the check took longer"

    monkeypatch.setattr(submissions, "check", slow)
    ground.submissions.jobs.spend(["ann"], 3599.5, ground.now)
    job = ground.enter("ann", "one.c")
    assert job.state == SET_ASIDE and "your seconds of today ended" in job.said and 0 < given[0] <= 0.5


def test_practice_match_is_cut_to_some_games(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    ground.enter("bob", "two.c")
    ground.enter("bob", "three.c")
    config = load_config(CONTEST, ground.settings)
    job = ground.take("ann", "one.c", kind=PRACTICE)
    assert ground.submissions._plan_practice(job, config)[1] == config.contest.sessions
    monkeypatch.setattr(submissions, "_MAX_GAMES", 200)
    games = config.played.estimates.games(config.contest)
    assert ground.submissions._plan_practice(job, config)[1] == max(1, int(200 / (2 * games)))


def test_an_author_cannot_use_up_names(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "_NAMES_PER_BOT", 2)
    for number in range(4):
        ground.now += timedelta(days=1)
        ground.enter("ann", f"bot{number}.c")
        ground.withdraw("ann", f"bot{number}")
    ground.now += timedelta(days=1)
    assert "you have used 4 names" in refused(ground, "ann", "another.c").why
    assert ground.enter("ann", "bot3.c").state == ENTERED


def test_banned_authors_bots_leave_and_none_enters(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    ground.enter("bob", "two.c")
    waits = ground.take("ann", "three.c")
    revoke_token(ground.authors, "ann", ban=True)
    ground.submissions.put_out_banned()
    assert ground.files() == {"two.c"} and ground.state(waits) == SET_ASIDE


def test_full_trials_run_several_at_a_time_one_of_each_author(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_database_restored_from_a_copy_holds_what_was_submitted(ground: Ground) -> None:
    """Make the copy while a job is queued and another is done. The server goes on from there."""
    entered, waits = ground.enter("ann", "one.c"), ground.take("bob", "two.c")
    ground.submissions.jobs.spend(["bob"], 100.0, ground.now)
    ground.submissions.jobs.database.execute("VACUUM INTO ?", (str(ground.folder / "submissions.copy"),))
    lost = ground.enter("eve", "three.c")
    ground.submissions.jobs.database.close()
    database = database_beside(ground.authors)
    for path in ground.folder.glob(f"{database.name}*"):
        path.unlink()
    (ground.folder / "submissions.copy").rename(database)
    ground.submissions = ground.started()
    jobs = ground.submissions.jobs
    assert ground.now_of(entered) == entered and jobs.content(entered) == GOOD and jobs.job(lost.id) is None
    assert ground.submissions.left_today("bob") == (3, 3500.0) and jobs.owner(CONTEST, "one") == ("ann", "one")
    assert ground.do(QUICK, TRIAL) == 2 and ground.state(waits) == ENTERED
    assert refused(ground, "bob", "one.c").status == 409
