"""Who watches a run, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tournament.runner.executors.cluster_nodes import ClusterState
from tournament.standings.standings import Standings


@dataclass(frozen=True)
class Progress:
    """How far a run is. Seconds are of play; `games` and legs count what this run played. `cluster`: the cluster that
    it plays on, if it joined one."""

    legs: int
    total_legs: int
    games: int
    seconds: float
    seconds_left: float | None
    standings: Standings
    cluster: ClusterState | None = None


class ProgressListener(Protocol):
    """Receives a run's messages, and its progress after each commit."""

    def on_message(self, text: str) -> None: ...
    def on_progress(self, progress: Progress) -> None: ...


class NullListener:
    """A listener that ignores what it gets, of a run or of a verification."""

    def on_message(self, text: str) -> None:
        pass

    def on_progress(self, progress: Progress) -> None:
        pass

    def checked(self, what: str, done: int, total: int) -> None:
        pass
