"""A small disk for tests, which nothing else fills: a file system in memory."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Path]:
    """Mount a disk of this size at a new folder."""
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,nr_inodes=50k,mode=700", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("needs a small disk, and there is no mount here")
    if mounted.returncode:
        pytest.skip(f"needs a small disk, which this user can't mount: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)
