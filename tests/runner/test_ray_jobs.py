"""A run that is submitted as one of Ray's jobs; the job server is in ray[default], which tests don't install."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

from tests.cluster_server import ENVIRONMENT
from tests.contest_runs import Place, command_line, environment, new_place


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def job(place: Place) -> list[str]:
    return command_line(["run", place.results.name, "--config", str(place.config)])


def test_a_submitted_run_is_known_by_its_address(tmp_path: Path) -> None:
    """Ray gives its jobs RAY_ADDRESS, and nothing else says where to play."""
    place = new_place(tmp_path, ["bold", "calm"])
    nowhere = f"127.0.0.1:{free_port()}"
    done = subprocess.run(
        job(place), env=environment({**ENVIRONMENT, "RAY_ADDRESS": nowhere}), capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.endswith(f"tournament: Ray can't be reached at {nowhere}: nothing listens there\n")
