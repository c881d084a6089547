"""Whose turn it is: legs of a bot that see the same deals play one after the other, where each has a process.

Played at once, one that is ahead could tell another the cards: by load alone two processes tell each other a bit a
game. The turn is a lock of the system, so that it holds for all workers that share a cache, and ends with its worker.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import struct
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

from tournament.artifacts.python_packing import legs_may_share
from tournament.cache import cache_trouble, make_folder
from tournament.leg import PlaysAs
from tournament.sandbox.outside.settings import SandboxSettings

_FLOCK = "hhqqi4x"  # fcntl.h: kind, whence, start, length, process
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
    """The turns that one worker has; each may be held several times. `cache`: the folder that workers share.

    `given_back`: how many were, so far.
    """

    def __init__(self, cache: Path) -> None:
        self.given_back = 0
        self._cache = cache
        self._file = -1
        self._held: Counter[Turn] = Counter()

    def take(self, turns: Collection[Turn]) -> bool:
        """Take all of these turns, or none if another leg has one of them.

        Raises RunFailed when the cache can't be written.
        """
        if not self._held.keys().isdisjoint(turns):
            return False
        for turn in turns:
            if not self._lock(turn, fcntl.F_WRLCK):
                self.give_back(self._held.keys() & turns)
                return False
            self._held[turn] = 1
        return True

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
                self._lock(turn, fcntl.F_UNLCK)

    def close(self) -> None:
        """Give back all turns."""
        if self._file >= 0:
            os.close(self._file)

    def _lock(self, turn: Turn, kind: int) -> bool:
        """Whether it could be done. Where the file system has no locks, other workers aren't seen."""
        if self._file < 0:
            with cache_trouble(self._cache):
                make_folder(self._cache)
                self._file = os.open(self._cache / "turns", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, struct.pack(_FLOCK, kind, os.SEEK_SET, turn, 1, 0))
        except BlockingIOError:
            return False
        except OSError:
            pass
        return True
