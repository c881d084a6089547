"""Confined processes end with their tournament."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.contest_runs import command_line, environment
from tests.hostile.field import Ground
from tests.processes import descendants, ray_workers, wait_until, wait_until_exited
from tests.worker.support import script

# They answer some questions, so that they may play on, then wait for ever, deaf to signals: no run of theirs ends by
# itself, nor takes processor time.
WAITS = """
import signal, sys, time
for name in ("HUP", "INT", "QUIT", "TERM"): signal.signal(getattr(signal, f"SIG{name}"), signal.SIG_IGN)
asked = 0
def answer():
    global asked
    asked += 1
    if asked == 5:
        time.sleep(10_000)
    return 5
"""
DEAF: dict[str, str | dict[str, str]] = {
    "python.py": f"{WAITS}def a(bot): return answer()\ndef b(bot, bet): return answer() > bet\n",
    "program": script(
        f"{WAITS}for line in sys.stdin:\n"
        "    if line.startswith('{'):\n"
        "        answer()\n"
        '        print("ACTION", 5 if \'"a"\' in line else 0)\n'
    ),
}


@contextmanager
def run(ground: Ground, *more: str, **variables: str) -> Iterator[subprocess.Popen[str]]:
    arguments = ["--config", str(ground.config(idle_seconds=1000.0)), *ground.folders]
    with subprocess.Popen(
        command_line(["run", "von_neumann_poker", *arguments, "--workers", "2", *more]),
        env=environment(variables),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_confined(process: subprocess.Popen[str], least: int) -> set[int]:
    """Return the confined processes of a run once there are this many."""
    mine: set[int] = set()

    def play() -> bool:
        nonlocal mine
        mine = {pid for pid, line in descendants(process.pid).items() if is_playing(pid, line)}
        return len(mine) >= least

    if not wait_until(play, 300, process):  # the compiler may have to build its libraries first
        process.kill()
        raise AssertionError(process.communicate())
    return mine


def is_playing(pid: int, line: str) -> bool:
    """Return whether a process is a bot's: it has orders on its command line, or it is a program in its folder."""
    with suppress(OSError):
        return "'landlock'" in line or "/programs/" in os.readlink(f"/proc/{pid}/cwd")
    return False


def test_killed_driver_leaves_no_process(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    ground.prepare([], DEAF)
    with run(ground, "--executor", "local") as process:
        mine = wait_for_confined(process, 4)
        process.kill()
        process.wait(60)
        assert wait_until_exited(mine)


def processes_of(driver: int) -> dict[int, str]:
    return {driver: Path(f"/proc/{driver}/cmdline").read_text().replace("\0", " ")} | descendants(driver)


def listens_on(processes: Iterable[int]) -> dict[str, str]:
    """Return the addresses, as Linux writes them, at which processes take TCP or UDP, by port and process."""
    owners: dict[str, int] = {}
    for process in processes:
        with suppress(OSError):
            for entry in os.scandir(f"/proc/{process}/fd"):
                with suppress(OSError):
                    owners[os.readlink(entry.path)] = process
    found = {}
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            owner = owners.get(f"socket:[{inode}]")
            if owner is not None and (state == "0A" or table.startswith("udp")):
                address, port = local.split(":")
                found[f"{int(port, 16)} of {owner}"] = address
    return found


# 127.0.0.1 and ::1, alone or as the other's form: each word of four bytes is in the machine's order.
LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")


# A stranger on the same machine who has found the port.
CALLS_RAY = """
import sys
from ray._raylet import GcsClient
print(f"{len(GcsClient(address=sys.argv[1]).internal_kv_keys(b'', None, timeout=10))} keys")
"""


def assert_closed_to_others(processes: Mapping[int, str], folder: Path) -> None:
    """Check that a Ray listens to this machine alone, and requires its token."""
    listening = listens_on(processes)
    assert len(listening) >= 5, listening
    assert set(listening.values()) <= {*LOOPBACK}, listening
    assert folder.stat().st_mode & 0o777 == 0o700
    server = next(process for process, line in processes.items() if "/gcs_server " in line)
    variables = Path(f"/proc/{server}/environ").read_text().split("\0")
    assert "RAY_AUTH_MODE=token" in variables
    token = re.search(r"RAY_AUTH_TOKEN=([0-9a-f]{64})$", "\n".join(variables), re.MULTILINE)
    assert token
    port = next(where.split()[0] for where in listening if where.endswith(f" of {server}"))
    for mode, given, is_heard in (("token", token[1], True), ("token", "0" * 64, False), ("disabled", "", False)):
        words = [*command_line([])[:1], "-c", CALLS_RAY, f"127.0.0.1:{port}"]
        variables_of_caller = environment({"RAY_AUTH_MODE": mode, "RAY_AUTH_TOKEN": given})
        done = subprocess.run(words, env=variables_of_caller, capture_output=True, text=True, timeout=60)
        said = done.stdout + done.stderr
        assert bool(re.search(r"\d keys", said)) is is_heard and ("nauthenticated" in said) is not is_heard, said


@pytest.mark.slow
def test_private_ray_is_closed_to_others(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    ground.prepare([], DEAF)
    with run(ground, "--executor", "ray", RAY_AUTH_MODE="disabled") as process:
        # Bots are tried before Ray starts, too.
        plays = wait_until(lambda: any(map(any_playing, ray_workers(process.pid))), 300, process)
        assert plays, process.stderr and process.stderr.read() if process.poll() else "no one plays"
        wait_for_confined(process, 4)
        of_ray = {pid: line for pid, line in processes_of(process.pid).items() if not is_playing(pid, line)}
        raylet = next(line for line in of_ray.values() if "--raylet_socket_name=" in line)
        folder = Path(raylet.split("--raylet_socket_name=")[1].split()[0]).parents[3]
        assert_closed_to_others(of_ray, folder)
        wait_for_confined(process, 4)
        worker = next(pid for pid in ray_workers(process.pid) if any_playing(pid))
        mine = {pid for pid, line in descendants(worker).items() if is_playing(pid, line)}
        os.kill(worker, signal.SIGKILL)
        assert wait_until_exited(mine)
        again = wait_for_confined(process, 4)
        assert not again & mine
        process.kill()
        process.wait(60)
        assert wait_until_exited([*again, *of_ray])  # workers notice after some seconds that their driver is gone
        assert wait_until(lambda: not folder.exists())  # The keeper removes it last.


def any_playing(worker: int) -> bool:
    return any(is_playing(pid, line) for pid, line in descendants(worker).items())
