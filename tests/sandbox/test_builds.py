"""Limits that the processes of a build share, and its attempts to reach out, on old kernels too."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from tests.processes import descendants, wait_until
from tournament.sandbox.inside import landlock
from tournament.sandbox.outside import run_command
from tournament.sandbox.outside.launch import Build, LaunchSpec, ProcessLimits, limits_of_build
from tournament.sandbox.outside.readable_paths import interpreter

FORKS = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass\n"
# They live at the same time, so that a look sees them all.
FEW = """
import os, time
for _ in range(63):
    if not os.fork():
        time.sleep(3)
        os._exit(0)
print("started", flush=True)
while True:
    try: os.wait()
    except ChildProcessError: break
"""
THREADS = """
import threading, time
threading.stack_size(64 << 10)
while True:
    try: threading.Thread(target=time.sleep, args=(60,)).start()
    except RuntimeError: time.sleep(0.01)
"""
# The memory stays when the first thread has ended.
HOARDS = """
import ctypes, os, threading, time
for _ in range(2): os.fork()
def hoard():
    kept = b"x" * (250 << 20)
    time.sleep(60)
threading.Thread(target=hoard).start()
ctypes.CDLL(None).syscall(60, 0)
"""


def built(source: str, megabytes: int = 4096) -> run_command.Finished:
    build = Build([[interpreter(), "-S", "-c", source]], {"PATH": "/usr/bin:/bin"})
    return run_command.run(LaunchSpec(build, ProcessLimits(megabytes, 60, open_files=1024, processes=64)), "on", 60.0)


@pytest.mark.parametrize("source", [FORKS, FEW.replace("63", "80"), THREADS], ids=["bomb", "processes", "threads"])
def test_bomb_in_build_leaves_nothing(source: str) -> None:
    before = set(descendants(os.getpid()))
    assert built(source).in_words == "took more than 64 processes or 1,024 threads"
    assert wait_until(lambda: set(descendants(os.getpid())) <= before)


def test_build_with_too_much_memory_is_stopped() -> None:
    assert built(HOARDS, megabytes=400).in_words == "took more than 800 MB of memory"


def test_build_may_take_what_limits_allow() -> None:
    """Memory that 64 processes share counts once: that of all would be 6,400 MB."""
    done = built("x = bytearray(b'x') * (100 << 20)\n" + FEW, megabytes=400)
    assert (done.status, done.output, done.excess) == (0, b"started\n", "")


# Prints the errors by which attempts are refused, 0 for those that succeed.
TRIES = """
import ctypes, json, os, socket, time
libc = ctypes.CDLL(None, use_errno=True)
def call(*values):
    if libc.syscall(*values) < 0:
        raise OSError(ctypes.get_errno(), "")
def end_child(number):
    child = os.fork()
    if not child:
        time.sleep(1)
        os._exit(0)
    try:
        os.kill(child, number)
    finally:
        os.waitpid(child, 0)
outside, folder, tournament = {told!r}
file = folder + "/file"
found = {{}}
for name in {tries!r}:
    try:
        eval(name)
        found[name] = 0
    except OSError as problem:
        found[name] = problem.errno
print(json.dumps(found), flush=True)
"""
REFUSED = """os.open(outside, os.O_RDONLY)
os.open(outside, os.O_WRONLY)
os.open(outside, 3)
os.open(outside, os.O_RDONLY | os.O_TRUNC)
os.open(outside, 3 | os.O_TRUNC)
os.truncate(outside, 0)
call(85, outside.encode(), 0o600)
socket.socket()
socket.socket(socket.AF_UNIX)
os.open(file, os.O_RDONLY | os.O_DIRECT)
__import__('fcntl').fcntl(os.open(file, 0), 4, os.O_DIRECT)
os.kill(tournament, 0)
call(234, tournament, tournament, 0)
os.kill(os.getppid(), 15)
os.kill(0, 0)
os.kill(-1, 0)
os.setsid()
os.setpgid(0, 0)
os.setpgid(os.getpid(), os.getppid())""".splitlines()
# What a build may do within its folder.
NEEDED = """os.open(folder + '/made', os.O_RDWR | os.O_CREAT | os.O_TRUNC)
os.truncate(os.open(folder + '/made', os.O_WRONLY), 0)
[os.write(one.fileno(), b'x') for one in socket.socketpair()]
os.rename(folder + '/made', folder + '/renamed')""".splitlines()
# From Landlock 6, signals stay within a build. Before, a build sends none.
SIGNALS = ["end_child(15)", "end_child(9)", "os.kill(os.getpid(), 0)"]


@pytest.mark.parametrize("version", [1, landlock.version()])
def test_build_reaches_nothing_outside(version: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: version)
    (tmp_path / "outside").write_text("somebody's")
    folder = tmp_path / "within"
    folder.mkdir()
    (folder / "file").write_text("its own")
    told = (str(tmp_path / "outside"), str(folder), os.getpid())
    code = TRIES.format(told=told, tries=[*REFUSED, *NEEDED, *SIGNALS])
    build = Build([[interpreter(), "-S", "-c", code]], {"PATH": "/usr/bin:/bin"}, [str(folder)])
    done = run_command.run(LaunchSpec(build, limits_of_build(600), folder), "on", 600.0)
    assert (done.status, done.errors) == (0, b""), done
    found = json.loads(done.output)
    assert [name for name in REFUSED if not found[name]] == [] and [name for name in NEEDED if found[name]] == []
    assert {found[name] for name in SIGNALS} == {0 if version >= landlock.SIGNALS_SINCE else errno.EPERM}
    assert (tmp_path / "outside").read_text() == "somebody's"
