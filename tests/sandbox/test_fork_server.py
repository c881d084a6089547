"""Forked processes share nothing, and end with the tournament."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.processes import wait_until, wait_until_exited
from tests.worker.support import ON
from tournament.artifacts import python_artifact
from tournament.leg import Unfit
from tournament.sandbox.outside import fork_server, run_command
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.launch import LaunchSpec, ProcessLimits, Program
from tournament.sandbox.outside.readable_paths import interpreter, python_paths
from tournament.worker.processes import python_bots

INTERFACE = VON_NEUMANN_POKER.interface


def shell(script: str) -> LaunchSpec:
    return LaunchSpec(Program(["/bin/sh", "-c", script]), ProcessLimits(256, 10), readable=["/bin", "/usr/bin"])


def ran(script: str, given: bytes = b"", seconds: float = 20) -> run_command.Finished:
    launch = shell(script)
    return run_command.finish(fork_server.start(launch, "on"), launch, seconds, given)


def python_bot() -> Confined:
    """Start a bot's process, which waits for questions."""
    artifact = python_artifact.pack(b"", ON, INTERFACE.python.sdk)
    return fork_server.start(
        python_bots.launch_of(artifact, "bot", INTERFACE, ON, memory_megabytes=64, cpu_seconds=10), "on"
    )


def raised_by(source: str) -> str:
    """Return the problem of a bot that raises at its start."""
    artifact = python_artifact.pack(source.encode(), ON, INTERFACE.python.sdk)
    with pytest.raises(Unfit) as caught:
        python_bots.try_start(artifact, "bot", INTERFACE, ON, memory_megabytes=64)
    return str(caught.value)


def server_of(process: Confined) -> int:
    return int(Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def test_fork_reports_its_output_and_end() -> None:
    done = ran("read x; echo out $x; echo err >&2; exit 3", b"in\n")
    assert (done.status, done.output, done.errors) == (3, b"out in\n", b"err\n")
    for deed, words in (("ctypes.string_at(0)", "SIGSEGV"), ("os.abort()", "SIGABRT")):
        script = f"import ctypes, os; {deed}"
        launch = LaunchSpec(Program([interpreter(), "-c", script]), ProcessLimits(256, 10), readable=python_paths())
        assert run_command.finish(fork_server.start(launch, "on"), launch, 20).in_words == f"was killed by {words}"
    launch = replace(shell("ulimit -d; ulimit -t"), limits=ProcessLimits(100, 7))
    assert run_command.finish(fork_server.start(launch, "on"), launch, 20).output.split() == [b"102400", b"7"]
    slow = ran("exec >&- 2>&-; while :; do :; done", seconds=0.3)
    assert slow.cut_off and slow.in_words == "took too long"


def test_fork_has_no_descriptor_or_signal_of_others() -> None:
    other = python_bot()
    server = server_of(other)
    try:
        source = (
            "import os\nfound = []\nfor number in range(64):\n    try:\n        os.fstat(number)\n"
            "        found.append(number)\n    except OSError:\n        pass\nraise ValueError(found)\n"
        )
        # Standard streams, two that its loop talks by, and /dev/null.
        assert "[0, 1, 2, 3, 4, 5]" in raised_by(source)
        tries = "\n".join(
            f"try:\n    os.kill({pid}, {number})\n    done.append(({pid}, {number}))\nexcept OSError:\n    pass"
            for pid in (other.pid, server, -server, 0, -1)
            for number in (0, signal.SIGTERM, signal.SIGKILL)
        )
        assert "ValueError: []" in raised_by(f"import os\ndone = []\n{tries}\nraise ValueError(f'{{done}}')\n")
        assert not other.has_ended()
        ours, theirs = (int(Path(f"/proc/{pid}/oom_score_adj").read_text()) for pid in ("self", other.pid))
        assert theirs == 1000 > ours  # the system ends bots before the tournament
    finally:
        other.end()


def test_stopped_or_killed_server_is_replaced() -> None:
    first = python_bot()
    server = server_of(first)
    os.kill(server, signal.SIGSTOP)
    second = python_bot()  # continues it
    assert server_of(second) == server
    os.kill(server, signal.SIGSTOP)
    assert second.end() == -signal.SIGKILL
    os.kill(server, signal.SIGKILL)
    assert wait_until_exited([first.pid])
    assert first.end() == -signal.SIGKILL
    again = python_bot()
    assert server_of(again) != server
    again.end()


@pytest.mark.parametrize(
    ("trouble", "at"),
    [(OSError(errno.EMFILE, "too many open files"), "os.pidfd_open"), (KeyboardInterrupt(), "socket.send_fds")],
)
def test_interrupted_fork_leaves_the_next_sound(
    trouble: BaseException, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ran("exit 0").status == 0  # there is a server
    before = len(os.listdir("/proc/self/fd"))

    def fail(*_: object) -> None:
        raise trouble

    with monkeypatch.context() as patch:
        patch.setattr(f"tournament.sandbox.outside.fork_server.{at}", fail)
        with pytest.raises(type(trouble)):
            ran("exit 0")
    assert len(os.listdir("/proc/self/fd")) <= before
    assert ran("exit 4").status == 4


def test_forks_die_with_the_tournament() -> None:
    code = (
        "import sys\nfrom tests.sandbox.test_fork_server import fork_server, server_of, shell\n"
        "process = fork_server.start(shell('while :; do :; done'), 'on')\n"
        "print(process.pid, server_of(process), flush=True)\nsys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]
    ) as driver:
        assert driver.stdout
        pids = [int(pid) for pid in driver.stdout.readline().split()]
        assert len(pids) == 2 and not wait_until_exited(pids, 0)
        driver.kill()
    assert wait_until_exited(pids)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_processes_start_after_the_thread_of_servers_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the thread that ends idle servers fail. Later starts must not wait for ever."""

    def fails(_max_servers: int, _seconds: float = 0.0) -> None:
        raise OSError("a server can't be ended")

    monkeypatch.setattr(fork_server, "_owner", 0)  # makes the next start create a thread
    with monkeypatch.context() as patched:
        patched.setattr(fork_server, "_end_idle", fails)
        patched.setattr(fork_server, "_IDLE_SECONDS", 0.01)
        patched.setattr(fork_server, "_servers", {})
        launch = shell("exit 3")
        with pytest.raises(OSError, match="a server can't be ended"):
            fork_server.start(launch, "on")
        assert wait_until(lambda: not fork_server._starter.is_alive())
    assert ran("exit 3").status == 3
