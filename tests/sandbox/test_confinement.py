"""Where bots can't be confined nothing plays, unless the organiser says so; and what [sandbox] may say."""

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
from typing import Any

import pytest

import tournament
from tests.worker.support import SILENT_C, ask, build, write_bot
from tournament.cli.commands import main
from tournament.errors import InputError, RunError
from tournament.sandbox.inside import landlock
from tournament.sandbox.outside import confinement, fork_server, probe, run_command
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.exit_status import Ending
from tournament.sandbox.outside.launch import Build, LaunchSpec, ProcessLimits, Program
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.sandbox.outside.tier import MEND

PYTHON = {"calm.py": "def a(bot): return 5\ndef b(bot, bet): return 1\n"}


@pytest.fixture
def untried() -> Iterator[None]:
    """The machine's sandbox is tried again, and what was found is forgotten afterwards."""
    probe.probe_sandbox.cache_clear()
    yield
    probe.probe_sandbox.cache_clear()


def no_landlock() -> int:
    raise OSError(errno.EOPNOTSUPP, "")


def switched_off(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(landlock, "version", no_landlock)
    return (
        "Landlock is switched off in this kernel; boot with lsm=landlock,… (the list of /sys/kernel/security/lsm, with"
        " landlock in front)"
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
def test_nothing_plays_where_nothing_confines(how: object, monkeypatch: pytest.MonkeyPatch, untried: None) -> None:
    assert callable(how)
    reason = how(monkeypatch)
    with pytest.raises(InputError) as caught:
        build(PYTHON)
    assert str(caught.value) == f"bots can't be confined: {reason}; {MEND}"


@pytest.mark.parametrize("kills", [1, 2])
def test_probe_killed_from_outside_is_tried_twice_and_never_blames_the_sandbox(
    kills: int, monkeypatch: pytest.MonkeyPatch, untried: None
) -> None:
    finish, tries = run_command.finish, []

    def finish_killed(process: Confined, *rest: Any) -> run_command.Finished:
        tries.append(process.pid)
        if len(tries) <= kills:
            os.kill(process.pid, signal.SIGKILL)
        return finish(process, *rest)

    monkeypatch.setattr(run_command, "finish", finish_killed)
    if kills == 1:
        assert probe.probe_sandbox("on").startswith("Landlock")
    else:
        with pytest.raises(RunError, match=r"killed twice from outside, .* free some memory") as caught:
            probe.probe_sandbox("on")
        assert "sandbox =" not in str(caught.value)
    assert len(tries) == 2


def test_a_compiler_that_can_not_be_confined_is_not_called_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    probe.probe_builds("on")
    how = run_command.Finished(119, b"", b"can't be confined: the kernel makes no Landlock domain\n", False)
    run = run_command.run
    monkeypatch.setattr(
        run_command, "run", lambda launch, mode, *more: how if mode == "on" else run(launch, mode, *more)
    )
    with pytest.raises(InputError) as caught:
        build({"fresh.c": f"{SILENT_C}// {time.time_ns()}"})
    assert str(caught.value) == f"compilers can't be confined: the kernel makes no Landlock domain; {MEND}"


def test_a_build_that_could_do_what_it_must_not_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    probe.probe_builds.cache_clear()
    monkeypatch.setattr(run_command, "start", lambda launch, mode: confinement.start(launch, "off"))
    with pytest.raises(InputError) as caught:
        build({"made": {"bot.toml": 'command = ["./bot"]\nbuild = ["cc", "-o", "bot", "bot.c"]'}})
    assert str(caught.value) == (
        "builds can't be confined: a probe in the sandbox could read, write, empty a file, open a file for nothing,"
        f" truncate, list processes, connect, signal its parent, signal the tournament, raise a limit; {MEND}"
    )


def test_off_is_possible_everywhere_and_stands_in_the_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, untried: None
) -> None:
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


def test_unconfined_bots_are_still_held_to_their_limits() -> None:
    source = "x = 0\ndef a(bot):\n    global x\n    x = bytearray(1 << 30)\n    return 1\ndef b(bot, bet): return 1\n"
    answered = ask(source, sandbox=SandboxSettings(mode="off"))
    assert answered.what == ["ran out of memory (64 MB; raise memory_megabytes)"]


@pytest.mark.slow
def test_commands_run_to_their_end_or_are_cut_off() -> None:
    def ran(script: str, seconds: float = 20) -> run_command.Finished:
        orders = LaunchSpec(Program(["/bin/sh", "-c", script]), ProcessLimits(256, 10), readable=["/bin", "/usr/bin"])
        return run_command.finish(fork_server.start(orders, "on"), orders, seconds)

    fine = ran("echo out; echo err >&2; exit 3")
    assert (fine.status, fine.output, fine.errors, fine.cut_off) == (3, b"out\n", b"err\n", False)
    assert fine.in_words == "ended with status 3"
    assert ran("kill -11 $$").in_words == "ended"  # who sends signals is not listened to
    assert ran("read x; exit 4").status == 4  # its input is at its end
    slow = ran("while :; do :; done", 0.3)
    assert slow.cut_off and slow.in_words == "took too long"
    assert ran("exec >&- 2>&-; while :; do :; done", 0.3).cut_off


def test_memory_of_ours_is_not_taken_for_a_new_process_s_own() -> None:
    """It has ours from its fork until it executes a program."""
    ours = bytearray(os.urandom(1 << 16)) * (300 << 4)
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        confined = Confined(Running(child), ProcessLimits(64, 10), -1, -1, -1)
        assert confined.memory_bytes() > len(ours)
        assert not confined.has_taken_too_much()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


# What 300 MB are to a process that may have 64: pages of a file, pages that ten processes share, or its own.
_MAPS = "import mmap; x = mmap.mmap(os.open({file!r}, os.O_RDONLY), 0, prot=mmap.PROT_READ); sum(x[::4096])"
_SHARES = """x = bytearray(b'x') * (300 << 20)
for _ in range(9):
    if not os.fork():
        sys.stdin.read()
        os._exit(0)"""
_HOARDS = "x = bytearray(b'x') * (300 << 20)"


@pytest.mark.parametrize(("takes", "is_too_much"), [(_MAPS, False), (_SHARES, False), (_HOARDS, True)])
def test_memory_of_files_and_of_others_is_not_a_process_s_own(takes: str, is_too_much: bool, tmp_path: Path) -> None:
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
