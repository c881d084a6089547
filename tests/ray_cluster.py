"""A Ray cluster of several nodes on this machine, one for all tests that need Ray."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.contest_runs import ONE_LEG_A_TASK, REPOSITORY, ContestDir, command_line, environment
from tests.processes import descendants

ENVIRONMENT = {
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # otherwise Ray takes 127.0.0.1 for an address that others must reach
    "RAY_AUTH_MODE": "token",
    "RAY_USAGE_STATS_ENABLED": "0",
    # A node that was killed is missed after ten seconds.
    "RAY_health_check_initial_delay_ms": "0",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_failure_threshold": "10",
}


@dataclass
class Node:
    """A node's own processes by kind. Its workers descend from its raylet."""

    processes: dict[str, list[int]]

    def kill(self) -> None:
        """Kill it as if its machine were taken away."""
        raylet = self.processes["raylet"][0]
        for process in (raylet, *descendants(raylet)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def playing(self) -> list[int]:
        """Return its workers that play just now."""
        found = descendants(self.processes["raylet"][0])
        return [process for process, line in found.items() if re.match("ray::.*play", line)]


@dataclass
class Cluster:
    """See cluster_server.py. The first node is the head, and has no processors."""

    server: subprocess.Popen[str]
    folder: Path
    variables: dict[str, str]
    address: str | None = None
    nodes: list[Node] = field(default_factory=list)

    def add(self, cpus: int = 1, variables: Mapping[str, str] | None = None) -> Node:
        """Return a node more, with these variables in the environment of its workers."""
        assert self.server.stdin and self.server.stdout
        ip = f"127.0.0.{len(self.nodes) + 1}"
        wanted = {"ip": ip, "cpus": cpus, "environment": dict(variables or {}), "head": self.address}
        self.server.stdin.write(json.dumps(wanted) + "\n")
        self.server.stdin.flush()
        answer = json.loads(self.server.stdout.readline())
        self.address = answer["address"]
        self.nodes.append(Node(answer["processes"]))
        return self.nodes[-1]

    def run(self, place: ContestDir, *more: str, **variables: str | None) -> subprocess.Popen[str]:
        """Begin a run on it, of one leg a task, without the variables that are None."""
        assert self.address
        wanted: dict[str, str | None] = {**os.environ, "PYTHONPATH": str(REPOSITORY), **self.variables, **variables}
        options = ["--config", str(place.config), "--executor", "ray", "--ray-address", self.address, *more]
        return subprocess.Popen(
            command_line(["run", place.results.name, *options], ONE_LEG_A_TASK),
            env={name: value for name, value in wanted.items() if value is not None},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@contextlib.contextmanager
def serve() -> Iterator[Cluster]:
    """Yield a cluster with nothing but a head, while it runs."""
    # Ray's sockets lie in it, and their paths must be short.
    folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))
    variables = {**ENVIRONMENT, "RAY_TMPDIR": str(folder), "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    try:
        with subprocess.Popen(
            [sys.executable, "-m", "tests.cluster_server"],
            cwd=REPOSITORY,
            env=environment(variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            cluster = Cluster(server, folder, variables)
            cluster.add(cpus=0)
            yield cluster
            assert server.stdin
            server.stdin.close()
            server.wait(60)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
