"""A run that somebody submits from elsewhere, to the job server of a cluster's head."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.cluster_server import ENVIRONMENT
from tests.contest_runs import (
    CONTEST,
    assert_same,
    environment,
    in_order,
    make_contest,
    read_outcome,
)
from tests.processes import descendants, wait_until

PROGRAMS = Path(sys.executable).parent
SECONDS = 240.0  # only for what never comes


def free_port() -> int:
    """Return a port of no range of Ray's own."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def job_server(folder: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Start a head with a job server on loopback, and yield its address and the variables with its token."""
    variables = environment(
        {**ENVIRONMENT, "RAY_AUTH_TOKEN": secrets.token_hex(32), "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
    )
    port = free_port()
    options = {
        "port": free_port(),
        "dashboard-port": port,
        "dashboard-host": "127.0.0.1",
        "node-ip-address": "127.0.0.1",
        "num-cpus": 1,
        "min-worker-port": 0,
        "max-worker-port": 0,
        "object-store-memory": 80 << 20,
        "temp-dir": folder,
    }
    command = [
        str(PROGRAMS / "ray"),
        "start",
        "--head",
        "--block",
        *(f"--{name}={value}" for name, value in options.items()),
    ]
    with (
        open(folder / "head.log", "w") as log,
        subprocess.Popen(command, env=variables, stdout=log, stderr=log, start_new_session=True) as head,
    ):
        try:
            yield f"http://127.0.0.1:{port}", variables
        finally:
            for process in (head.pid, *descendants(head.pid)):  # A polite end takes half a minute.
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def answers(address: str, variables: Mapping[str, str]) -> bool:
    """Return whether the job server lists its jobs."""
    listing = [str(PROGRAMS / "ray"), "job", "list", "--address", address]
    return subprocess.run(listing, env=variables, capture_output=True, timeout=SECONDS).returncode == 0


@pytest.mark.slow
def test_job_from_elsewhere_has_records_of_a_run_here(tmp_path: Path) -> None:
    place = make_contest(tmp_path / "mine", ["bold", "calm"])
    shared = tmp_path / "shared"
    with (
        tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as short,
        job_server(Path(short)) as (address, variables),
    ):
        assert wait_until(lambda: answers(address, variables), SECONDS), Path(short, "head.log").read_text()

        job = [str(PROGRAMS / "ray"), "job", "submit", "--address", address, "--working-dir", ".", "--"]
        job += ["tournament", "run", CONTEST, "--results", str(shared)]
        done = subprocess.run(job, cwd=place.folder, env=variables, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0 and "Playing 2 bots" in done.stdout, done.stdout + done.stderr
    place.play()
    assert_same(in_order(read_outcome(shared / CONTEST)), in_order(read_outcome(place.results)))
