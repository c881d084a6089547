"""Machines that can't confine bots, and running confined commands."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import tournament
from tests.worker.support import SILENT_C, ask, build, write_bot
from tournament.cli.commands import main
from tournament.errors import InputError, RunError
from tournament.sandbox.inside import landlock
from tournament.sandbox.outside import confinement, fork_server, probe, run_command
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.exit_status import Ending
from tournament.sandbox.outside.launch import Build, LaunchSpec, ProcessLimits
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.sandbox.outside.tier import MEND

PYTHON = {"calm.py": "def a(bot): return 5\ndef b(bot, bet): return 1\n"}


@pytest.fixture
def untried() -> Iterator[None]:
    """Have the sandbox probed again, and forget the result afterwards."""
    probe.probe_sandbox.cache_clear()
    yield
    probe.probe_sandbox.cache_clear()


def no_landlock() -> int:
    raise OSError(errno.EOPNOTSUPP, "switched off")


def switched_off(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(landlock, "version", no_landlock)
    return (
        "there is no Landlock here (switched off); it needs Linux 5.13 or newer, as Debian 12 and Ubuntu 22.04 have it,"
        " landlock in the boot option lsm=, and a container that allows it"
    )


def leaky(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(fork_server, "start", lambda launch, mode: confinement.start(launch, "off"))
    return (
        "a probe in the sandbox could read, write, empty a file, open a file for nothing, truncate, list processes,"
        " connect, signal its parent, signal the tournament, raise a limit, pair, fork, execute"
    )


def ends(monkeypatch: pytest.MonkeyPatch, how: run_command.Finished) -> None:
    """Have whatever is run end so."""

    def finish(process: Confined, *_: object) -> run_command.Finished:
        process.end()
        return how

    monkeypatch.setattr(run_command, "finish", finish)


def unfiltered(monkeypatch: pytest.MonkeyPatch) -> str:
    ends(monkeypatch, run_command.Finished(119, b"", b"can't be confined: the kernel takes no filter\n", False))
    return "the kernel takes no filter"


def silent(monkeypatch: pytest.MonkeyPatch) -> str:
    ends(monkeypatch, run_command.Finished(-31, b"", b"", False))
    return "the probe was killed by SIGSYS"


REFUSALS = [switched_off, leaky, unfiltered, silent]


@pytest.mark.parametrize("how", REFUSALS, ids=lambda how: how.__name__)
def test_unconfined_machine_plays_nothing(how: object, monkeypatch: pytest.MonkeyPatch, untried: None) -> None:
    assert callable(how)
    reason = how(monkeypatch)
    with pytest.raises(InputError) as caught:
        build(PYTHON)
    assert str(caught.value) == f"bots can't be confined: {reason}; {MEND}"


def test_killed_probe_does_not_blame_the_sandbox(monkeypatch: pytest.MonkeyPatch, untried: None) -> None:
    ends(monkeypatch, run_command.Finished(-signal.SIGKILL, b"", b"", False))
    with pytest.raises(RunError, match=r"killed from outside, .* free some memory"):
        probe.probe_sandbox("on")


def test_unconfined_compiler_is_not_called_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    probe.probe_builds("on")
    how = run_command.Finished(119, b"", b"can't be confined: the kernel makes no Landlock domain\n", False)
    run = run_command.run
    monkeypatch.setattr(
        run_command, "run", lambda launch, mode, *more: how if mode == "on" else run(launch, mode, *more)
    )
    with pytest.raises(InputError) as caught:
        build({"fresh.c": f"{SILENT_C}// {time.time_ns()}"})
    assert str(caught.value) == f"compilers can't be confined: the kernel makes no Landlock domain; {MEND}"


def test_unconfined_build_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    probe.probe_builds.cache_clear()
    monkeypatch.setattr(run_command, "start", lambda launch, mode: confinement.start(launch, "off"))
    with pytest.raises(InputError) as caught:
        build({"made": {"bot.toml": 'command = ["./bot"]\nbuild = ["cc", "-o", "bot", "bot.c"]'}})
    assert str(caught.value) == (
        "builds can't be confined: a probe in the sandbox could read, write, empty a file, open a file for nothing,"
        f" truncate, list processes, connect, signal its parent, signal the tournament, raise a limit; {MEND}"
    )


def test_sandbox_off_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, untried: None) -> None:
    monkeypatch.setattr(landlock, "version", no_landlock)
    (tmp_path / "bots").mkdir()
    write_bot(tmp_path / "bots" / "calm.py", PYTHON["calm.py"])
    write_bot(tmp_path / "bots" / "silent.c", SILENT_C)
    config = tmp_path / "tournament.toml"
    text = '[von_neumann_poker]\nentrants = "bots"\nsessions = 3\n'
    config.write_text(text)
    monkeypatch.setattr(sys, "argv", ["tournament", "run", "--config", str(config), "--executor", "local"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert not (tmp_path / "results").exists() or not list((tmp_path / "results").rglob("*.parquet"))
    config.write_text(f'sandbox = "off"\n{text}')
    results = tournament.run("von_neumann_poker", config=config, executor="local", workers=1)
    assert {line.status for line in results.ranking.entrants} == {"ok"}
    assert {batch.sandbox for batch in results.batches} == {"off"}


def test_unconfined_bots_have_limits() -> None:
    source = "x = 0\ndef a(bot):\n    global x\n    x = bytearray(1 << 30)\n    return 1\ndef b(bot, bet): return 1\n"
    answered = ask(source, sandbox=SandboxSettings(mode="off"))
    assert answered.what == ["ran out of memory (64 MB; raise memory_megabytes)"]


# What 300 MB are to a process that may have 64: pages of a file, pages that ten processes share, or its own.
_MAPS = "import mmap; x = mmap.mmap(os.open({file!r}, os.O_RDONLY), 0, prot=mmap.PROT_READ); sum(x[::4096])"
_SHARES = """x = bytearray(b'x') * (300 << 20)
for _ in range(9):
    if not os.fork():
        sys.stdin.read()
        os._exit(0)"""
_HOARDS = "x = bytearray(b'x') * (300 << 20)"


@pytest.mark.parametrize(("takes", "is_too_much"), [(_MAPS, False), (_SHARES, False), (_HOARDS, True)])
def test_own_memory_excludes_files_and_shared_pages(takes: str, is_too_much: bool, tmp_path: Path) -> None:
    with open(tmp_path / "file", "wb") as file:
        file.truncate(300 << 20)
    code = f"import os, sys\n{takes.format(file=str(tmp_path / 'file'))}\nprint('done', flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout and process.stdout.readline() == b"done\n"
        confined = Confined(Running(process.pid), ProcessLimits(64, 10), -1, -1, -1)
        assert confined.has_taken_too_much() is is_too_much


@dataclass
class Running:
    """A process that somebody else ends."""

    pid: int

    def end(self) -> Ending:
        return Ending(0)


def test_an_ended_process_leaves_no_descriptor() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for mode in ("on", "off"):
        for _ in range(3):
            process = confinement.start(
                LaunchSpec(
                    Build([["/bin/sh", "-c", "exit 5"]]), ProcessLimits(256, 10, processes=64), readable=["/bin"]
                ),
                mode,
            )
            assert process.ended_by_itself(10) == 5
            assert process.end() == 5
            assert process.has_ended()
    assert len(os.listdir("/proc/self/fd")) <= before
