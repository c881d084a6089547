"""Odd machines and odd moments: a run gets through them, or says in one line what is in its way."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.commands import copy_for_everybody, forks, shared
from tests.contest_runs import assert_same, make_contest, read_outcome
from tournament.cache import cache_folder
from tournament.errors import RunError
from tournament.store.folder_storage import FolderStorage
from tournament.store.storage import LOCK_NAME

AS_NOBODY = "import os; os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_run_needs_no_root(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    """Run as root, then as a user who owns the contest's folder and can enter the folders above."""
    place = make_contest(tmp_path, ["bold", "calm", "dull"])
    setup = f"import os; os.environ['TOURNAMENT_CACHE'] = {str(tmp_path / 'cache')!r}\n"
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "libraries").symlink_to(cache_folder() / "libraries")
    code = copy_for_everybody(tmp_path_factory.mktemp("code"))
    closed = [(path, path.stat().st_mode) for path in tmp_path.parents if path.stat().st_mode & 0o005 != 0o005]
    with forks(tmp_path_factory.mktemp("logs"), code) as server:
        assert server.run(place.arguments(), setup).code == 0
        expected = read_outcome(place.results)
        shutil.rmtree(place.results)
        for path in [tmp_path, *tmp_path.rglob("*")]:
            os.chown(path, 65534, 65534, follow_symlinks=False)
        for path, _ in closed:
            path.chmod(0o755)
        try:
            ended = server.run(place.arguments(), setup + AS_NOBODY)
            assert ended.code == 0, ended
            assert {path.stat().st_uid for path in place.results.rglob("*")} == {65534}
            assert_same(read_outcome(place.results), expected)
            # Records of another user can be read, and not written.
            for path in place.results.rglob("*"):
                os.chown(path, 0, 0)
            ended = server.run(place.arguments(), setup + AS_NOBODY)
        finally:
            for path, mode in closed:
                path.chmod(mode)
    assert ended.code == 1 and re.search(f"^tournament: .*{place.results}.*: Permission denied$", ended.said, re.M)


def test_cache_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"])
    setup = (
        "import os; [os.environ.pop(name, None) for name in ('XDG_CACHE_HOME', 'TOURNAMENT_CACHE')];"
        " os.environ['HOME'] = '/proc/nowhere'\n"
    )
    ended = shared().run(place.arguments(), setup)
    told = r"tournament: can't (write to|read) the cache /proc/nowhere/[^:]*: No such file or directory[^\n]*\n"
    assert ended.code == 1 and re.fullmatch(rf"(Compiling .*\n)*{told}", ended.said), ended
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


def test_run_waits_while_verify_looks_at_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold the lock as `verify` does, and let it go before the run tries again."""
    place = make_contest(tmp_path, ["bold", "calm"], sessions=4)
    place.play()
    with open(place.results / LOCK_NAME) as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        waits = SimpleNamespace(sleep=lambda _seconds: fcntl.flock(lock, fcntl.LOCK_UN))
        monkeypatch.setattr("tournament.store.folder_storage.time", waits)
        place.play()
