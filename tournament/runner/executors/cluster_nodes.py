"""The nodes of a joined cluster: how many tasks they play simultaneously, and which are lost or set aside."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tournament.errors import InputError, RunError
from tournament.runner.executors.existing_cluster import listens

_POLL_SECONDS = 1.0
# Tasks beyond twice those that can be played. They wait, so that an autoscaler adds nodes.
_MORE = 8
# Tasks that have to fail on a node, and then be played elsewhere, before a run continues without the node.
_MAX_FAILURES = 2
_RESUME_HINT = "committed games stay, and the next run plays the rest"
_HEAD_SECONDS = "RAY_gcs_rpc_server_reconnect_timeout_s"  # Ray's variable: how long a process waits for its head
_UNEXPECTED = 2  # Ray's number for the unrequested death of a node


class NodeProblem(Exception):
    """Raised by a worker if its node can't play a task. The driver decides what follows.

    Attributes:
        node_id: Ray's id of the node, "" if it isn't known.
        node: The node's name in messages.
        reason: The problem, in one line.
        excludes_node: Whether no task at all can be played there.
    """

    def __init__(self, node_id: str, node: str, reason: str, excludes_node: bool) -> None:
        super().__init__(node_id, node, reason, excludes_node)
        self.node_id, self.node, self.reason, self.excludes_node = node_id, node, reason, excludes_node

    def __str__(self) -> str:
        return f"node {self.node}: {self.reason}"


@dataclass(frozen=True)
class ClusterState:
    """A cluster as a run sees it.

    Attributes:
        nodes: Number of nodes that can play.
        cores: Number of tasks that these can play simultaneously, one per core.
        cores_at_work: Number of tasks that they play now.
        cores_wanted: Number of submitted tasks.
        lost: Names of nodes that died without a request. Empty by default.
        set_aside: Reasons why the run continues without nodes, by the nodes' names. Empty by default.
    """

    nodes: int
    cores: int
    cores_at_work: int
    cores_wanted: int
    lost: tuple[str, ...] = ()
    set_aside: Mapping[str, str] = field(default_factory=dict)


class ClusterNodes:
    """The nodes of a cluster that `ray`, the package, has joined. Ray is asked at most once a second.

    Args:
        on_message: Called with messages for the user.
        strict: Whether the first problem of a node ends the run.
    """

    def __init__(self, ray: Any, on_message: Callable[[str], None], *, strict: bool = False) -> None:
        self._ray = ray
        self._on_message = on_message
        self._strict = strict
        self._head = ray.get_runtime_context().gcs_address
        node = ray._private.worker._global_node
        self._raylet: str | None = node and node.raylet_socket_name
        self._session: str = node.get_session_dir_path() if node else "/tmp/ray/session_latest"
        # Ray itself would end the process after this time, without a word of ours.
        self._head_seconds = 0.5 * float(os.environ.get(_HEAD_SECONDS, "60"))
        self._head_answered = self._looked = time.monotonic()
        self._memory = 0
        self._said = ""
        self._has_played = False
        self._failures: dict[str, int] = {}
        self._set_aside: dict[str, NodeProblem] = {}
        self._lost: dict[str, str] = {}
        self._alive = self._nodes_alive()

    def look(self, memory: int) -> None:
        """Look up which nodes are alive, unless that was done a moment ago. Report if none can play now.

        Args:
            memory: Bytes of a task; 0 before the first one.

        Raises:
            RunError: The head doesn't answer any more, or Ray on this machine has ended.
            InputError: Nothing has been played, and all nodes that are left are set aside.
        """
        now = time.monotonic()
        if now - self._looked < _POLL_SECONDS:
            return
        self._looked, self._memory = now, memory
        if self._raylet and not _answers(self._raylet):  # Ray would end this process, without a word
            raise RunError(
                f"Ray on this machine ended (its raylet is gone); {_RESUME_HINT}, once `ray start` has been called here"
                f" again; Ray's logs: {self.logs}"
            )
        if not listens(self._head):  # Ray would wait for it
            if now - self._head_answered > self._head_seconds:
                raise RunError(
                    f"the cluster's head doesn't answer at {self._head} for {self._head_seconds:.0f} s; {_RESUME_HINT},"
                    f" on a cluster whose head is there; Ray's logs on the head: {self.logs}"
                )
            return
        self._head_answered = now
        self._alive = self._nodes_alive()
        # The memory of a task isn't known before the first one.
        line = _waiting_line(len(self._alive), memory) if memory and not self.cores else ""
        if line and self._set_aside and not self._has_played:  # the others have died
            raise self._no_node_can_play(self._set_aside)
        if line and line != self._said:
            self._on_message(line)
        self._said = line

    def _nodes_alive(self) -> dict[str, dict[str, Any]]:
        """Return the nodes that are alive by their ids, and record those that died."""
        nodes = {node["NodeID"]: node for node in self._ray.nodes()}
        for name, node in nodes.items():
            if not node["Alive"] and node.get("DeathReason") == _UNEXPECTED:
                self._lost[name] = node.get("NodeName") or name
        return {name: node for name, node in nodes.items() if node["Alive"]}

    @property
    def logs(self) -> str:
        """Folder of the workers' logs, which Ray puts under the same path on every node."""
        return f"{self._session}/logs"

    @property
    def cores(self) -> int:
        """Maximum number of simultaneous tasks on the nodes that aren't set aside."""
        return sum(_cores(node["Resources"], self._memory) for node in self._fit().values())

    @property
    def most(self) -> int:
        """Number of tasks to keep submitted."""
        return 2 * self.cores + _MORE

    @property
    def set_aside(self) -> dict[str, str]:
        """Reasons why nodes are set aside, by their names."""
        return {problem.node: problem.reason for problem in self._set_aside.values()}

    def state(self, submitted: int) -> ClusterState:
        """Return the cluster's state while this many tasks are submitted."""
        playing = sum(_cores(node["Resources"], self._memory) > 0 for node in self._fit().values())
        lost = tuple(self._lost.values())
        return ClusterState(playing, self.cores, min(self.cores, submitted), submitted, lost, self.set_aside)

    def _fit(self) -> dict[str, dict[str, Any]]:
        return {name: node for name, node in self._alive.items() if name not in self._set_aside}

    def avoided(self, failures: Mapping[str, NodeProblem]) -> list[str]:
        """Return the ids of nodes that a task with these failures must not be given to, sorted.

        Args:
            failures: Problems by node id.
        """
        return sorted({*self._set_aside, *failures})

    def note_failure(self, problem: NodeProblem, failures: dict[str, NodeProblem]) -> None:
        """Record why a task failed on a node.

        Args:
            failures: The task's problems by node id, to which this one is added.

        Raises:
            InputError: Nothing has been played, and no node is left that could.
            RunError: The task failed on every node that plays, the node isn't known, or nodes must not fail.
        """
        if self._strict or not problem.node_id:  # a node that isn't known can't be left out
            raise RunError(f"{problem}; {_RESUME_HINT}")
        failures[problem.node_id] = problem
        if problem.excludes_node:
            self._leave_out(problem)
        self._alive = self._nodes_alive()
        able = {name for name, node in self._fit().items() if _cores(node["Resources"], self._memory)}
        if able - failures.keys():
            return
        problems = self._set_aside | failures
        if not self._has_played:
            raise self._no_node_can_play(problems)
        raise RunError(f"a batch failed on every node of the cluster: {_in_a_line(problems)}; {_RESUME_HINT}")

    def _no_node_can_play(self, problems: Mapping[str, NodeProblem]) -> InputError:
        return InputError(f"no node of the cluster can play: {_in_a_line(problems)}; {_RESUME_HINT}")

    def record_success(self, failures: Mapping[str, NodeProblem]) -> None:
        """Record that a task was played after it had failed on these nodes. Continue without nodes that failed twice.

        Args:
            failures: The task's problems by node id.
        """
        self._has_played = True
        for name, problem in failures.items():
            self._failures[name] = self._failures.get(name, 0) + 1
            if self._failures[name] >= _MAX_FAILURES:
                self._leave_out(problem)

    def _leave_out(self, problem: NodeProblem) -> None:
        if problem.node_id not in self._set_aside:
            self._set_aside[problem.node_id] = problem
            self._on_message(f"{problem}; the run goes on without this node")


def _in_a_line(problems: Mapping[str, NodeProblem]) -> str:
    return "; ".join(map(str, problems.values()))


def _answers(path: str) -> bool:
    """Return whether a process takes connections at a local socket."""
    with socket.socket(socket.AF_UNIX) as tried:
        return tried.connect_ex(path) == 0


def _cores(resources: Mapping[str, float], memory: int) -> int:
    """Return how many tasks of this many bytes a node with these resources can play simultaneously."""
    return int(min(resources.get("CPU", 0), resources.get("memory", 0) // max(memory, 1)))


def _waiting_line(nodes: int, memory: int) -> str:
    return (
        f"Waiting for workers: nothing can play on the cluster's {nodes} node{'s' * (nodes != 1)}; a batch takes one"
        f" processor and {memory / 1e6:,.0f} MB of memory"
    )
