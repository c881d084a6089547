"""Submissions and entrants."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from tournament.leg import FailureKind, PlaysAs

Kind = Literal["c", "cpp", "wasm", "python", "program"]


@dataclass(frozen=True)
class Submission:
    """A submitted file, or a submitted folder as an archive.

    Attributes:
        name: Name of the bot.
        kind: Kind of the file, "c", "cpp", "wasm" or "python", or "program" for a folder.
        path: The file or folder.
        source: The file's bytes, or the archive's.
        sha256: Digest of these bytes, in hex.
    """

    name: str
    kind: Kind
    path: Path
    source: bytes
    sha256: str


@dataclass(frozen=True)
class Entrant:
    """A submission after building.

    Attributes:
        name: Name of the bot.
        kind: Kind of the submission.
        sha256: Digest of the submission, in hex.
        artifact: The bytes that play, or None if the bot is broken or late.
        problem: Why it is broken; None if it isn't.
        failed: Kind of the problem. It means nothing without a problem.
        is_nameless: Whether several new bots share its name, so that none of them plays.
        is_late: Whether it is still being built, and can play later.
        set_aside: Why it plays nothing in this run, though it may not be at fault. Its recorded games count. None if it
            plays.
        is_house: Whether it is the host's own bot, which isn't ranked.
    """

    name: str
    kind: Kind
    sha256: str
    artifact: bytes | None
    problem: str | None = None
    failed: FailureKind = "other"
    is_nameless: bool = False
    is_late: bool = False
    set_aside: str | None = None
    is_house: bool = False

    @property
    def plays_as(self) -> PlaysAs:
        """The way in which the bot is run."""
        return plays_as(self.kind)

    @cached_property
    def artifact_sha256(self) -> str | None:
        """Digest of the artifact, in hex, or None without an artifact."""
        return None if self.artifact is None else hashlib.sha256(self.artifact).hexdigest()


def plays_as(kind: str) -> PlaysAs:
    """Return how a bot of this kind is run: "python", "program", or "wasm" for all other kinds."""
    return "python" if kind == "python" else "program" if kind == "program" else "wasm"
