"""What a contest's judge is given and returns: a program, a match, a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TextIO


class Silent(Exception):
    """The program wrote no line in time."""


class Gone(Exception):
    """The program closed its output, most likely by ending."""


class Program(Protocol):
    """A running program, seen from the other end of its pipes."""

    def send(self, text: bytes) -> None:
        """Write to its input, without waiting for it to read."""

    def read_line(self, seconds: float, most_bytes: int) -> bytes:
        """Its next line, without the end of line; cut after `most_bytes` + 1 bytes if longer. Raises Silent when there
        is none within so many seconds, Gone when there will be none."""

    def cpu_seconds(self) -> float:
        """The processor time that it has taken."""

    def end(self, seconds: float) -> int | None:
        """Close its input, let it end within so many seconds, else kill it with all that it started. Returns its exit
        status, negative for a signal; None if it had to be killed."""


@dataclass(frozen=True)
class JudgedMatch:
    """What a program plays before a judge: so many hands dealt by a key, or those of a file. `helpers_key`: for all
    other chance. The transcript gets every line of both sides."""

    hands: int | None
    decks: Path | None
    deals_key: bytes
    helpers_key: bytes
    transcript: TextIO | None = None


class Verdict(Protocol):
    """How a judged match ended, in words and as the exit code of a command."""

    @property
    def text(self) -> str: ...
    @property
    def exit_code(self) -> int: ...


Judge = Callable[[Callable[[], Program], JudgedMatch], Verdict]
