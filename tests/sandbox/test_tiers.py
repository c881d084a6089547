"""Attempts of builds to reach out, and machines without Landlock."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

from tournament.sandbox.inside import landlock
from tournament.sandbox.outside import run_command
from tournament.sandbox.outside.launch import Build, LaunchSpec, limits_of_build
from tournament.sandbox.outside.readable_paths import interpreter

# Each gives the number of the error with which it is refused, 0 if it isn't.
TRIES = """
import ctypes, json, os, socket, sys, time
told = json.loads({told!r})
libc = ctypes.CDLL(None, use_errno=True)
def call(*values):
    if libc.syscall(*values) < 0:
        raise OSError(ctypes.get_errno(), "")
def child_that(ends):
    child = os.fork()
    if not child:
        ends()
        os._exit(0)
    return child
def ends_of(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
def killed_child(number):
    child, status = child_that(lambda: time.sleep(1)), 0
    try:
        os.kill(child, number)
        status = -number
    finally:
        assert ends_of(child) == status
def pair():
    one, other = socket.socketpair()
    os.write(one.fileno(), b"x")
    assert other.recv(2) == b"x"
outside, file, folder = told["outside"], told["file"], told["folder"]
tries = {tries}
found = {{}}
for name, attempt in tries.items():
    try:
        attempt()
        found[name] = 0
    except OSError as problem:
        found[name] = problem.errno
print(json.dumps(found), flush=True)
"""
OPENS = {
    "read": "lambda: os.open(outside, os.O_RDONLY)",
    "write": "lambda: os.open(outside, os.O_WRONLY)",
    "neither read nor write": "lambda: os.open(outside, 3)",
    "empty": "lambda: os.open(outside, os.O_RDONLY | os.O_TRUNC)",
    "empty for neither": "lambda: os.open(outside, 3 | os.O_TRUNC)",
    "truncate": "lambda: os.truncate(outside, 0)",
    "empty by an older call": "lambda: call(85, outside.encode(), 0o600)",
    "connect": "lambda: socket.socket()",
    "connect on this machine": "lambda: socket.socket(socket.AF_UNIX)",
    "read past the memory of files": "lambda: os.open(file, os.O_RDONLY | os.O_DIRECT)",
    "read past it later on": "lambda: __import__('fcntl').fcntl(os.open(file, 0), 4, os.O_DIRECT)",
    "signal the tournament": "lambda: os.kill(told['tournament'], 0)",
    "signal a thread of it": "lambda: call(234, told['tournament'], told['tournament'], 0)",
    "signal its parent": "lambda: os.kill(os.getppid(), 15)",
    "signal a group": "lambda: os.kill(0, 0)",
    "signal all": "lambda: os.kill(-1, 0)",
}
# Landlock 6, of Linux 6.12, keeps signals within a build. Before, a build sends none.
SIGNALS = {
    "end a child": "lambda: killed_child(15)",
    "kill a child": "lambda: killed_child(9)",
    "signal itself": "lambda: os.kill(os.getpid(), 0)",
}
# What a build needs, and may do within its folder.
NEEDED = {
    "write there": "lambda: os.open(folder + '/made', os.O_RDWR | os.O_CREAT | os.O_TRUNC)",
    "empty there": "lambda: os.truncate(os.open(folder + '/made', os.O_WRONLY), 0)",
    "receive from itself": "lambda: pair()",
    "rename": "lambda: os.rename(folder + '/made', folder + '/renamed')",
}
MOVES = {"move to another folder": "lambda: os.rename(folder + '/renamed', folder + '/inner/moved')"}


def tried_by_a_build(folder: Path, tries: dict[str, str]) -> dict[str, int]:
    outside, inner = folder / "outside", folder / "within/inner"
    outside.write_text("somebody's")
    inner.mkdir(parents=True)
    (folder / "within/file").write_text("its own")
    told = json.dumps(
        {
            "outside": str(outside),
            "folder": str(folder / "within"),
            "file": str(folder / "within/file"),
            "tournament": os.getpid(),
        }
    )
    code = TRIES.format(told=told, tries="{" + ", ".join(f"{name!r}: {text}" for name, text in tries.items()) + "}")
    build = Build([[interpreter(), "-S", "-c", code]], {"PATH": "/usr/bin:/bin"}, [str(folder / "within")])
    done = run_command.run(LaunchSpec(build, limits_of_build(600), folder / "within"), "on", 600.0)
    assert (done.status, done.errors) == (0, b""), done
    assert outside.read_text() == "somebody's"
    return dict(json.loads(done.output))


def test_build_reaches_nothing_outside(tmp_path: Path) -> None:
    found = tried_by_a_build(tmp_path, {**OPENS, **NEEDED, **MOVES, **SIGNALS})
    assert {name for name in OPENS if not found[name]} == set()
    assert {name: found[name] for name in NEEDED} == dict.fromkeys(NEEDED, 0)
    version = landlock.version()
    assert found["move to another folder"] == (errno.EXDEV if version == 1 else 0)
    assert {found[name] for name in SIGNALS} == {0 if version >= landlock.SIGNALS_SINCE else errno.EPERM}


def test_build_kills_no_process_of_others(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        found = tried_by_a_build(tmp_path, {"kill another": f"lambda: os.kill({other.pid}, 9)"})
        assert found == {"kill another": errno.EPERM}
        assert other.poll() is None
        other.communicate(b"")
