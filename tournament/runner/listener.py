"""Listeners of a run, and the progress that they receive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tournament.runner.executors.cluster_nodes import ClusterState
from tournament.standings.standings import Standings


@dataclass(frozen=True)
class Progress:
    """The progress of a run.

    Attributes:
        legs: Number of legs in the records that count, including those of earlier runs.
        total_legs: Number of legs of the round's schedule that count.
        games: Number of games that this round has played, including those that don't count.
        seconds: Wall-clock seconds since the round's start.
        seconds_left: Estimated wall-clock seconds that the missing legs take; None if unknown.
        standings: The latest standings, which might be older than the last commit.
        cluster: State of the cluster that the run joined; None if it joined none.
    """

    legs: int
    total_legs: int
    games: int
    seconds: float
    seconds_left: float | None
    standings: Standings
    cluster: ClusterState | None = None


class ProgressListener(Protocol):
    """Receives a run's messages, and its progress after each commit."""

    def on_message(self, text: str) -> None:
        """Receive a message for the user."""

    def on_progress(self, progress: Progress) -> None:
        """Receive the progress."""


class NullListener:
    """A listener, of a run or of a verification, that ignores what it receives."""

    def on_message(self, text: str) -> None:
        """Ignore a message."""

    def on_progress(self, progress: Progress) -> None:
        """Ignore the progress."""

    def checked(self, what: str, done: int, total: int) -> None:
        """Ignore a check's progress."""
