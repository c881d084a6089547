"""A leg: the smallest unit of work, as schedule, workers and game cores know it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tournament.keys import helpers_key

# How a player is run: inside the worker, in a process that its legs share, in a process for each leg,
# or by the game's core itself.
PlaysAs = Literal["wasm", "python", "program", "house"]
PROCESSES: frozenset[PlaysAs] = frozenset(("python", "program"))


def legs_per_replica(settings: Mapping[str, object]) -> int:
    """How many legs a match has in each replica, by the contest's settings: two if it is duplicate."""
    return 2 if settings.get("duplicate") else 1


@dataclass(frozen=True)
class LegPlan:
    """What a core needs of a leg: its sessions, recorded from `first_session` on, and the key of all its randomness."""

    match: int
    number: int
    sessions: int
    deals_key: bytes

    @property
    def first_session(self) -> int:
        return self.number * self.sessions


@dataclass(frozen=True)
class Seat:
    """A player in a leg: its name, what it plays as, the sha256 of what plays, and the start of its own randomness.

    `random_seed`, 64 bits, starts its rand(); with `helpers_key`, 32 bytes, the contest's helpers draw for it.
    """

    name: str
    kind: PlaysAs
    artifact: str
    random_seed: int

    @property
    def helpers_key(self) -> bytes:
        return helpers_key(self.random_seed)


@dataclass(frozen=True)
class Leg:
    """The smallest unit of work. Its digest determines every byte of its records."""

    digest: str
    plan: LegPlan
    x: Seat
    y: Seat

    @property
    def has_processes(self) -> bool:
        """Whether one of its bots is a process."""
        return self.x.kind in PROCESSES or self.y.kind in PROCESSES
