"""Builds that fill the disk, by files with names and without: each is stopped at its limit, and leaves nothing."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.processes import wait_until
from tests.small_disk import small_disk
from tournament.sandbox.outside import run_command, scratch
from tournament.sandbox.outside.launch import Build, LaunchSpec, limits_of_build
from tournament.sandbox.outside.readable_paths import interpreter, python_paths

MEGABYTE = 1 << 20
# Each writes a megabyte again and again, slowly, so that no second of it fills the disk.
START = "import os, time, mmap\nchunk = os.urandom(1 << 20)\n"
FILLS = {
    "by an open file without a name": START
    + "f = open('f', 'wb')\nos.unlink('f')\nfor n in range(300):\n    f.write(chunk)\n    time.sleep(0.01)\n",
    "by a mapped file": START + "f = os.open('f', os.O_CREAT | os.O_RDWR)\nos.unlink('f')\nos.ftruncate(f, 300 << 20)\n"
    "m = mmap.mmap(f, 300 << 20)\nos.close(f)\n"
    "for n in range(300):\n    m[n << 20 : n + 1 << 20] = chunk\n    time.sleep(0.01)\n",
}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 400) as place:
        yield place


def built(folder: Path, source: str, *, disk: int = 100, free: int = 10) -> run_command.Finished:
    """Run a build in a folder. Limit the megabytes of disk that it can take, and that it must leave."""
    build = Build([[interpreter(), "-S", "-c", source]], {"PATH": "/usr/bin:/bin"}, [str(folder)])
    limits = replace(limits_of_build(60), disk_megabytes=disk, free_megabytes=free)
    return run_command.run(LaunchSpec(build, limits, folder, python_paths()), "on", 60)


@pytest.mark.parametrize("how", FILLS)
def test_build_that_fills_disk_leaves_nothing(how: str, disk: Path) -> None:
    before, _ = scratch.free_space(disk)
    lowest = [before]
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.01):
            lowest.append(scratch.free_space(disk)[0])

    looking = threading.Thread(target=look)
    looking.start()
    try:
        with scratch.scratch_folder(disk) as folder:
            assert built(folder, FILLS[how] + "time.sleep(50)").in_words == "took more than 100 MB of disk"
    finally:
        done.set()
        looking.join()
    assert 100 <= (before - min(lowest)) / MEGABYTE < 250
    assert wait_until(lambda: before - scratch.free_space(disk)[0] < MEGABYTE, 5)
    with scratch.scratch_folder(disk) as folder:  # leaves as much free as it must
        assert re.match("took more than 1.. MB", built(folder, FILLS[how], disk=4096, free=250).in_words)


def test_build_cannot_reserve_or_write_gigabytes(disk: Path) -> None:
    source = (
        "import ctypes, errno, os, signal\nf = os.open('f', os.O_CREAT | os.O_RDWR)\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "assert libc.fallocate(f, 0, 0, 99) == -1 and ctypes.get_errno() == errno.EOPNOTSUPP\n"
        "os.posix_fallocate(f, 0, 5000)\nassert os.fstat(f).st_size == 5000\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nos.ftruncate(f, 1 << 30)\n"
        "try:\n    os.ftruncate(f, (1 << 30) + 1)\nexcept OSError as why:\n    assert why.errno == errno.EFBIG\n"
        "else:\n    os._exit(3)\n"
    )
    with scratch.scratch_folder(disk) as folder:
        assert built(folder, source).status == 0


def test_too_many_files_stop_build(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "MAX_FILES", 5000)
    source = "import os, time\nfor n in range(9000):\n    os.close(os.open(str(n), os.O_CREAT))\ntime.sleep(50)"
    with scratch.scratch_folder(disk) as folder:
        assert built(folder, source).in_words == "took more than 5,000 files"
