"""The compiler's libraries that a wheel brings: packed the same each time, unpacked once, never over what is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tournament.artifacts.shipped_libraries import pack, unpack_into


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Libraries as a machine has built them, packed."""
    built = tmp_path / "built"
    for name in ("c-0123/libc.a", "c-0123/link.sealed", "runtime.sealed"):
        (built / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).write_text(name)
    for name in ("first", "second"):
        pack([built / "c-0123", built / "runtime.sealed"], tmp_path / f"{name}.tar.xz")
    assert (tmp_path / "first.tar.xz").read_bytes() == (tmp_path / "second.tar.xz").read_bytes()
    return tmp_path / "first.tar.xz"


@pytest.fixture
def open_umask() -> Iterator[None]:
    """Groups may write to new files and folders, as for plain users of some systems."""
    before = os.umask(0o002)
    yield
    os.umask(before)


def test_unpacked_libraries_are_complete_and_private(archive: Path, tmp_path: Path, open_umask: None) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o755)
    unpack_into(cache, archive)
    assert (cache / "c-0123" / "libc.a").read_text() == "c-0123/libc.a"
    assert (cache / "runtime.sealed").read_text() == "runtime.sealed"
    assert list((cache / "licences").rglob("LICENSE*")), "the libraries' licences come with them"
    assert not [path for path in cache.rglob("*") if path.stat().st_mode & 0o022]


def test_wheel_replaces_no_existing_library(archive: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (cache / "c-0123").mkdir(parents=True)
    unpack_into(cache, archive)
    assert not list((cache / "c-0123").iterdir()) and (cache / "runtime.sealed").exists()


def test_removed_libraries_are_not_unpacked_twice(archive: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    unpack_into(cache, archive)
    (cache / "runtime.sealed").unlink()
    unpack_into(cache, archive)
    assert not (cache / "runtime.sealed").exists()
