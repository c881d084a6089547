"""Nodes of a cluster, as a run uses, avoids and reports them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.contest_runs import make_contest
from tournament.errors import InputError, RunError
from tournament.runner.executors import cluster_nodes
from tournament.runner.executors.cluster_nodes import ClusterNodes, NodeProblem


class Ray:
    """The part of Ray's package that ClusterNodes uses, with three nodes."""

    def __init__(self) -> None:
        self._private = SimpleNamespace(worker=SimpleNamespace(_global_node=None))

    def nodes(self) -> list[Any]:
        resources = {"memory": 4 << 30, "CPU": 2}
        return [{"NodeID": name, "NodeName": name, "Alive": True, "Resources": resources} for name in "abc"]

    def get_runtime_context(self) -> Any:
        return SimpleNamespace(gcs_address="10.0.0.1:6379")


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_nodes, "_POLL_SECONDS", 0.0)
    monkeypatch.setattr(cluster_nodes, "listens", lambda address: True)


def problem(name: str, *, is_unfit: bool = False) -> NodeProblem:
    return NodeProblem(name, name, f"{name} lacks something", is_unfit)


def three_nodes() -> tuple[ClusterNodes, list[str]]:
    said: list[str] = []
    return ClusterNodes(Ray(), said.append), said


def test_unfit_node_is_set_aside_immediately() -> None:
    cluster, said = three_nodes()
    cluster.note_failure(problem("a", is_unfit=True), {})
    assert said == ["node a: a lacks something; the run goes on without this node"]
    assert cluster.avoided({}) == ["a"]
    state = cluster.state(9)
    assert (state.nodes, state.cores, state.cores_at_work, state.cores_wanted) == (2, 4, 4, 9)
    assert state.set_aside == {"a": "a lacks something"}


def test_node_is_set_aside_after_failing_two_tasks() -> None:
    cluster, said = three_nodes()
    for _ in range(2):
        assert not said and cluster.avoided({}) == []
        failures: dict[str, NodeProblem] = {}
        cluster.note_failure(problem("b"), failures)
        assert cluster.avoided(failures) == ["b"]
        cluster.record_success(failures)
    assert len(said) == 1 and cluster.avoided({}) == ["b"]


def test_task_that_fails_everywhere_ends_run() -> None:
    cluster, said = three_nodes()
    cluster.record_success({})
    failures: dict[str, NodeProblem] = {}
    for name in "ab":
        cluster.note_failure(problem(name), failures)
    with pytest.raises(RunError, match=r"failed on every node of the cluster: node a: .*; node b: .*; node c: "):
        cluster.note_failure(problem("c"), failures)
    assert not said


def test_cluster_without_fit_node_is_refused() -> None:
    cluster, _ = three_nodes()
    cluster.note_failure(problem("a", is_unfit=True), {})
    cluster.note_failure(problem("b", is_unfit=True), {})
    with pytest.raises(InputError, match=r"no node of the cluster can play: node a: .*; node b: .*; node c: "):
        cluster.note_failure(problem("c"), {})


def test_head_silent_for_long_ends_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_gcs_rpc_server_reconnect_timeout_s", "30")
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    cluster, _ = three_nodes()
    answers = {14.0: False, 15.0: True, 29.0: False}
    monkeypatch.setattr(cluster_nodes, "listens", lambda address: answers.get(now[0], False))
    for now[0] in answers:
        cluster.look(0)
    now[0] = 31.0
    with pytest.raises(RunError, match=r"head doesn't answer at 10.0.0.1:6379 for 15 s; committed games stay"):
        cluster.look(0)


def test_results_in_folder_of_job_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "runtime_resources" / "working_dir_files" / "package"
    place = make_contest(folder, ["bold", "calm"], sessions=4)
    with pytest.raises(
        InputError, match="a folder of Ray's job, which is lost with the cluster; give results as a URL"
    ):
        place.play()
    assert not place.results.exists()
    place.play(results=tmp_path / "shared")
