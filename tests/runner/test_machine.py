"""Odd machines and odd moments: a run gets through them, or says in one line what is in its way."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.contest_runs import (
    ContestDir,
    Outcome,
    assert_same,
    make_contest,
    read_outcome,
)
from tests.forks import Forks, copy_for_everybody, forks
from tournament.cache import cache_folder
from tournament.errors import RunError
from tournament.store.folder_storage import FolderStorage
from tournament.store.storage import LOCK_NAME

AS_NOBODY = "import os; os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    code = copy_for_everybody(tmp_path_factory.mktemp("code"))
    with forks(tmp_path_factory.mktemp("logs"), code) as server:
        yield server


@pytest.fixture(scope="module")
def played(server: Forks, tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    place = make_contest(tmp_path_factory.mktemp("machine"), ["bold", "calm", "dull"])
    assert server.run(place.arguments()).code == 0
    return place


@pytest.fixture(scope="module")
def expected(played: ContestDir) -> Outcome:
    return read_outcome(played.results)


@pytest.fixture
def place(played: ContestDir, tmp_path: Path) -> ContestDir:
    """Return a contest in which nothing is played yet."""
    shutil.copytree(played.folder, tmp_path / "here", ignore=shutil.ignore_patterns("results", "cache"))
    return ContestDir(tmp_path / "here")


def own_cache(place: ContestDir) -> str:
    """Set-up with a cache of the place's own."""
    return f"import os; os.environ['TOURNAMENT_CACHE'] = {str(place.folder / 'cache')!r}\n"


@pytest.fixture
def open_place(server: Forks, place: ContestDir) -> Iterator[ContestDir]:
    """Yield a place with compiled bots that belongs to another user, who can enter the folders above."""
    (place.folder / "cache").mkdir()
    (place.folder / "cache" / "libraries").symlink_to(cache_folder() / "libraries")
    assert server.run(place.arguments(), own_cache(place)).code == 0
    shutil.rmtree(place.results)
    for path in [place.folder, *place.folder.rglob("*")]:
        os.chown(path, 65534, 65534, follow_symlinks=False)
    closed = [path for path in place.folder.parents if path.stat().st_mode & 0o005 != 0o005 and path != Path("/")]
    before = [(path, path.stat().st_mode) for path in closed]
    for path in closed:
        path.chmod(0o755)
    yield place
    for path, mode in before:
        path.chmod(mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_run_needs_no_root(server: Forks, open_place: ContestDir, expected: Outcome) -> None:
    setup = own_cache(open_place) + AS_NOBODY
    ended = server.run(open_place.arguments(), setup)
    assert ended.code == 0, ended
    assert {path.stat().st_uid for path in open_place.results.rglob("*")} == {65534}
    assert_same(read_outcome(open_place.results), expected)
    # Records of another user can be read, and not written.
    for path in open_place.results.rglob("*"):
        os.chown(path, 0, 0)
    ended = server.run(open_place.arguments(), setup)
    assert ended.code == 1 and re.search(f"^tournament: .*{open_place.results}.*: Permission denied$", ended.said, re.M)


def test_cache_that_cannot_be_written_is_one_line(server: Forks, place: ContestDir) -> None:
    setup = (
        "import os; [os.environ.pop(name, None) for name in ('XDG_CACHE_HOME', 'TOURNAMENT_CACHE')];"
        " os.environ['HOME'] = '/proc/nowhere'\n"
    )
    ended = server.run(place.arguments(), setup)
    told = r"tournament: can't (write to|read) the cache /proc/nowhere/[^:]*: No such file or directory[^\n]*\n"
    assert ended.code == 1 and re.fullmatch(told, ended.said), ended
    assert not place.results.exists()


def test_lock_of_lost_machine_can_be_removed(tmp_path: Path) -> None:
    storage, other = FolderStorage(str(tmp_path)), FolderStorage(str(tmp_path))
    storage.prepare()
    storage.acquire()
    lock = tmp_path / "writer"
    lock.write_text("process 7 on somewhere\n")
    with pytest.raises(
        RunError, match=rf"by process 7 on somewhere; .*; if that machine no longer exists, remove {lock}$"
    ):
        other.acquire()
    lock.unlink()
    other.acquire()
    assert other.still_held() and not storage.still_held()
    other.release()
    storage.release()
    lock.write_text("process 7 on somewhere, which is dead\n")
    other.acquire()  # no one holds it
    other.release()


def test_run_waits_while_verify_looks_at_lock(place: ContestDir, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold the lock as `verify` does, and let it go before the run tries again."""
    place.play()
    with open(place.results / LOCK_NAME) as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        waits = SimpleNamespace(sleep=lambda _seconds: fcntl.flock(lock, fcntl.LOCK_UN))
        monkeypatch.setattr("tournament.store.folder_storage.time", waits)
        place.play()
