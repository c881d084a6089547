"""The compiler's libraries that a wheel brings: packed the same each time, unpacked once, never over what is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tournament.artifacts.shipped_libraries import copy_built, pack, unpack_into


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Libraries as a machine has built them, packed."""
    built = tmp_path / "built"
    for name in ("c-0123/libc.a", "c-0123/link.sealed", "runtime.sealed", "made/o/leftover"):
        (built / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).write_text(name)
    pack(built, tmp_path / "first.tar.xz")
    pack(built, tmp_path / "second.tar.xz")
    assert (tmp_path / "first.tar.xz").read_bytes() == (tmp_path / "second.tar.xz").read_bytes()
    return tmp_path / "first.tar.xz"


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Groups may write to new files and folders, as for plain users of some systems."""
    before = os.umask(0o002)
    yield
    os.umask(before)


def test_copied_libraries_are_private(archive: Path, tmp_path: Path, open_umask: None) -> None:
    new = tmp_path / "new" / "libraries"
    copy_built([tmp_path / "built" / "c-0123", tmp_path / "built" / "c-none"], new)
    assert [path.name for path in new.iterdir()] == ["c-0123"]
    assert not [path for path in (new.parent, *new.parent.rglob("*")) if path.stat().st_mode & 0o022]


def test_unpacked_libraries_are_the_packed_ones_and_private(archive: Path, tmp_path: Path, open_umask: None) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o755)
    unpack_into(cache, archive)
    assert (cache / "c-0123" / "libc.a").read_text() == "c-0123/libc.a"
    assert (cache / "runtime.sealed").read_text() == "runtime.sealed"
    assert list((cache / "licences").rglob("LICENSE*")), "the libraries' licences come with them"
    assert not (cache / "made").exists(), "the compiler's own cache stays at home"
    assert not [path for path in cache.rglob("*") if path.stat().st_mode & 0o022]


def test_libraries_of_this_machine_are_kept_when_a_wheel_brings_others(archive: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / "c-0123").mkdir(parents=True)
    unpack_into(cache, archive)
    assert not list((cache / "c-0123").iterdir()) and (cache / "runtime.sealed").exists()


def test_removed_libraries_are_not_unpacked_twice(archive: Path, tmp_path: Path) -> None:
    """They were damaged, so they are built."""
    cache = tmp_path / "cache"
    cache.mkdir()
    unpack_into(cache, archive)
    (cache / "runtime.sealed").unlink()
    unpack_into(cache, archive)
    assert not (cache / "runtime.sealed").exists()


def test_package_without_libraries_unpacks_nothing(tmp_path: Path) -> None:
    unpack_into(tmp_path, tmp_path / "none.tar.xz")
    assert not list(tmp_path.iterdir())
