"""The cache: what is damaged is made again, and what the machine can't do is no bot's fault."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NoReturn

import pytest
import wasmtime

from tests.support import build_folder
from tournament.artifacts import archive, compiler_command, compiler_run, program_build
from tournament.cache import cache_folder, get_or_make, read_cached, write_cached
from tournament.errors import RunError
from tournament.sandbox.outside import probe, run_command
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.run_command import Finished
from tournament.worker.processes import programs

BOT = "int a(const Bot *bot) { return 20; }\nint b(const Bot *bot, const int bet) { return %d; }\n"
KILLED_CHILD = 256 - signal.SIGKILL


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Provide a cache for one test, with the compiler's libraries."""
    build_folder(_new(tmp_path / "warm"), {"warm.c": BOT % 1})
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "libraries").symlink_to(cache_folder() / "libraries")
    monkeypatch.setenv("TOURNAMENT_CACHE", str(folder))
    yield folder


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_cached_content_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "entry"
    assert read_cached(path) is None
    write_cached(path, b"content")
    assert read_cached(path) == b"content"
    assert get_or_make(path, lambda: b"other") == b"content"
    write_cached(path, b"")
    assert get_or_make(path, lambda: b"other") == b"" == read_cached(path)
    path.unlink()
    assert get_or_make(path, lambda: b"made") == b"made" == read_cached(path)
    assert [entry.name for entry in path.parent.iterdir()] == ["entry"]


def test_damaged_entry_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "entry"
    write_cached(path, b"content")
    whole = path.read_bytes()
    damaged = [whole[:length] for length in range(len(whole))]
    damaged += [
        whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :] for at in range(len(whole)) for bit in (0, 7)
    ]
    for content in damaged:
        path.write_bytes(content)
        assert read_cached(path) is None
    path.write_bytes(whole)
    path.rename(tmp_path / "other")
    assert read_cached(tmp_path / "other") is None  # The seal includes the name.


def test_full_disk_ends_the_run(own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"the disk of the cache .* is full"):
        build_folder(_new(tmp_path / "bots"), {"fine.c": BOT % 1})
    assert not [path for path in (own_cache / "bots").iterdir() if path.name.startswith(".aside")]


@pytest.mark.parametrize(
    "died",
    [
        Finished(KILLED_CHILD, b"", b"", False),
        Finished(-signal.SIGKILL, b"", b"", False),
        Finished(256 - signal.SIGABRT, b"", b"", False),
        Finished(1, b"", b"error: unable to write: No space left on device\n", False),
    ],
    ids=["killed", "killed at once", "its child killed", "full disk"],
)
def test_dying_compiler_ends_the_run(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, died: Finished
) -> None:
    monkeypatch.setattr(compiler_run, "_run_once", lambda *_: died)
    monkeypatch.setattr(compiler_run, "is_full", lambda _folder: died.status == 1)
    with pytest.raises(RunError, match="the compiler does not work on this machine"):
        build_folder(_new(tmp_path / "bots"), {"fine.c": BOT % 1})


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (256 - signal.SIGSEGV, "the compiler crashed"),
        (KILLED_CHILD, "is set aside in this run"),
        (256 - signal.SIGABRT, "is set aside in this run"),
    ],
)
def test_source_that_crashes_compiler_is_refused(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, words: str
) -> None:
    run = compiler_run._run_once

    def crash(commands: list[list[str]], folder: Path, *rest: Any) -> Finished:
        if (folder / "bot" / "fine.c").exists():
            return Finished(status, b"", b"", False)
        return run(commands, folder, *rest)

    monkeypatch.setattr(compiler_run, "_run_once", crash)
    problem = build_folder(_new(tmp_path / "bots"), {"fine.c": BOT % 1})["fine"].problem
    assert problem and problem.startswith("the compiler") and words in problem


@pytest.mark.parametrize(
    ("seen", "message"),
    [("/nowhere", None), (None, b"error: unable to open output file: No space left on device\n")],
    ids=["headers that can't be read", "full disk that has room again"],
)
def test_refusal_caused_by_machine_is_not_kept(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: str | None, message: bytes | None
) -> None:
    run = compiler_run._run_once

    def fail(commands: list[list[str]], folder: Path, *rest: Any) -> Finished:
        if message and (folder / "bot" / "fine.c").exists():
            return Finished(1, b"", message, False)
        return run(commands, folder, *rest)

    with monkeypatch.context() as broken:
        broken.setattr(compiler_run, "_run_once", fail)
        if seen:
            broken.setattr(compiler_command, "_SEEN_LIBRARY", seen)
        with pytest.raises(RunError, match="the compiler does not work") if seen else nullcontext():
            assert build_folder(_new(tmp_path / "bots"), {"fine.c": BOT % 1})["fine"].problem
    assert build_folder(_new(tmp_path / "again"), {"fine.c": BOT % 1})["fine"].problem is None


MODULE = bytes(
    wasmtime.wat2wasm("""(module (memory (export "memory") 1)
    (func (export "a") (param i32) (result i32) (i32.const 0))
    (func (export "b") (param i32) (result i32) (i32.const 0)))""")
)


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        (
            [Finished(-signal.SIGKILL, b"", b"", False)] * 2,
            "or this machine has too little memory (was killed by SIGKILL)",
        ),
        ([Finished(-signal.SIGKILL, b"", b"", True)] * 2, "this machine is too busy"),
        ([Finished(-signal.SIGKILL, b"", b"", False)], None),
        ([Finished(-signal.SIGABRT, b"", b"", False)], None),
    ],
    ids=["killed", "no time", "killed once", "short of memory once"],
)
def test_module_trial_ended_by_machine_blames_no_bot(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: list[Finished], says: str | None
) -> None:
    finish, left = run_command.finish, list(ends)
    # The first to run is the probe of the sandbox.
    probe.probe_sandbox("on")

    def finish_otherwise(process: Confined, *launch: Any, **more: Any) -> Finished:
        finished = finish(process, *launch, **more)
        return left.pop() if left else finished

    monkeypatch.setattr(run_command, "finish", finish_otherwise)
    problem = build_folder(_new(tmp_path / "bots"), {"fine.wasm": MODULE})["fine"].problem
    assert problem == says or (says and problem and says in problem and "set aside in this run" in problem)


BUILT = 'build = ["sh", "build.sh"]\ncommand = ["sh", "bot.sh"]\n'


@pytest.mark.parametrize(
    ("script", "times", "words"),
    [("kill -9 $$", 2, "ended with status 247"), ("while :; do :; done", 1, "took too long")],
    ids=["killed by the system", "cut off"],
)
def test_build_killed_by_system_is_repeated(
    own_cache: Path, tmp_path: Path, script: str, times: int, words: str
) -> None:
    bots = _new(tmp_path / "bots")
    folder = _new(bots / "dies")
    for name, text in {"bot.toml": BUILT, "build.sh": script, "bot.sh": "read line\n"}.items():
        (folder / name).write_text(text)
    built: list[object] = []
    build_once = program_build._build
    with pytest.MonkeyPatch.context() as patch:

        def counted(*orders: Any) -> bytes:
            if b"build.sh" in orders[0]:  # This isn't our own trial.
                built.append(orders)
            return build_once(*orders)

        patch.setattr(program_build, "_build", counted)
        patch.setattr(program_build, "_SECONDS", 1)
        problem = build_folder(bots, {})["dies"].problem
    assert len(built) == times and f"its build (sh build.sh) {words}" in (problem or "")


def test_changed_program_folder_is_unpacked_again(tmp_path: Path) -> None:
    bot = _new(tmp_path / "bot")
    (bot / "bot.toml").write_text('command = ["./run"]\n')
    (bot / "run").write_text("#!/bin/sh\n")
    (bot / "run").chmod(0o755)
    packed = archive.pack(bot)
    folder = programs.unpack_once(packed, tmp_path)

    def damage_by(change: Callable[[], object]) -> None:
        change()
        programs._checked_folders.clear()  # The next run starts so.
        assert programs.unpack_once(packed, tmp_path) == folder
        assert sorted(path.name for path in folder.iterdir()) == ["bot.toml", "run"]
        assert (folder / "run").read_text() == "#!/bin/sh\n" and os.access(folder / "run", os.X_OK)

    damage_by(lambda: (folder / "run").write_text("#!/bin/th\n"))
    damage_by(lambda: (folder / "run").write_text(""))
    damage_by((folder / "run").unlink)
    damage_by(lambda: (folder / "run").chmod(0o644))
    damage_by(lambda: (folder / "more").write_text("x"))
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_unreadable_cache_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> NoReturn:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    with pytest.raises(RunError, match=r"can't read the cache .*: Permission denied; name a folder of yours in TOURN"):
        read_cached(tmp_path / "note")


@pytest.mark.parametrize("below", ["", "bots"])
@pytest.mark.parametrize("state", ["somebody else's", "for all to write"])
def test_cache_writable_by_others_is_refused(
    below: str, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "cache"
    (folder / "bots").mkdir(parents=True)
    monkeypatch.setenv("TOURNAMENT_CACHE", str(folder))
    assert cache_folder() == folder
    place = folder / below
    if state == "for all to write":
        place.chmod(0o757)
        line = f"others can write to the cache {place}, and so change bots; .* chmod -R go-w {place}"
    else:
        _give_away(place, monkeypatch)
        line = f"the cache {place} belongs to .*, who could change bots; name a folder of yours in TOURNAMENT_CACHE"
    with pytest.raises(RunError, match=line):
        cache_folder()


def _give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a path to another user, or let the tournament run as another user if that is refused."""
    try:
        os.chown(path, 12345, -1)
    except PermissionError:
        mine = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
