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
    """A file as it was dropped, or a folder as an archive. `sha256` is of its bytes, in hex."""

    name: str
    kind: Kind
    path: Path
    source: bytes
    sha256: str


@dataclass(frozen=True)
class Entrant:
    """A submission after building: `artifact` is what plays, or None with the `problem` in words.

    `failed`: of what kind the problem is. `is_nameless`: of several newcomers with one name, none of which plays.
    `is_late`: it is still being built, and may play later. `set_aside`: why it plays nothing in this run, though it
    may not be to blame; its recorded games count. `is_house`: it is the host's own, and isn't ranked.
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
        """How it is run."""
        return plays_as(self.kind)

    @cached_property
    def artifact_sha256(self) -> str | None:
        """The artifact's, in hex."""
        return None if self.artifact is None else hashlib.sha256(self.artifact).hexdigest()


def plays_as(kind: str) -> PlaysAs:
    """How a bot of a kind is run."""
    return "python" if kind == "python" else "program" if kind == "program" else "wasm"
