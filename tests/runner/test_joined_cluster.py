"""What a run makes of the nodes that a cluster has."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tournament.errors import InputError
from tournament.runner.executors import existing_cluster, keep_busy
from tournament.runner.executors.existing_cluster import JoinedCluster, join
from tournament.worker.batch import Receipt

GIGABYTE = 1 << 30


def node(cpus: float, gigabytes: float, alive: bool = True) -> Any:
    resources = {"memory": gigabytes * GIGABYTE, **({"CPU": cpus} if cpus else {})}
    return {"Alive": alive, "Resources": resources}


class RayWith:
    """Of Ray's package what a JoinedCluster uses, with these nodes."""

    def __init__(self, *nodes: Any) -> None:
        self.nodes = lambda: nodes


@pytest.mark.parametrize(
    ("nodes", "cores"),
    [
        ([node(0, 4)], 0),
        ([node(0, 4), node(8, 16)], 8),
        ([node(8, 4)], 4),  # no more than its memory has room for
        ([node(8, 16), node(8, 16, alive=False)], 8),
        ([node(4, 0.5)], 0),
    ],
)
def test_batches_are_queued_beyond_what_plays(nodes: list[Any], cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(existing_cluster, "_LOOK_SECONDS", 0.0)
    said: list[str] = []
    cluster = JoinedCluster(RayWith(*nodes), said.append)
    for _ in range(2):
        cluster.look(GIGABYTE)
    assert (cluster.cores, cluster.most) == (cores, 2 * cores + 8)
    assert len(said) == (cores == 0)  # once, not each second


def test_what_is_taken_follows_what_can_be_played() -> None:
    most = [1]
    taken: list[int] = []

    def tasks() -> Any:
        for number in range(10):
            taken.append(number)
            yield number

    def start(task: Any) -> int:
        return int(task)

    def receipt_of(task: int) -> Receipt:
        return Receipt((), float(task))

    done = keep_busy(
        partial(next, tasks(), None), lambda: most[0], start, lambda running: (running[:1], running[1:]), receipt_of, []
    )
    assert next(done) == [receipt_of(0)]
    assert taken == [0]
    most[0] = 4
    assert next(done) == [receipt_of(1)]
    assert taken == [0, 1, 2, 3, 4]


def test_rays_client_is_refused() -> None:
    with pytest.raises(InputError, match=r"run on a node of the cluster with host:port, or by ray job submit"):
        join(RayWith(), "ray://head:10001")
