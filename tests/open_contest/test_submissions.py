"""What authors submit: who may, how often, what becomes of it; and that nothing else is touched."""

from __future__ import annotations

import io
import json
import os
import re
import stat
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.contest_runs import REPOSITORY, environment, make_contest
from tests.open_contest.support import CONTEST, GOOD, UNFIT, Ground
from tests.processes import descendants, wait_until, wait_until_exited
from tournament.config import load_config
from tournament.errors import InputError
from tournament.open_contest import trials
from tournament.open_contest.authors import add_author, author_of, read_authors, renew_token, revoke_token
from tournament.open_contest.jobs import ENTERED, NOT_FIT, PLAYED, PRACTICE, QUEUED, SET_ASIDE, WITHDRAWN, Job
from tournament.open_contest.refusals import Refused


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    return Ground(tmp_path, monkeypatch, "max_bots_per_author = 2\nmax_submissions_per_day = 4")


def refused(ground: Ground, author: str, file: str, content: bytes = GOOD) -> Refused:
    with pytest.raises(Refused) as caught:
        ground.submissions.take(ground.author(author), CONTEST, file, content)
    return caught.value


def test_a_token_opens_for_its_author_alone(tmp_path: Path) -> None:
    path = tmp_path / "authors.toml"
    first, second = add_author(path, "ann"), add_author(path, "bob")
    authors = read_authors(path)
    assert author_of(first, authors) == authors["ann"] and author_of(second, authors) == authors["bob"]
    secret = first.partition(".")[2]
    assert secret not in path.read_text() and stat.S_IMODE(path.stat().st_mode) == 0o600
    for wrong in ("", ".", "ann", "ann.", f"bob.{secret}", f"eve.{secret}", f"{first}x", secret):
        assert author_of(wrong, authors) is None
    with pytest.raises(InputError, match="is there already; for another token: tournament author token ann"):
        add_author(path, "ann")
    again = renew_token(path, "ann")
    assert author_of(first, read_authors(path)) is None and author_of(again, read_authors(path))
    revoke_token(path, "ann", ban=False)
    revoke_token(path, "bob", ban=True)
    found = read_authors(path)
    assert author_of(again, found) is author_of(second, found) is author_of("ann.", found) is None
    assert author_of(renew_token(path, "bob"), read_authors(path)) is None and read_authors(path)["bob"].banned
    with pytest.raises(InputError, match="is banned; to lift that"):
        add_author(path, "bob")
    with pytest.raises(InputError, match="differ in case only"):
        add_author(path, "Ann")


def test_changes_of_authors_at_the_same_time_keep_every_author(tmp_path: Path) -> None:
    path, names = tmp_path / "authors.toml", [f"author{number}" for number in range(12)]
    add_author(path, "bob")

    def change(name: str) -> str:
        if name == names[0]:
            revoke_token(path, "bob", ban=True)
        return add_author(path, name)

    with ThreadPoolExecutor(len(names)) as pool:
        tokens = dict(zip(names, pool.map(change, names)))
    authors = read_authors(path)
    assert {*authors} == {"bob", *names} and authors["bob"].banned
    assert all(author_of(token, authors) == authors[name] for name, token in tokens.items())


@pytest.mark.parametrize("name", ["", ".a", "a.", " a", "a ", "a..b", "../ann", "a/b", "a  b", "a\nb", "é", "x" * 33])
def test_an_author_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="letters a-z and A-Z, digits"):
        add_author(tmp_path / "authors.toml", name)


def test_what_is_fit_enters_and_what_is_not_does_not(ground: Ground) -> None:
    assert ground.enter("ann", "one.c").state == ENTERED
    job = ground.enter("ann", "two.py", UNFIT)
    assert job.state == NOT_FIT and job.said == "verdict    not fit"
    assert ground.files() == {"one.c"} and (ground.entrants / "one.c").read_bytes() == GOOD
    assert ground.enter("bob", "two.py").state == ENTERED  # who wasn't fit holds no name


def test_another_language_takes_the_place_of_the_first_and_former_versions_are_kept(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    ground.enter("ann", "one.py", b"def a(bot): pass")
    assert ground.files() == {"one.py"}
    kept = sorted((ground.folder / "submissions" / "kept" / CONTEST / "one").iterdir())
    assert [path.name for path in kept] == ["000001-one.c"] and kept[0].read_bytes() == GOOD
    assert ground.enter("ann", "one.py", UNFIT).state == NOT_FIT
    assert (ground.entrants / "one.py").read_bytes() == b"def a(bot): pass"


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


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('closes = "2026-06-02T15:00:00+02:00"', None),
        ("closes = 2026-06-02T15:00:00", "closes = 2026-06-02T15:00:00: has no offset; must be a date, a time and"),
        ("closes = 2026-06-02", "closes = 2026-06-02: must be a date, a time and an offset, as 2026-01-31T09"),
        ('closes = "soon"', "closes = 'soon': must be a date, a time and an offset"),
        ("closes = 15:00:00", "closes = 15:00:00: must be a date, a time and an offset"),
        ("closes = 3", "closes = 3: must be a date, a time and an offset"),
        ("closes = 2026-06-02T15:00:00Z\nopens = 2026-06-02T15:00:00Z", "must be after opens = 2026-06-02T15:00:00"),
        ('renamed = {new = "old"}', "unknown table renamed"),
    ],
)
def test_a_date_of_the_file_is_taken_or_explained(tmp_path: Path, line: str, found: str | None) -> None:
    settings = tmp_path / "tournament.toml"
    settings.write_text(f"[watch]\n{line}\n")
    if found is None:
        assert load_config(CONTEST, settings).opening.closes == datetime(2026, 6, 2, 13, tzinfo=UTC)
        return
    with pytest.raises(InputError, match=f"tournament.toml, line 2: .*{re.escape(found)}"):
        load_config(CONTEST, settings)


def test_a_kill_loses_nothing_and_enters_nothing_twice(ground: Ground) -> None:
    """After the answer, in the check, between the old version's leaving and the new one's coming."""
    ground.enter("ann", "one.c")
    job = ground.submissions.take(ground.author("ann"), CONTEST, "one.py", GOOD)
    for point in ("nothing yet", "in the check", "between"):
        again = ground.started()
        if point == "in the check":
            again.try_next(0, stopping=lambda: True)
        if point == "between":
            with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
                patch.setattr(os, "rename", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
                again.try_next(0)
    ground.submissions = ground.started()
    assert ground.submissions.current_job(job).state == QUEUED
    assert ground.submissions.try_next(0) and not ground.submissions.try_next(0)
    assert ground.submissions.current_job(job).state == ENTERED
    assert {name for name in ground.files() if not name.startswith(".")} == {"one.py"}


def test_authors_are_served_in_turn(ground: Ground) -> None:
    for author, file in (("ann", "one.c"), ("ann", "two.c"), ("bob", "three.c")):
        ground.submissions.take(ground.author(author), CONTEST, file, GOOD)
    while ground.submissions.try_next(0):
        pass
    assert ground.checked == ["one.c", "three.c", "two.c"]


def practise(ground: Ground, author: str, file: str, content: bytes = GOOD) -> Job:
    """Ask for a practice match and have it played."""
    job = ground.take(author, file, content, PRACTICE)
    assert ground.submissions.try_next(0, kind=PRACTICE)
    return ground.submissions.current_job(job)


def test_a_practice_match_enters_nothing_and_is_counted(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    job = ground.take("ann", "one.py", kind=PRACTICE)
    assert not ground.submissions.try_next(0) and ground.submissions.try_next(0, kind=PRACTICE)
    newest = ground.submissions.current_job(job)
    assert (newest.state, newest.said) == (PLAYED, "one.py instead of one.c") and ground.files() == {"one.c"}
    assert practise(ground, "ann", "two.c", UNFIT).state == NOT_FIT
    assert practise(ground, "ann", "two.c").said == "two.c instead of None"
    assert ground.enter("bob", "two.c").state == ENTERED  # a practice match holds no name
    with pytest.raises(Refused, match="4 submissions a day"):
        practise(ground, "ann", "one.c")


@pytest.mark.slow
def test_a_practice_match_tells_an_author_its_faults_and_prints_but_no_seed_and_no_path(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"], settings="max_faults = 1000")
    (tmp_path / "new").mkdir()
    bot = tmp_path / "new" / "bold.py"
    steps = "def a(bot):\n    print('SAID', bot.card)\n    return int('WRONG') if bot.card > 0.9 else 0\n\n"
    bot.write_text(f"{steps}def b(bot, bet):\n    return 1\n")
    fit, said = trials.play_practice(
        place.config, CONTEST, bot, place.entrants / "bold.c", tmp_path / "built", lambda: False
    )
    assert fit and "WRONG" in said and not re.search(f"seed|{tmp_path}", said), said
    found = json.loads(said)
    assert {line["opponent"] for line in found["opponents"]} == {"calm", "dull"}
    assert len(found["faults"]) == 20 < found["fault_count"] and found["baseline"] == "bold.c"
    assert found["baseline_faults"] == [] and found["baseline_fault_count"] == 0


def test_an_author_cannot_use_up_names(ground: Ground) -> None:
    for number in range(20):
        ground.now += timedelta(days=1)
        ground.enter("ann", f"bot{number}.c")
        ground.withdraw("ann", f"bot{number}")
    ground.now += timedelta(days=1)
    assert "you have used 20 names" in refused(ground, "ann", "another.c").why
    assert ground.enter("ann", "bot3.c").state == ENTERED


def slow_to_compile(folder: Path) -> Path:
    """A bot in C that takes the compiler as long as it may, and that no cache knows."""
    bot = folder / "slow.c"
    lines = "".join(f"#define m{n} m{n + 1} m{n + 1} m{n + 1} m{n + 1}\n" for n in range(14))
    bot.write_text(f"{lines}#define m14 123 +\nint x[] = {{ m0 0 }};\n// {folder} {time.time()}\n")
    return bot


@pytest.mark.parametrize("what", ["check", "practice"])
def test_what_takes_too_long_is_ended(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no one holds up the queue by what no other limit ends."""
    page = (REPOSITORY / "docs" / "how_to" / "open_contest.md").read_text()
    assert f"for at most {trials.PRACTICE_SECONDS / 60:g} minutes," in page
    place, descended = make_contest(tmp_path, ["bold", "calm"]), set(descendants(os.getpid()))
    monkeypatch.setattr(trials, f"{what.upper()}_SECONDS", 0.0)
    bot = place.entrants / "bold.c"
    if what == "check":
        found = trials.check(place.config, CONTEST, bot, tmp_path / "built", lambda: False)
    else:
        found = trials.play_practice(place.config, CONTEST, bot, None, tmp_path / "built", lambda: False)
    assert found == (False, f"the {'check' if what == 'check' else 'match'} took longer than 0 s")
    assert wait_until_exited(set(descendants(os.getpid())) - descended)


def test_a_check_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    """Long before the compiler's time is up."""
    (tmp_path / "tournament.toml").write_text(f"[{CONTEST}]\n")
    steps = "import pathlib, sys; from tournament.open_contest.trials import check;"
    steps += "check(pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]),"
    steps += "pathlib.Path(sys.argv[3] + '.built'), lambda: False)"
    words = [sys.executable, "-c", steps, str(tmp_path / "tournament.toml"), CONTEST, str(slow_to_compile(tmp_path))]
    with subprocess.Popen(words, env=environment()) as server:
        assert wait_until(lambda: len(descendants(server.pid)) > 1)  # the check, and what compiles
        started = list(descendants(server.pid))
        server.kill()
        assert wait_until_exited(started)


@pytest.mark.parametrize("name", ["tournament", "json", pytest.param("sitecustomize", marks=pytest.mark.slow)])
def test_no_upload_is_taken_for_a_module_of_the_check(tmp_path: Path, name: str) -> None:
    """Python looks for modules in the current folder, too, if it is let: that would be an author's code, unconfined."""
    (tmp_path / "tournament.toml").write_text(f"[{CONTEST}]\n")
    (tmp_path / "upload").mkdir()
    bot, taken = tmp_path / "upload" / f"{name}.py", tmp_path / "taken"
    steps = "def a(bot):\n    return 0\n\ndef b(bot, bet):\n    return 1\n"
    bot.write_text(f"try:\n    open({str(taken)!r}, 'w').close()\nexcept OSError:\n    pass\n{steps}")
    fit, said = trials.check(tmp_path / "tournament.toml", CONTEST, bot, tmp_path / "built", lambda: False)
    assert not taken.exists() and fit, said


def test_a_banned_authors_bots_leave_at_once_and_none_enters(ground: Ground) -> None:
    ground.enter("ann", "one.c")
    ground.enter("bob", "two.c")
    waits = ground.take("ann", "three.c")
    revoke_token(ground.authors, "ann", ban=True)
    ground.submissions.put_out_banned()
    assert ground.files() == {"two.c"} and ground.state(waits) == SET_ASIDE


def zipped(files: dict[str, bytes], mode: int = 0o100644) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, inner in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, inner)
    return content.getvalue()


RECIPE = b'command = ["sh", "bot.sh"]'


@pytest.mark.parametrize("around", ["", "any/"])
@pytest.mark.parametrize("more", [[], ["README.md"], ["__MACOSX/any/._bot.sh", "any/.DS_Store", "._any"]])
@pytest.mark.parametrize("separator", ["/", "\\"])
def test_a_program_comes_as_an_archive(ground: Ground, around: str, more: list[str], separator: str) -> None:
    files = {f"{around}bot.toml": RECIPE, f"{around}bot.sh": b"exit", f"{around}more/data": b"1"}
    files |= dict.fromkeys(more, b"")
    if separator == "\\":
        files = {name.replace("/", "\\"): content for name, content in files.items()}
    assert ground.enter("ann", "told.zip", zipped(files, 0o100755)).state == ENTERED
    folder = ground.entrants / "told"
    assert (folder / "bot.toml").read_bytes() == RECIPE and (folder / "more" / "data").exists()
    assert os.access(folder / "bot.sh", os.X_OK)
    names = {path.name for path in folder.rglob("*")} - {"README.md"}
    assert names == {"bot.toml", "bot.sh", "more", "data"}


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (
            ["deep/er/bot.toml"],
            "looked for at the top and in a folder there; at the top there is deep",
        ),
        (["bot.sh", "Bot.toml"], "at the top there is Bot.toml, bot.sh"),
        ([], "at the top there is nothing"),
        (["one/bot.toml", "two/bot.toml"], "several programs, one and two"),
        (["."], "a path that is refused: ."),
        (["bot.toml", "x" * 201], "a path that is refused: x"),
    ],
)
def test_an_archive_that_is_no_program_says_why(ground: Ground, names: list[str], why: str) -> None:
    job = ground.enter("ann", "told.zip", zipped(dict.fromkeys(names, b"")))
    assert job.state == NOT_FIT and why in job.said, job.said


@pytest.mark.parametrize(
    "archive",
    [
        zipped({"../out": b"x"}), zipped({"/etc/out": b"x"}), zipped({"a\\..\\out": b"x"}),
        zipped({"link": b"/"}, 0o120777),
        zipped({str(n): b"" for n in range(501)}), zipped({"zeros": bytes(9_000_000)}),
        b"PK no archive", zipped({})[:-9],
        zipped({"bot.toml/inner": b"x", "bot.toml": RECIPE}), zipped({"./bot.toml": b"x", "bot.toml": RECIPE}),
    ],
    ids=["above", "absolute", "backslash", "link", "files", "bomb", "none", "torn", "file and folder", "the same"],
)  # fmt: skip
def test_an_archive_writes_nowhere_else_and_fills_no_disk(ground: Ground, archive: bytes) -> None:
    assert ground.enter("ann", "told.zip", archive).state == NOT_FIT
    assert ground.files() == set()
    assert not [path for path in ground.folder.rglob("*") if "out" in path.name]
