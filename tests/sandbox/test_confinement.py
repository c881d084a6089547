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

import pytest

import tournament
from tests.processes import comes
from tests.worker.support import SILENT_C, ask, build, write_bot
from tournament.cli.commands import main
from tournament.config import load_config
from tournament.errors import InputError
from tournament.sandbox.inside import landlock
from tournament.sandbox.outside import confined as confined_module
from tournament.sandbox.outside import confinement, fork_server, probe, running, visible
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.endings import Ending, how_it_ended
from tournament.sandbox.outside.launch import Build, ForkServer, LaunchSpec, Limits, Program
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.sandbox.outside.tier import MEND

PYTHON = {"calm.py": "def a(bot): return 5\ndef b(bot, bet): return 1\n"}


@pytest.fixture
def untried() -> Iterator[None]:
    """The machine's sandbox is tried anew, and what was found is forgotten afterwards."""
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


def ends(monkeypatch: pytest.MonkeyPatch, how: running.Finished) -> None:
    """Have whatever is run end so."""

    def finish(process: Confined, *_: object) -> running.Finished:
        process.end()
        return how

    monkeypatch.setattr(running, "finish", finish)


def unfiltered(monkeypatch: pytest.MonkeyPatch) -> str:
    ends(monkeypatch, running.Finished(119, b"", b"can't be confined: the kernel takes no filter\n", False))
    return "the kernel takes no filter"


def silent(monkeypatch: pytest.MonkeyPatch) -> str:
    ends(monkeypatch, running.Finished(-9, b"", b"", False))
    return "the probe was killed by SIGKILL"


REFUSALS = [switched_off, leaky, unfiltered, silent]


@pytest.mark.parametrize("how", REFUSALS, ids=lambda how: how.__name__)
def test_nothing_plays_where_nothing_confines(how: object, monkeypatch: pytest.MonkeyPatch, untried: None) -> None:
    assert callable(how)
    reason = how(monkeypatch)
    with pytest.raises(InputError) as caught:
        build(PYTHON)
    assert str(caught.value) == f"bots can't be confined: {reason}; {MEND}"


def test_a_compiler_that_can_not_be_confined_is_not_called_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    probe.probe_builds("on")
    how = running.Finished(119, b"", b"can't be confined: the kernel makes no Landlock domain\n", False)
    run = running.run
    monkeypatch.setattr(running, "run", lambda launch, mode, *more: how if mode == "on" else run(launch, mode, *more))
    with pytest.raises(InputError) as caught:
        build({"fresh.c": f"{SILENT_C}// {time.time_ns()}"})
    assert str(caught.value) == f"compilers can't be confined: the kernel makes no Landlock domain; {MEND}"


def test_a_build_that_could_do_what_it_must_not_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    probe.probe_builds.cache_clear()
    monkeypatch.setattr(running, "start", lambda launch, mode: confinement.start(launch, "off"))
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
    assert {batch.sandbox for batch in results.batches} == {probe.OFF}


def test_c_bots_that_are_compiled_need_nothing_of_it_to_play(tmp_path: Path) -> None:
    (entrant,) = build({"silent.c": SILENT_C})
    assert entrant.plays_as == "wasm"


def test_the_tier_says_what_confines() -> None:
    assert probe.probe_sandbox("off") == "off: bots run with the rights of the tournament"
    assert probe.probe_sandbox("on").startswith("Landlock ")
    assert probe.probe_sandbox("on").endswith("system call filter")


def settings_of(tmp_path: Path, text: str) -> SandboxSettings:
    path = tmp_path / "tournament.toml"
    path.write_text(text)
    return load_config("von_neumann_poker", path).sandbox


def test_both_forms_of_the_sandbox_setting(tmp_path: Path) -> None:
    assert settings_of(tmp_path, "") == SandboxSettings()
    assert settings_of(tmp_path, 'sandbox = "off"') == SandboxSettings(mode="off")
    assert settings_of(tmp_path, 'sandbox = "on"') == SandboxSettings()
    text = '[sandbox]\nmode = "off"\npackages = ["numpy"]\nreadable = ["/opt/x"]\nlegs_per_process = 3\n'
    assert settings_of(tmp_path, text) == SandboxSettings(
        mode="off", packages=["numpy"], readable=["/opt/x"], legs_per_process=3
    )


BAD_SETTINGS = {
    'sandbox = "of"': "line 1: mode = 'of': must be 'on' or 'off'",
    "sandbox = 1": "line 1: sandbox must be a table, written [sandbox]",
    'results = "x"\n[sandbox]\npackages = "numpy"': "line 3: packages = 'numpy': must be a list",
    "[sandbox]\npackages = [1]": "line 2: packages = 1: must be a text, in quotes",
    "[sandbox]\n\nlegs_per_process = 0": "line 3: legs_per_process = 0: must be at least 1",
    "[sandbox]\nlegs_per_process = 1001": "line 2: legs_per_process = 1001: must be at most 1000",
    "[sandbox]\nnetwork = true": "line 2: unknown key network; there are mode, packages, readable, legs_per_process",
    '[sandbox]\nreadable = ["a\\u0000"]': "line 2: readable = 'a\\x00': must not contain the character NUL",
}


@pytest.mark.parametrize("text", sorted(BAD_SETTINGS), ids=range(len(BAD_SETTINGS)))
def test_bad_settings_are_blamed_by_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        settings_of(tmp_path, text)
    assert str(caught.value) == f"{tmp_path / 'tournament.toml'}, {BAD_SETTINGS[text]}"


def test_unconfined_bots_are_still_held_to_their_limits() -> None:
    source = "x = 0\ndef a(bot):\n    global x\n    x = bytearray(1 << 30)\n    return 1\ndef b(bot, bet): return 1\n"
    answered = ask(source, sandbox=SandboxSettings(mode="off"))
    assert answered.what == ["ran out of memory (64 MB; raise memory_megabytes)"]


@pytest.mark.slow
def test_commands_run_to_their_end_or_are_cut_off() -> None:
    def ran(script: str, seconds: float = 20) -> running.Finished:
        orders = LaunchSpec(Program(["/bin/sh", "-c", script]), Limits(256, 10), readable=["/bin", "/usr/bin"])
        return running.finish(fork_server.start(orders, "on"), orders, seconds)

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
        confined = Confined(Running(child), Limits(64, 10), -1, -1, -1)
        assert confined.memory_bytes() > len(ours)
        assert not confined.has_taken_too_much()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    hoard = "import time; x = bytearray(b'x') * (300 << 20); print('done', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", hoard], stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"done\n"
        confined = Confined(Running(process.pid), Limits(64, 10), -1, -1, -1)
        assert confined.has_taken_too_much()
        process.kill()


@pytest.mark.parametrize("program", ["/bin/sleep", "/bin/true"])
def test_memory_of_ours_is_not_a_program_s_that_is_executed_while_we_look(
    program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its memory is read before it executes the program, and its addresses after that, or after its end."""
    ours = bytearray(os.urandom(1 << 16)) * (300 << 4)
    addresses = confined_module._addresses
    waits, goes = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(waits, 1)
        os.execv(program, [program, "60"])
    confined = Confined(Running(child), Limits(64, 10), -1, -1, -1)
    before = addresses(str(child))
    looks: list[str] = []

    def executes_first(process: str) -> list[str]:
        if not looks:
            os.write(goes, b"x")
            assert comes(lambda: addresses(str(child)) != before)
            assert program != "/bin/true" or comes(confined.has_ended)
        looks.append(process)
        return addresses(process)

    monkeypatch.setattr(confined_module, "_addresses", executes_first)
    try:
        assert confined.memory_bytes() > len(ours)
        assert not confined.has_taken_too_much()
        assert looks
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(waits)
        os.close(goes)


@dataclass
class Running:
    """A process that somebody else ends."""

    pid: int

    def end(self) -> Ending:
        return Ending(0)


def test_how_a_process_ended_in_words() -> None:
    assert [how_it_ended(status) for status in (0, 3, -9, -24, -99)] == [
        "ended", "ended with status 3", "was killed by SIGKILL", "used up its processor time", "was killed",
    ]  # fmt: skip


def test_an_ended_process_leaves_no_descriptor() -> None:
    before = len(os.listdir("/proc/self/fd"))
    for mode in ("on", "off"):
        for _ in range(3):
            process = confinement.start(
                LaunchSpec(Build([["/bin/sh", "-c", "exit 5"]]), Limits(256, 10, processes=64), readable=["/bin"]), mode
            )
            assert process.ended_by_itself(10) == 5
            assert process.end() == 5
            assert process.has_ended()
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_domain_has_the_standard_library_without_the_packages_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "site-packages", "dist-packages"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(tmp_path))
    python, program = (LaunchSpec(ForkServer(of), Limits(64, 1)) for of in ("python", "program"))
    readable = [str(tmp_path), "/allowed"]
    assert list(visible.entry_by_entry(readable, python)) == [str(tmp_path / "json"), "/allowed"]
    assert list(visible.entry_by_entry(readable, program)) == readable
