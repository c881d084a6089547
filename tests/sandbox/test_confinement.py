"""Machines that can't confine bots, and running confined commands."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

import tournament
from tests.commands import run_cli
from tests.contest_runs import environment
from tests.worker.support import SILENT_C, Source, ask, build, write_bot
from tournament.errors import InputError, RunError
from tournament.sandbox.inside import landlock
from tournament.sandbox.outside import confinement, fork_server, probe, run_command
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.launch import Build, LaunchSpec, Mode, ProcessLimits
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.sandbox.outside.tier import MEND

PYTHON = {"calm.py": "def a(bot): return 5\ndef b(bot, bet): return 1\n"}
BUILT = {"made": {"bot.toml": 'command = ["./bot"]\nbuild = ["cc", "-o", "bot", "bot.c"]'}}
POSSIBLE = (
    "a probe in the sandbox could read, write, empty a file, open a file for nothing, truncate, list processes,"
    " connect, signal its parent, signal the tournament, raise a limit"
)


@pytest.fixture
def untried() -> Iterator[None]:
    """Have the sandbox probed again, and forget the result afterwards."""
    for probed in (probe.probe_sandbox, probe.probe_builds):
        probed.cache_clear()
    yield
    for probed in (probe.probe_sandbox, probe.probe_builds):
        probed.cache_clear()


def no_landlock() -> int:
    raise OSError(errno.EOPNOTSUPP, "switched off")


def ends(status: int, errors: bytes = b"") -> Callable[[pytest.MonkeyPatch], None]:
    """Return a change by which whatever is run ends so."""

    def finish(process: Confined, *_: object) -> run_command.Finished:
        process.end()
        return run_command.Finished(status, b"", errors, False)

    return lambda patch: patch.setattr(run_command, "finish", finish)


def unconfined(module: ModuleType) -> Callable[[pytest.MonkeyPatch], None]:
    """Return a change by which a module starts everything without confinement."""
    return lambda patch: patch.setattr(module, "start", lambda launch, mode: confinement.start(launch, "off"))


@pytest.mark.parametrize(
    ("change", "bots", "problem"),
    [
        (
            lambda patch: patch.setattr(landlock, "version", no_landlock),
            PYTHON,
            "bots can't be confined: there is no Landlock here (switched off); it needs Linux 5.13 or newer, as Debian "
            "12 and Ubuntu 22.04 have it, landlock in the boot option lsm=, and a container that allows it",
        ),
        (unconfined(fork_server), PYTHON, f"bots can't be confined: {POSSIBLE}, pair, fork, execute"),
        (unconfined(run_command), BUILT, f"builds can't be confined: {POSSIBLE}"),
        (
            ends(119, b"can't be confined: the kernel takes no filter\n"),
            PYTHON,
            "bots can't be confined: the kernel takes no filter",
        ),
        (ends(-31), PYTHON, "bots can't be confined: the probe was killed by SIGSYS"),
    ],
    ids=["no Landlock", "bots reach out", "builds reach out", "no filter", "silent"],
)
def test_unconfined_machine_plays_nothing(
    change: Callable[[pytest.MonkeyPatch], None],
    bots: Mapping[str, Source],
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    untried: None,
) -> None:
    change(monkeypatch)
    with pytest.raises(InputError) as caught:
        build(bots)
    assert str(caught.value) == f"{problem}; {MEND}"


def test_killed_probe_does_not_blame_the_sandbox(monkeypatch: pytest.MonkeyPatch, untried: None) -> None:
    ends(-signal.SIGKILL)(monkeypatch)
    with pytest.raises(RunError, match=r"killed from outside, .* free some memory"):
        probe.probe_sandbox("on")


# Refuses some system calls with EPERM, for good and for all that it starts, as a container runtime's filter does.
CONTAINER = """
import ctypes, struct
from tournament.errors import InputError
from tournament.sandbox.outside.probe import probe_sandbox

refusals = [code for number in NUMBERS for code in ((0x15, 0, 1, number), (0x06, 0, 0, 0x00050001))]
instructions = [(0x20, 0, 0, 0), *refusals, (0x06, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in instructions))
program = struct.pack("HxxxxxxP", len(instructions), ctypes.addressof(code))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
try:
    print(probe_sandbox("on"))
except InputError as problem:
    print(problem)
"""


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        ([444], "bots can't be confined: there is no Landlock here (Operation not permitted); "),
        ([272, 438], "Landlock "),  # unshare and pidfd_getfd, which Docker's profile refuses
    ],
)
def test_container_suffices_if_it_allows_landlock(calls: list[int], said: str) -> None:
    code = CONTAINER.replace("NUMBERS", str(calls))
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert done.stdout.startswith(said), done


def test_sandbox_off_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, untried: None) -> None:
    monkeypatch.setattr(landlock, "version", no_landlock)
    (tmp_path / "bots").mkdir()
    write_bot(tmp_path / "bots" / "calm.py", PYTHON["calm.py"])
    write_bot(tmp_path / "bots" / "silent.c", SILENT_C)
    config = tmp_path / "tournament.toml"
    text = '[von_neumann_poker]\nentrants = "bots"\nsessions = 3\n'
    config.write_text(text)
    assert run_cli("run", "--config", str(config), "--executor", "local").code == 2
    assert not list(tmp_path.rglob("*.parquet"))
    config.write_text(f'sandbox = "off"\n{text}')
    results = tournament.run("von_neumann_poker", config=config, executor="local", workers=1)
    assert {line.status for line in results.ranking.entrants} == {"ok"}
    assert {batch.sandbox for batch in results.batches} == {"off"}


def test_unconfined_bots_have_limits() -> None:
    source = "x = 0\ndef a(bot):\n    global x\n    x = bytearray(1 << 30)\n    return 1\ndef b(bot, bet): return 1\n"
    answered = ask(source, sandbox=SandboxSettings(mode="off"))
    assert answered.what == ["ran out of memory (64 MB; raise memory_megabytes)"]


def test_ended_process_leaves_no_descriptor() -> None:
    before = len(os.listdir("/proc/self/fd"))
    command, limits = Build([["/bin/sh", "-c", "exit 5"]]), ProcessLimits(256, 10, processes=64)
    modes: list[Mode] = ["on", "off"]
    for mode in modes:
        process = confinement.start(LaunchSpec(command, limits, readable=["/bin"]), mode)
        assert process.ended_by_itself(10) == 5 == process.end()
    assert len(os.listdir("/proc/self/fd")) <= before
