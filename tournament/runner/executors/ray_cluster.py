"""Plays on Ray: one of this run alone, or a cluster that is joined. The only module that imports Ray."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import pickle
import platform
import re
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.cores import cores
from tournament.errors import InputError, RunError, TournamentError, and_more, truncate
from tournament.runner.executors import existing_cluster, run_tasks
from tournament.runner.executors.cluster_nodes import ClusterNodes, ClusterState, NodeProblem
from tournament.runner.executors.existing_cluster import join
from tournament.runner.executors.private_ray import memory_for, own_ray
from tournament.sandbox.outside.tier import MEND
from tournament.store.storage import explain_write_error, open_storage
from tournament.thread_streams import separate_streams
from tournament.worker.batch import Receipt, Task, play_task
from tournament.worker.node import Invitation, accept, accept_contest, invite
from tournament.worker.processes import admission
from tournament.worker.processes.admission import MemoryBudget, free_memory
from tournament.worker.wasm.stack import on_deep_stack

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # errors of tasks that no one waits for

import ray

_QUIET: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
_POLL_SECONDS = 1.0
_MAX_RETRIES = 3  # retries of a task whose worker or node died
_MAX_LEGS_NAMED = 3
_NODE_ID = "ray.io/node-id"  # the label that Ray gives to each node


@dataclass
class _Submitted:
    """A task that Ray has.

    Attributes:
        task: The task.
        reference: Ray's reference of its receipt. Ray drops the receipt when no reference is left.
        failures: Problems of the nodes on which it failed before, by the node's id. Empty by default.
    """

    task: Task
    reference: Any
    failures: dict[str, NodeProblem] = field(default_factory=dict)


class RayExecutor:
    """Plays tasks on Ray workers, which write their parts themselves. So all nodes must reach the results.

    On a cluster that was joined, a task that fails because of its node is played on another one.

    Attributes:
        waited: Seconds in which `play` could only wait for workers.
    """

    name = "ray"

    def __init__(
        self, workers: int, address: str | None, on_message: Callable[[str], None], *, strict: bool = False
    ) -> None:
        """Join the cluster at an address, or start one here.

        Args:
            workers: Number of simultaneous tasks; 0 for as many as there are cores.
            address: Address of the cluster. It doesn't count if this process has joined a cluster. Otherwise None or ""
                starts a Ray of this run.
            on_message: Called with messages for the user.
            strict: Whether the first problem of a node ends the run, by default not.

        Raises:
            InputError: Ray can't be reached or started, the cluster refuses the token, or the address is invalid.
            RunError: A Ray of this run would be open to others, or no temporary folder has a short enough path.
            OSError: The folder or the cleaner of a Ray of this run can't be made.
        """
        self._until_closed = contextlib.ExitStack()
        self._workers = workers
        self.waited = 0.0
        self._cluster: ClusterNodes | None = None
        self._submitted: list[_Submitted] = []
        self._memory = 0  # bytes of the latest task
        self._stays_joined = ray.is_initialized()
        try:
            if address or self._stays_joined:
                if not self._stays_joined:
                    join(ray, address or "auto", **_QUIET)
                    if not existing_cluster.ends_after_play:
                        self._until_closed.callback(ray.shutdown)
                self._cluster = ClusterNodes(ray, on_message, strict=strict)
            else:
                self._workers = workers or cores()
                self._start_own(on_message)
        except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            raise InputError(f"Ray can't be reached at {address or 'this machine'}: {_in_a_line(error)}") from None

    def _start_own(self, on_message: Callable[[str], None]) -> None:
        """Start a Ray of this run. It gives itself half a minute, so a busy machine gets a second try.

        Args:
            on_message: Called with a message before the second try.

        Raises:
            RuntimeError: It didn't start twice.
            RunError: It would be open to others, or no temporary folder has a short enough path.
            OSError: Its folder or its cleaner can't be made.
        """
        try:
            self._until_closed.enter_context(own_ray(ray, self._workers, **_QUIET))
        except RuntimeError as error:
            on_message(f"Ray did not start ({_in_a_line(error)}); trying once more…")
            self._until_closed.enter_context(own_ray(ray, self._workers, **_QUIET))

    @property
    def workers(self) -> int:
        """Number of simultaneous tasks, at least 1.

        If none was requested, it is the number of cores that a joined cluster has now.
        """
        return self._workers or max(1, self._cluster.cores if self._cluster else 1)

    @property
    def cluster(self) -> ClusterState | None:
        """The state of a cluster that was joined, or None for a Ray of this run."""
        return self._cluster.state(len(self._submitted)) if self._cluster else None

    def play(
        self, next_task: Callable[[], Task | None], artifacts: Mapping[str, bytes]
    ) -> Generator[list[Receipt], None, None]:
        """Play tasks on the cluster.

        Args:
            next_task: Returns the next task, or None if there is none now.
            artifacts: Contents of bots and house players, by sha256. They are copied at the start.

        Yields:
            The receipts of tasks that have ended, in the order in which they end.

        Raises:
            InputError: No node of a joined cluster can play.
            RunError: A task failed on every node or on a Ray of this run. Or workers were lost, or the cluster doesn't
                answer any more. Or the object store's request fails.
            OSError: The file that nodes have to read can't be written to the results.
        """
        running = self._submitted = []
        try:
            self._submit = self._submitter(artifacts)
            with separate_streams(), _muted_ray():
                yield from run_tasks(next_task, self._max_running, self._start, self._wait, self._receipt, running)
        finally:
            # A process that leaves a cluster ends its tasks. Ray aborts if one that is cancelled is done just then.
            for one in running if self._stays_joined and not existing_cluster.ends_after_play else ():
                ray.cancel(one.reference, force=True)

    def close(self) -> None:
        """Leave the cluster, or end this run's own.

        A process that ends after play stays in the cluster, and so does one that had joined it before.
        """
        self._until_closed.close()

    def _max_running(self) -> int:
        """Return the number of tasks to keep submitted, and look up a cluster's nodes at most once a second.

        Raises:
            RunError: The cluster doesn't answer any more.
            InputError: Nothing has been played, and no node is left that could.
        """
        if self._cluster is None:
            return self._workers
        self._cluster.look(self._memory)
        return self._workers or self._cluster.most

    def _submitter(self, artifacts: Mapping[str, bytes]) -> Callable[[Task, list[str]], Any]:
        """Return a function that submits a task, except to nodes with the given ids, and returns its reference.

        The artifacts, by sha256, are stored in Ray once. They stay there as long as the function does.
        """
        # All are in one object, because Ray takes a tenth of a millisecond for each object of a task.
        stored = ray.put(_Stored.of(artifacts))
        # Workers of a private Ray inherit the command's hash seed. Those of a cluster are given it, so that sets keep
        # one order.
        environment = {"runtime_env": {"env_vars": {"PYTHONHASHSEED": "0"}}} if self._cluster else {}
        remote_play = ray.remote(num_cpus=1, max_retries=_MAX_RETRIES, **environment)(_play_remotely)
        invitation: Invitation | None = None

        def submit(task: Task, avoided: list[str]) -> Any:
            """Submit a task, and return the reference of its receipt. The first call writes the driver's file.

            Args:
                task: The task.
                avoided: Ids of nodes that must not be given it.

            Raises:
                OSError: The driver's file can't be written to the results.
                RunError: The object store's request fails.
            """
            nonlocal invitation
            invitation = invitation or invite(open_storage(task.location))
            ray_memory = 0 if self._cluster else int(ray.cluster_resources().get("memory", 0))
            self._memory = task.memory_bytes if self._cluster else memory_for(task, ray_memory, self._workers)
            options = {"label_selector": {_NODE_ID: f"!in({','.join(avoided)})"}} if avoided else {}
            # Ray's own way to write objects is in Python, and takes as long as all the rest.
            return remote_play.options(memory=self._memory or None, **options).remote(
                invitation, pickle.dumps(task), stored
            )

        return submit

    def _start(self, task: Task) -> _Submitted:
        """Submit a task for the first time.

        Raises:
            OSError: The driver's file can't be written to the results.
            RunError: The object store's request fails.
        """
        return _Submitted(task, self._submit(task, self._cluster.avoided({}) if self._cluster else []))

    def _wait(self, running: list[_Submitted]) -> tuple[list[_Submitted], list[_Submitted]]:
        """Wait for at most a second, and return the tasks that are done and the others, both in the given order."""
        began = time.perf_counter()
        references = [one.reference for one in running]
        done, pending = ray.wait(references, timeout=_POLL_SECONDS)
        self.waited += time.perf_counter() - began
        if done and pending:
            done += ray.wait(pending, num_returns=len(pending), timeout=0)[0]
        ready = {*done}
        finished = [one for one in running if one.reference in ready]
        return finished, [one for one in running if one.reference not in ready]

    def _receipt(self, submitted: _Submitted) -> Receipt | None:
        """Return a task's receipt, or None if a node failed, and the task was submitted again.

        Raises:
            InputError: Nothing has been played, and no node is left that could.
            RunError: The task failed on a Ray of this run or on every node, or Ray lost it four times. Or a node failed
                that isn't known, or whose first problem ends the run.
        """
        try:
            receipt = ray.get(submitted.reference)
        except ray.exceptions.RayTaskError as error:
            problem = error.cause if isinstance(error.cause, NodeProblem) else _parse_problem(str(error).strip())
            if self._cluster is None:
                raise RunError(problem.reason) from None
            self._cluster.note_failure(problem, submitted.failures)
            submitted.reference = self._submit(submitted.task, self._cluster.avoided(submitted.failures))
            self._submitted.append(submitted)
            return None
        except ray.exceptions.RayError as error:
            raise RunError(self._describe_loss(submitted.task, error)) from None
        assert isinstance(receipt, Receipt)
        if self._cluster:
            self._cluster.record_success(submitted.failures)
        return receipt

    def _describe_loss(self, task: Task, error: ray.exceptions.RayError) -> str:
        """Return as text that Ray lost a task. Only its first three legs are named."""
        legs = [" – ".join(seat.name for seat in leg.seats) for leg in task.legs[:_MAX_LEGS_NAMED]]
        named = f"{'; '.join(legs)}{and_more(len(task.legs) - len(legs))}"
        logs = f"; Ray's logs on the nodes: {self._cluster.logs}" if self._cluster else ""
        return (
            f"Ray lost a batch {_MAX_RETRIES + 1} times ({_in_a_line(error)}): legs of {named}; committed games stay,"
            f" and the next run plays these legs again{logs}"
        )


def _in_a_line(error: Exception) -> str:
    """Return an error's message as one line, cut to 300 characters. If it is empty, return the error's type."""
    return truncate(" ".join(str(error).split()) or type(error).__name__, 300)


def _parse_problem(text: str) -> NodeProblem:
    """Return the problem of a node that failed before the tournament's own code ran, from Ray's long text.

    The reason is the last line of the text, which must have one. An import or attribute that fails excludes the node.
    The node is "unknown" if the text has no address, and its id is "" if no node has the address.
    """
    node = re.search(r"\bip=([\w.:]+)", text)
    name = node.group(1) if node else "unknown"
    reason = text.splitlines()[-1]
    # Such errors come from a node without the package, or with another version of it.
    excludes_node = bool(re.match("ModuleNotFound|Import|Attribute", reason))
    node_id = next((one["NodeID"] for one in ray.nodes() if one["NodeManagerAddress"] == name), "")
    mend = "; install the same on every node" if excludes_node else ""
    return NodeProblem(node_id, name, f"a worker failed: {reason}{mend}", excludes_node)


@contextlib.contextmanager
def _muted_ray() -> Iterator[None]:
    """Drop what Ray's own threads print in the block: long texts about nodes, on standard output."""
    printing = ray._private.worker.print_to_stdstream
    ray._private.worker.print_to_stdstream = lambda *_, **__: None
    try:
        yield
    finally:
        ray._private.worker.print_to_stdstream = printing


@dataclass(frozen=True)
class _Stored:
    """The bots' bytes one after the other, which the workers of a node share.

    Attributes:
        content: All bytes.
        places: Start and end of each bot's bytes, by sha256.
    """

    content: npt.NDArray[np.uint8]
    places: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, artifacts: Mapping[str, bytes]) -> _Stored:
        """Return the contents, given by sha256, as one array, in the order of the mapping."""
        ends = itertools.accumulate(map(len, artifacts.values()), initial=0)
        ranges = dict(zip(artifacts, itertools.pairwise(ends)))
        return cls(np.frombuffer(b"".join(artifacts.values()), np.uint8), ranges)

    def needed(self, task: Task) -> dict[str, bytes]:
        """Return the artifacts of a task's legs by sha256."""
        needed = {player.artifact for leg in task.legs for player in leg.players}
        return {sha256: self.content[slice(*self.places[sha256])].tobytes() for sha256 in needed}


def _play_remotely(invitation: Invitation, pickled: bytes, stored: _Stored) -> Receipt:
    """Play a task on a node.

    Args:
        invitation: What the node must have and be able to read.
        pickled: The task.
        stored: The artifacts of all players.

    Raises:
        NodeProblem: The node can't play it: its versions or packages differ, it can't read or write the results, can't
            confine a bot, or has too little memory.
    """
    excludes_node, location = True, invitation.location
    try:
        accept(invitation)
        task: Task = pickle.loads(pickled)
        accept_contest(task.rules, task.requires, task.source)
        excludes_node = False
        admission.room = MemoryBudget(lambda: max(task.memory_bytes, free_memory() // cores()))
        return on_deep_stack(play_task, task, stored.needed(task))
    except (TournamentError, OSError, MemoryError) as error:
        raise _node_problem(error, location, excludes_node or isinstance(error, InputError)) from None


def _node_problem(error: Exception, location: str, excludes_node: bool) -> NodeProblem:
    """Return an error on this node as its problem.

    Args:
        error: A TournamentError, OSError or MemoryError.
        location: Folder or URL of the results.
        excludes_node: Whether no task at all can be played here.
    """
    address, host = ray.util.get_node_ip_address(), platform.node()
    if isinstance(error, OSError):
        reason = explain_write_error(error, location)
    elif isinstance(error, MemoryError):
        reason = "no memory is left; give its tasks fewer cores (ray start --num-cpus)"
    else:
        # A setting with which an organiser can run their own bots repairs no node.
        reason = str(error).replace(MEND, "give this node what the others have, or take it out of the cluster")
    name = host if host == address else f"{host} ({address})"
    return NodeProblem(ray.get_runtime_context().get_node_id(), name, reason, excludes_node)
