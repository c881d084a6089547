"""A run that is submitted as one of Ray's jobs; the job server is in ray[default], which tests don't install."""

from __future__ import annotations

import importlib.util
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cluster_server import ENVIRONMENT
from tests.contest_runs import Place, assert_same, command_line, environment, new_place, outcome
from tests.processes import comes

needs_job_server = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("aiohttp_cors", "opencensus", "grpc")),
    reason="needs pip install 'ray[default]'",
)
RAY = str(Path(sys.executable).with_name("ray"))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def job(place: Place) -> list[str]:
    return command_line(["run", place.results.name, "--config", str(place.config)])


@needs_job_server
def test_a_submitted_job_plays_on_its_cluster(tmp_path: Path) -> None:
    place = new_place(tmp_path / "submitted", ["bold", "calm", "dull"], sessions=100)
    alone = new_place(tmp_path / "alone", ["bold", "calm", "dull"], sessions=100)
    alone.play()
    address = f"http://127.0.0.1:{(port := free_port())}"
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        variables = environment({**ENVIRONMENT, "RAY_AUTH_TOKEN": secrets.token_hex(32)})
        variables["PYTHONPATH"] += os.pathsep + os.environ.get("PYTHONPATH", "")  # ray[default] may be there
        variables["PATH"] = f"{Path(RAY).parent}:{variables['PATH']}"
        options = "--head --block --node-ip-address=127.0.0.1 --port=0 --num-cpus=1 --object-store-memory=80000000"
        ports = "--dashboard-host=127.0.0.1 --dashboard-agent-listen-port=0 --min-worker-port=0 --max-worker-port=0"
        more = [f"--dashboard-port={port}", f"--ray-client-server-port={free_port()}", f"--temp-dir={folder}"]
        head = subprocess.Popen(
            [RAY, "start", *options.split(), *ports.split(), *more],
            env=variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            submit = [RAY, "job", "submit", "--address", address, "--", *job(place)]
            tries: list[subprocess.CompletedProcess[str]] = []

            def is_done() -> bool:
                tries.append(subprocess.run(submit, env=variables, capture_output=True, text=True))
                return not tries[-1].returncode or "raysubmit" in tries[-1].stdout

            assert comes(is_done, 90) and not tries[-1].returncode, tries[-1]
        finally:
            head.terminate()
            head.wait(60)
    assert "games in" in tries[-1].stdout
    assert_same(outcome(place.results), outcome(alone.results))


def test_a_submitted_run_is_known_by_its_address(tmp_path: Path) -> None:
    """Ray gives its jobs RAY_ADDRESS, and nothing else says where to play."""
    place = new_place(tmp_path, ["bold", "calm"])
    nowhere = f"127.0.0.1:{free_port()}"
    done = subprocess.run(
        job(place), env=environment({**ENVIRONMENT, "RAY_ADDRESS": nowhere}), capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.endswith(f"tournament: Ray can't be reached at {nowhere}: nothing listens there\n")
