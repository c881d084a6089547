"""A Ray cluster that others started: joining it, counting its workers, noticing its loss."""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tournament.errors import BadInput, RunFailed

_LOOK_SECONDS = 1.0
_ANSWER_SECONDS = 2.0
_ALIVE = 0  # GcsNodeInfo.ALIVE
# Tasks beyond twice those that can be played: they wait, so that an autoscaler adds nodes.
_MORE = 8
_PATIENCE = "RAY_gcs_rpc_server_reconnect_timeout_s"
_MODE = "RAY_AUTH_MODE"
_AGAIN = "what was committed stays, run again once the cluster is back"
_TOKEN = "put the cluster's own into ~/.ray/auth_token (mode 0600) or RAY_AUTH_TOKEN"


def join(ray: Any, address: str, **options: Any) -> None:
    """Join the cluster at an address. `ray` is the package. Raises BadInput, and what `ray.init` raises."""
    if address.startswith("ray://"):
        raise BadInput(
            f"{address} is for Ray's client; run on a node of the cluster with host:port, or by ray job submit"
        )
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # the tournament reports the same errors itself
    found = ray._private.services.canonicalize_bootstrap_address_or_die(address)
    _try(ray, found)
    with _no_complaints():
        ray.init(found, **options)


def _try(ray: Any, address: str) -> None:
    """Raise BadInput when nothing listens there, or it asks for a token. Ray would retry, with a line a second."""
    if not _listens(address):
        raise BadInput(f"Ray can't be reached at {address}: nothing listens there")
    token = ray._raylet.AuthenticationTokenLoader.instance().has_token(ignore_auth_mode=True)
    if token and _MODE not in os.environ:  # as `ray start` does it
        os.environ[_MODE] = "token"
        ray._raylet.Config.initialize("")
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
        raise BadInput(f"Ray can't be reached at {address}: {problem}; {_TOKEN}") from None


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
        worker = ray._private.worker.global_worker
        self._gcs = worker.gcs_client
        self._raylet = worker.node.raylet_socket_name
        # Ray ends this process when the head hasn't answered for so long, and disconnecting takes seconds.
        self._patience = float(os.environ.get(_PATIENCE, "60")) / 3
        self._looked = self._answered = time.monotonic()
        self._said = ""
        self.is_lost = False
        self.cores = _cores(self._nodes(), 0)

    def look(self, memory: int) -> None:
        """Count the workers for tasks of so many bytes. Raises RunFailed when the cluster is gone."""
        if time.monotonic() - self._looked < _LOOK_SECONDS:
            return
        if self._raylet not in Path("/proc/net/unix").read_text():
            raise self.loss_of_this_node()
        try:
            nodes = self._nodes()
        except self._ray.exceptions.RayError:
            if time.monotonic() - self._answered > self._patience:
                raise RunFailed(f"the cluster's head node, {self._gcs.address}, no longer answers; {_AGAIN}") from None
            return
        finally:
            self._looked = time.monotonic()
        self._answered = self._looked
        self.cores = _cores(nodes, memory)
        # The memory of a task isn't known before the first one.
        line = _waiting_line(len(nodes), memory) if memory and not self.cores else ""
        if line and line != self._said:
            self._say(line)
        self._said = line

    def loss_of_this_node(self) -> RunFailed:
        """The error of a run on whose node Ray no longer works: Ray will end this process, in order or not."""
        if not self.is_lost:
            self.is_lost = True
            atexit.unregister(self._ray._private.worker.shutdown)  # it would wait for what is gone
            atexit.register(_end)
        return RunFailed(f"Ray has ended on this node; {_AGAIN}")

    def _nodes(self) -> list[dict[str, float]]:
        """The resources of each node that is alive. Raises RayError, sooner than Ray's own calls do."""
        found = self._gcs.get_all_node_info(timeout=_ANSWER_SECONDS).values()
        return [dict(node.resources_total) for node in found if node.state == _ALIVE]

    @property
    def most(self) -> int:
        """How many tasks to keep submitted."""
        return 2 * self.cores + _MORE


def _end() -> None:
    """End this process as Ray would, before its threads fail for lack of the node."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


def _cores(nodes: list[dict[str, float]], memory: int) -> int:
    """How many tasks of so many bytes play at once on nodes with these resources."""
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
