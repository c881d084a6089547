"""Odd machines and odd moments: a run gets through them, or says in one line what is in its way."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.contest_runs import (
    Listener,
    Outcome,
    Place,
    assert_same,
    new_place,
    outcome,
)
from tests.forks import Ended, Forks, copy_for_everybody, forks
from tournament.cache import cache_folder
from tournament.config import General
from tournament.errors import BadInput, RunFailed
from tournament.runner.executors import choose_executor
from tournament.store.folder_storage import FolderStorage
from tournament.store.storage import SIGN, AlreadyExists

AS_NOBODY = "import os; os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else, or change mounts")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    code = copy_for_everybody(tmp_path_factory.mktemp("code"))
    with forks(tmp_path_factory.mktemp("logs"), code) as server:
        yield server


@pytest.fixture(scope="module")
def played(server: Forks, tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = new_place(tmp_path_factory.mktemp("machine"), ["bold", "calm", "dull"])
    assert server.run(place.arguments()).code == 0
    return place


@pytest.fixture(scope="module")
def expected(played: Place) -> Outcome:
    return outcome(played.results)


@pytest.fixture
def place(played: Place, tmp_path: Path) -> Place:
    """Where nothing is played yet."""
    shutil.copytree(played.folder, tmp_path / "here", ignore=shutil.ignore_patterns("results", "cache"))
    return Place(tmp_path / "here")


def line(ended: Ended) -> str:
    """The one line that a failed run says."""
    assert ended.code == 1, ended
    (text,) = [text for text in ended.said.splitlines() if not text.startswith("Compiling ")]
    return text


def cache_in(folder: Path) -> str:
    """Set-up that has its cache in a folder."""
    return f"import os; os.environ['TOURNAMENT_CACHE'] = {str(folder)!r}\n"


@pytest.fixture(scope="module")
def cache(server: Forks, played: Place) -> Path:
    """A cache in which the compiled bots are."""
    folder = played.folder / "cache"
    folder.mkdir()
    (folder / "libraries").symlink_to(cache_folder() / "libraries")
    assert server.run(played.arguments(), cache_in(folder)).code == 0
    return folder


def own_cache(folder: Path, cache: Path, owner: int) -> str:
    """Set-up with a copy of the cache in a folder, all of which is made somebody's."""
    shutil.copytree(cache, folder / "cache", symlinks=True)
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, owner, owner, follow_symlinks=False)
    return cache_in(folder / "cache")


def reachable(folder: Path) -> Iterator[None]:
    """Let others pass through the folders that pytest keeps to itself."""
    closed = [path for path in folder.parents if path.stat().st_mode & 0o005 != 0o005 and path != Path("/")]
    before = [(path, path.stat().st_mode) for path in closed]
    for path in closed:
        path.chmod(0o755)
    yield
    for path, mode in before:
        path.chmod(mode)


@pytest.fixture
def open_place(place: Place) -> Iterator[Place]:
    for _ in reachable(place.folder):
        yield place


@needs_root
def test_a_user_without_root(server: Forks, cache: Path, open_place: Place, expected: Outcome) -> None:
    setup = own_cache(open_place.folder, cache, 65534)
    ended = server.run(open_place.arguments(), setup + AS_NOBODY)
    assert ended.code == 0, ended
    assert {path.stat().st_uid for path in open_place.results.rglob("*")} == {65534}
    assert_same(outcome(open_place.results), expected)
    # What is then somebody else's, he can read and not write.
    for path in open_place.results.rglob("*"):
        os.chown(path, 0, 0)
    ended = server.run(open_place.arguments(), setup + AS_NOBODY)
    assert re.search(
        rf"^tournament: (can't write to )?{open_place.results}[^\n]*: Permission denied$", ended.said, re.M
    )
    assert ended.code == 1
    assert server.run(["verify", "--results", str(open_place.results)], setup + AS_NOBODY).code == 3  # the seed


@needs_root
@pytest.mark.parametrize("what", ["results", "cache"])
def test_places_that_others_may_not_write(server: Forks, cache: Path, open_place: Place, what: str) -> None:
    setup = own_cache(open_place.folder, cache, 0 if what == "cache" else 65534)
    for path in (open_place.folder, open_place.config, open_place.entrants):
        path.chmod(0o755)
        os.chown(path, 0, 0)
    text = f"tournament: can't write to {open_place.results}: Permission denied"
    if what == "cache":
        os.chown(open_place.folder, 65534, 65534)
        text = f"tournament: can't (write to|read) the cache {open_place.folder}/cache/[^\n]+: Permission denied[^\n]*"
    assert re.fullmatch(text, line(server.run(open_place.arguments(), setup + AS_NOBODY)))


@pytest.mark.parametrize("variable", ["HOME", "XDG_CACHE_HOME", "TOURNAMENT_CACHE"])
def test_a_home_that_can_not_be_written(server: Forks, place: Place, variable: str) -> None:
    setup = (
        "import os; [os.environ.pop(name, None) for name in ('XDG_CACHE_HOME', 'TOURNAMENT_CACHE')];"
        f" os.environ[{variable!r}] = '/proc/nowhere'\n"
    )
    said = line(server.run(place.arguments(), setup))
    assert re.fullmatch(
        r"tournament: can't (write to|read) the cache /proc/nowhere/[^:]*: No such file or directory[^\n]*", said
    )
    assert not place.results.exists()


def test_results_that_become_read_only_during_a_run(server: Forks, place: Place, expected: Outcome) -> None:
    """As a file system does that has met an error: every call that would change something fails from now on."""
    setup = """
import errno, os
left = [25]
def closing(function, writes=lambda *arguments, **options: True):
    def call(*arguments, **options):
        if writes(*arguments, **options):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return function(*arguments, **options)
    return call
for name in ("mkdir", "link", "replace", "rename", "unlink"):
    setattr(os, name, closing(getattr(os, name)))
os.open = closing(os.open, lambda path, flags, *more, **options: flags & os.O_CREAT)
"""
    ended = server.run(place.arguments(), setup)
    assert line(ended) == f"tournament: can't write to {place.results}: Read-only file system"
    assert server.run(place.arguments()).code == 0
    assert_same(outcome(place.results), expected)


@pytest.mark.parametrize("umask", [0, 0o027, 0o077, 0o777])
def test_odd_umasks(server: Forks, place: Place, expected: Outcome, umask: int) -> None:
    """Files are as open as the user's umask says; the seed is his own whatever it says."""
    ended = server.run(place.arguments(), f"import os; os.umask({umask})\n")
    assert ended.code == 0, ended
    assert_same(outcome(place.results), expected)
    for seed in (place.results / "secret").iterdir():
        assert seed.stat().st_mode & 0o077 == 0
    (part,) = {path.stat().st_mode & 0o777 for path in (place.results / "games").iterdir()}
    assert part == 0o666 & ~umask


@needs_root
def test_no_shared_memory(server: Forks, place: Place, expected: Outcome) -> None:
    setup = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_PRIVATE_FOR_ALL, MS_RDONLY = 0x20000, (1 << 18) | (1 << 14), 1
if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_PRIVATE_FOR_ALL, None):
    os._exit(77)
if libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", MS_RDONLY, b"size=4k"):
    os._exit(77)
"""
    place.write_bot("even", "int a(const Bot *b) { return 1; } int b(const Bot *b, const int x) { return 0; }")
    (place.entrants / "tiny.py").write_text("def a(bot): return 10\ndef b(bot, bet): return 1\n")
    ended = server.run(place.arguments(), setup)
    if ended.code == 77:
        pytest.skip("mounts can't be changed here")
    assert ended.code == 0, ended
    assert len(outcome(place.results).matches) == 10


@pytest.mark.parametrize("megabytes", [1000, 3000])
def test_little_memory(server: Forks, place: Place, expected: Outcome, megabytes: int) -> None:
    """An address space that is too small ends the run with a reason; it is nobody's fault."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20, {megabytes} << 20))\n"
    ended = server.run(place.arguments(), limit)
    assert ended.code == 0 or line(ended).startswith("tournament: ")
    assert server.run(place.arguments()).code == 0
    assert_same(outcome(place.results), expected)


def test_a_mount_that_loses_the_answer_to_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked again, and answers that the file is there: it is ours, though, and not another writer's."""
    storage = FolderStorage(str(tmp_path))
    storage.prepare()
    link = os.link

    def ask_twice(*arguments: Any, **options: Any) -> None:
        link(*arguments, **options)
        link(*arguments, **options)

    monkeypatch.setattr(os, "link", ask_twice)
    storage.create("ledger/one", b"first")
    assert storage.read("ledger/one") == b"first"
    with pytest.raises(AlreadyExists):
        storage.create("ledger/one", b"second")
    assert storage.list("staging") == {}


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_file_system_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", fail)
    storage = FolderStorage(str(tmp_path))
    storage.prepare()
    storage.create("ledger/one", b"first")
    with pytest.raises(AlreadyExists):
        storage.create("ledger/one", b"second")
    assert storage.read("ledger/one") == b"first"
    assert storage.list("staging") == {}


def test_the_lock_of_another_machine_can_be_removed(tmp_path: Path) -> None:
    storage, other = FolderStorage(str(tmp_path)), FolderStorage(str(tmp_path))
    storage.prepare()
    storage.hold()
    lock = tmp_path / "ledger" / "writer"
    lock.write_text("process 7 on somewhere\n")
    with pytest.raises(RunFailed, match=rf"by process 7 on somewhere; .*; if that machine is gone, remove {lock}$"):
        other.hold()
    lock.unlink()
    other.hold()
    assert other.still_held() and not storage.still_held()
    other.release()
    storage.release()
    lock.write_text("process 7 on somewhere, which is dead\n")
    other.hold()  # nobody holds it
    other.release()


def test_a_ray_that_does_not_come_up_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that is too busy Ray gives up with a bare Exception."""

    def fail(*arguments: Any, **options: Any) -> None:
        raise Exception("The current node timed out during startup.\nMore of it")

    said: list[str] = []
    monkeypatch.setattr("ray.init", fail)
    with pytest.raises(
        BadInput, match=r"Ray can't be reached at this machine: The current node timed out during startup\. More of it$"
    ):
        choose_executor(General(executor="ray", workers=1), 0.0, 0.0, said.append)
    assert said[1:] == ["Ray did not start (The current node timed out during startup. More of it); trying once more…"]


def test_a_ray_that_comes_up_late_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    @contextlib.contextmanager
    def late(*arguments: Any, **options: Any) -> Iterator[None]:
        tries.append(1)
        if len(tries) < 2:
            raise RuntimeError("timed out")
        yield

    monkeypatch.setattr("tournament.runner.executors.ray_cluster.own_ray", late)
    assert choose_executor(General(executor="ray", workers=3), 0.0, 0.0, print).workers == 3


def test_without_a_system_that_says_who_may_use_what_all_processors_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: 5)
    assert choose_executor(General(executor="local"), 0.0, 0.0, print).workers == 5


def test_a_look_at_the_lock_keeps_no_run_from_starting(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `verify` looks, to say whether a run goes on; it has looked by the time that the run tries again."""
    place.play()
    with open(place.results / SIGN) as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        waits = SimpleNamespace(sleep=lambda _seconds: fcntl.flock(lock, fcntl.LOCK_UN))
        monkeypatch.setattr("tournament.store.folder_storage.time", waits)
        place.play()


def test_a_copy_that_a_kill_kept_from_being_made_is_not_announced(place: Place) -> None:
    place.play()
    copies = sorted((place.results / "ledger-copy").iterdir())
    copies[-1].unlink()
    listener = Listener()
    place.play(watcher=listener)
    assert not any("damaged" in text for text in listener.said)
    copies[0].unlink()
    place.play(watcher=listener)
    assert f"ledger-copy/{copies[0].name} was damaged or missing: it is back from its copy" in listener.said
