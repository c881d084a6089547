"""A Ray cluster that others started: joining it, counting its workers."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from tournament.errors import InputError

_LOOK_SECONDS = 1.0
# Tasks beyond twice those that can be played: they wait, so that an autoscaler adds nodes.
_MORE = 8
_MODE = "RAY_AUTH_MODE"
# Whether this process ends once it has played, as the command's does. Then it stays joined until it ends: Ray crashes
# at times in a process that leaves a cluster while another asks it something.
ends_after_play = False
_TOKEN = "put the cluster's own into ~/.ray/auth_token (mode 0600) or RAY_AUTH_TOKEN"


def join(ray: Any, address: str, **options: Any) -> None:
    """Join the cluster at an address. `ray` is the package. Raises InputError when nothing listens there, or it asks
    for a token, and what `ray.init` raises."""
    if address.startswith("ray://"):
        raise InputError(
            f"{address} is for Ray's client; run on a node of the cluster with host:port, or by ray job submit"
        )
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "error")
    if address != "auto" and not _listens(address):  # Ray would retry, with a line a second
        raise InputError(f"Ray can't be reached at {address}: nothing listens there")
    _show_token(ray, address)
    with _no_complaints():
        ray.init(address, **options)


def _show_token(ray: Any, address: str) -> None:
    """Have Ray take the token that is here, as `ray start` does. Raises InputError when the cluster refuses it.

    Ray's own way in takes none for an address that is given, and tells of one refused only that it can't connect; so
    these private parts.
    """
    token = ray._raylet.AuthenticationTokenLoader.instance().has_token(ignore_auth_mode=True)
    if token and _MODE not in os.environ:
        os.environ[_MODE] = "token"
        ray._raylet.Config.initialize("")
    if address == "auto":  # Ray finds where it is
        return
    try:
        with _no_complaints():
            ray._raylet.GcsClient(address=address)
    except ray.exceptions.AuthenticationError:
        if not token:
            problem = "it asks for a token, and none is here"
        elif os.environ[_MODE].lower() == "token":
            problem = "the token here is not the cluster's"
        else:
            problem = f"it asks for a token, and {_MODE} is {os.environ[_MODE]}"
        raise InputError(f"Ray can't be reached at {address}: {problem}; {_TOKEN}") from None


@contextlib.contextmanager
def _no_complaints() -> Iterator[None]:
    """Hide what Ray's compiled part writes to standard error. It raises what matters as well."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


class JoinedCluster:
    """The state of a cluster, looked up once a second. `ray` is the package, which has joined it."""

    def __init__(self, ray: Any, say: Callable[[str], None]) -> None:
        self._ray = ray
        self._say = say
        self._looked = time.monotonic()
        self._said = ""
        self.cores = _cores(self._nodes(), 0)

    def look(self, memory: int) -> None:
        """Count the workers for tasks of this many bytes. Raises RayError when the cluster is gone."""
        if time.monotonic() - self._looked < _LOOK_SECONDS:
            return
        nodes = self._nodes()
        self._looked = time.monotonic()
        self.cores = _cores(nodes, memory)
        # The memory of a task isn't known before the first one.
        line = _waiting_line(len(nodes), memory) if memory and not self.cores else ""
        if line and line != self._said:
            self._say(line)
        self._said = line

    def _nodes(self) -> list[dict[str, float]]:
        """The resources of each node that is alive."""
        return [node["Resources"] for node in self._ray.nodes() if node["Alive"]]

    @property
    def most(self) -> int:
        """How many tasks to keep submitted."""
        return 2 * self.cores + _MORE


def _cores(nodes: list[dict[str, float]], memory: int) -> int:
    """How many tasks of this many bytes play at once on nodes with these resources."""
    return sum(int(min(node.get("CPU", 0), node.get("memory", 0) // max(memory, 1))) for node in nodes)


def _waiting_line(nodes: int, memory: int) -> str:
    return (
        f"Waiting for workers: nothing can play on the cluster's {nodes} node{'s' * (nodes != 1)}; a batch takes one"
        f" processor and {memory / 1e6:,.0f} MB of memory"
    )


def _listens(address: str) -> bool:
    """Whether a program takes connections at host:port."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=2).close()
    except OSError:
        return False
    return True
