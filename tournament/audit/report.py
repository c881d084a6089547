"""The result of a verification."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tournament.errors import RunError, pluralize
from tournament.records.self_play import FOLDER


@contextlib.contextmanager
def reading(location: str) -> Iterator[None]:
    """Report an OSError of the files at a location as a RunError of one line.

    Raises:
        RunError: A file can't be read.
    """
    try:
        yield
    except OSError as error:
        raise RunError(f"{location} can't be read: {error.strerror or error}") from None


@dataclass(frozen=True)
class Problem:
    """A difference from what was recorded.

    Attributes:
        path: Path of the file inside the records, or name of the bot or match concerned.
        message: Description of the problem, as a predicate that follows the path.
        fix: How `tournament run` or the user repairs it.
    """

    path: str
    message: str
    fix: str

    def __str__(self) -> str:
        return f"{self.path} {self.message}; {self.fix}"


def describe_replay(legs: int) -> str:
    """Return how a run repairs a part that isn't as it was written, as text, given the part's number of legs."""
    return f"tournament run plays its {legs:,} leg{'s' if legs > 1 else ''} again"


@dataclass(frozen=True)
class Verification:
    """The checks of one contest's records, and the problems found."""

    contest: str  #: name of the contest
    location: str  #: folder or URL of the records
    batches: int  #: number of batches checked
    parts: int  #: number of parts checked
    bytes: int  #: size of these parts, in bytes
    legs: int  #: number of legs whose sums were recomputed
    games: int  #: number of games in these legs
    sessions: int  #: number of sessions in these legs
    replayed: int  #: number of legs that were replayed
    notes: tuple[str, ...]  #: checks that weren't possible, each with the reason
    problems: tuple[Problem, ...]  #: problems that were found: `path`, `message`, `fix`

    def with_self_play(self, other: Verification) -> Verification:
        """Return this verification combined with that of the contest's self-play: sums, and this one's problems first.

        Notes and paths of self-play are marked.
        """
        counts = ("batches", "parts", "bytes", "legs", "games", "sessions", "replayed")
        return replace(
            self,
            **{name: getattr(self, name) + getattr(other, name) for name in counts},
            notes=(*self.notes, *(f"self-play: {note}" for note in other.notes)),
            problems=(*self.problems, *(replace(one, path=f"{FOLDER}/{one.path}") for one in other.problems)),
        )

    @property
    def verdict(self) -> str:
        """Summary of the result, as text."""
        if self.problems:
            return pluralize(len(self.problems), "problem")
        return "no problems, but not everything could be checked" if self.notes else "everything as recorded"

    @property
    def exit_code(self) -> int:
        """Exit code: 1 for problems, otherwise 3 if something couldn't be checked, otherwise 0."""
        return 1 if self.problems else 3 if self.notes else 0

    def __str__(self) -> str:
        """Return what was checked, as one line."""
        checked = [
            pluralize(self.batches, "batch", "batches"),
            f"{pluralize(self.parts, 'part')} of {self.bytes:,} bytes",
            f"the sums of {pluralize(self.legs, 'leg')} with {pluralize(self.games, 'game')}",
            *([f"{pluralize(self.replayed, 'leg')} by replaying"] if self.replayed else []),
        ]
        return f"{self.location}: checked {', '.join(checked)}"
