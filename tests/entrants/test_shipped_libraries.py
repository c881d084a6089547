"""The compiler's libraries that a wheel brings: packed the same each time, unpacked once, never over what is there."""

from __future__ import annotations

import os
from pathlib import Path

from tournament.artifacts.shipped_libraries import pack, unpack_into


def test_unpacked_libraries_are_complete_private_and_not_repeated(tmp_path: Path) -> None:
    built = tmp_path / "built"
    for name in ("c-0123/libc.a", "c-0123/link.sealed", "runtime.sealed", "there/lib.a"):
        (built / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).write_text(name)
    archives = [tmp_path / f"{name}.tar.xz" for name in ("first", "second")]
    for archive in archives:
        pack([built / name for name in ("c-0123", "runtime.sealed", "there")], archive)
    assert archives[0].read_bytes() == archives[1].read_bytes()
    cache = tmp_path / "cache"
    (cache / "there").mkdir(parents=True, mode=0o755)
    before = os.umask(0o002)  # Groups may write to new files, as for plain users of some systems.
    try:
        unpack_into(cache, archives[0])
    finally:
        os.umask(before)
    assert (cache / "c-0123" / "libc.a").read_text() == "c-0123/libc.a"
    assert list((cache / "licences").rglob("LICENSE*")), "the libraries' licences come with them"
    assert not list((cache / "there").iterdir()), "what is there stays"
    assert not [path for path in cache.rglob("*") if path.stat().st_mode & 0o022 and path.parent != cache / "there"]
    (cache / "runtime.sealed").unlink()
    unpack_into(cache, archives[0])
    assert not (cache / "runtime.sealed").exists()
