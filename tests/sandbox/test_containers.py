"""Containers whose own filter is stricter than confinement needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.contest_runs import environment

# Refuses some system calls with EPERM, for good and for all that it starts, as a container runtime's filter does.
REFUSED = """
import ctypes, struct, sys
from tournament.errors import InputError
from tests.sandbox.test_fork_server import python_bot
from tournament.sandbox.outside.probe import probe_sandbox

attempt, numbers = {"probe": lambda: probe_sandbox("on"), "bot": python_bot}[sys.argv[1]], map(int, sys.argv[2:])
refusals = [code for number in numbers for code in ((0x15, 0, 1, number), (0x06, 0, 0, 0x00050001))]
instructions = [(0x20, 0, 0, 0), *refusals, (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in instructions))
program = struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(code))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
assert libc.prctl(22, 2, program, 0, 0) == 0  # PR_SET_SECCOMP, by a filter
try:
    print(attempt())
except InputError as problem:
    print(problem)
"""
LANDLOCK_CREATE_RULESET, UNSHARE, PIDFD_GETFD = 444, 272, 438
NO_LANDLOCK = "bots can't be confined: there is no Landlock here (Operation not permitted); "


def said(script: str, *arguments: object) -> str:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    return done.stdout or done.stderr


@pytest.mark.parametrize("attempt", ["probe", "bot"])  # a check starts a bot before it probes
def test_container_without_landlock_is_named(attempt: str) -> None:
    assert said(REFUSED, attempt, LANDLOCK_CREATE_RULESET).startswith(NO_LANDLOCK)


def test_container_with_dockers_profile_suffices() -> None:
    """Docker's profile refuses both calls."""
    assert said(REFUSED, "probe", UNSHARE, PIDFD_GETFD).startswith("Landlock ")
