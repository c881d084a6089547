"""Whose turn it is: legs of a bot that see the same deals play one after the other, where each has a process.

Played at once, one that is ahead could tell another the cards: by load alone two processes tell each other a bit a
game. Legs that share a turn come in one task, and no other task that has them is out (`tournament.runner.tasks`).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Protocol

from tournament.artifacts.python_packing import legs_may_share
from tournament.leg import PlaysAs
from tournament.sandbox.outside.settings import SandboxSettings

Turn = int


class Bot(Protocol):
    """How a bot is run, and the sha256 of what plays."""

    @property
    def kind(self) -> PlaysAs: ...
    @property
    def artifact(self) -> str: ...


def plays_in_turn(bot: Bot, artifacts: Mapping[str, bytes], sandbox: SandboxSettings) -> bool:
    """Whether a bot has a process for each leg, so that those with the same deals play in turn."""
    if bot.kind == "python":
        return sandbox.legs_per_process == 1 or not legs_may_share(artifacts[bot.artifact])
    return bot.kind == "program"


def turn_of(name: str, deals_key: bytes) -> Turn:
    """The turn that a bot's legs with these deals share."""
    return int.from_bytes(hashlib.sha256(deals_key + name.encode()).digest()[:7], "little")


class Turns:
    """The turns of a task's legs; each may be held several times. `given_back`: how many were, so far."""

    def __init__(self) -> None:
        self.given_back = 0
        self._held: Counter[Turn] = Counter()

    def take(self, turns: Collection[Turn]) -> bool:
        """Take all of these turns, or none if another leg has one of them."""
        free = self._held.keys().isdisjoint(turns)
        if free:
            self.hold(turns)
        return free

    def hold(self, turns: Collection[Turn]) -> None:
        """Hold turns that are taken once more."""
        self._held.update(turns)

    def give_back(self, turns: Collection[Turn]) -> None:
        """Give back turns, each once."""
        for turn in turns:
            self._held[turn] -= 1
            if not self._held[turn]:
                del self._held[turn]
                self.given_back += 1
