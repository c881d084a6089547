"""The cache: what is damaged is made again, and what the machine can't do is no bot's fault."""

from __future__ import annotations

import errno
import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.support import build_folder
from tournament.artifacts import archive, compiler_run
from tournament.cache import cache_folder, read_cached, write_cached
from tournament.errors import RunError
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


def test_damaged_entry_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "entry"
    write_cached(path, b"content")
    assert read_cached(path) == b"content"
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
    ("status", "everywhere", "words"),
    [
        # The compiler fails with our own source, too, so the machine is at fault.
        (KILLED_CHILD, True, "the compiler does not work on this machine"),
        (256 - signal.SIGSEGV, False, "the compiler crashed"),
        (KILLED_CHILD, False, "(?s)the compiler .* is set aside in this run"),
    ],
)
def test_dying_compiler_blames_source_or_machine(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, everywhere: bool, words: str
) -> None:
    run = compiler_run._run_once

    def crash(commands: list[list[str]], folder: Path, *rest: Any) -> Finished:
        dies = everywhere or (folder / "bot" / "fine.c").exists()
        return Finished(status, b"", b"", False) if dies else run(commands, folder, *rest)

    monkeypatch.setattr(compiler_run, "_run_once", crash)
    with pytest.raises(RunError, match=words) if everywhere else nullcontext():
        assert re.match(words, build_folder(_new(tmp_path / "bots"), {"fine.c": BOT % 1})["fine"].problem or "")


def test_refusal_caused_by_full_disk_is_not_kept(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = compiler_run._run_once

    def fail(commands: list[list[str]], folder: Path, *rest: Any) -> Finished:
        if (folder / "bot" / "fine.c").exists():
            return Finished(1, b"", b"error: unable to open output file: No space left on device\n", False)
        return run(commands, folder, *rest)

    with monkeypatch.context() as broken:
        broken.setattr(compiler_run, "_run_once", fail)
        assert build_folder(_new(tmp_path / "bots"), {"fine.c": BOT % 1})["fine"].problem
    assert build_folder(_new(tmp_path / "again"), {"fine.c": BOT % 1})["fine"].problem is None


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
    damage_by((folder / "run").unlink)
    damage_by(lambda: (folder / "run").chmod(0o644))
    damage_by(lambda: (folder / "more").write_text("x"))
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


@pytest.mark.parametrize("below", ["", "bots"])
def test_cache_writable_by_others_is_refused(below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    (folder / "bots").mkdir(parents=True)
    monkeypatch.setenv("TOURNAMENT_CACHE", str(folder))
    assert cache_folder() == folder
    (folder / below).chmod(0o757)
    with pytest.raises(RunError, match=f"others can write to the cache .*: chmod -R go-w {folder / below}"):
        cache_folder()
    (folder / below).chmod(0o755)
    if mine := os.geteuid():
        monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    else:
        os.chown(folder / below, 12345, -1)
    line = "the cache .* belongs to .*, who could change bots; name a folder of yours in TOURNAMENT_CACHE"
    with pytest.raises(RunError, match=line):
        cache_folder()
