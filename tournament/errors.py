"""What can go wrong for a user, each with one clear line for a message."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TournamentError(Exception):
    """Base: the message is all that a user needs to see."""

    exit_code = 1


class BadInput(TournamentError):
    """The user can mend it: a setting, a file, an option."""

    exit_code = 2


class RunFailed(TournamentError):
    """A run stopped short; what was committed stays."""


def closest(word: str, known: Iterable[str]) -> str:
    """ ", did you mean …?" for a word that is close to a known one, else nothing."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return f", did you mean {found[0]}?" if found else ""


def printable(text: str) -> str:
    """A text of a stranger's as any terminal and any file takes it: with escapes for what they don't."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters and a word on the rest; all of it can be written as UTF-8."""
    kept = text[:most].encode("utf-8", "replace").decode("utf-8")
    return kept if len(text) <= most else f"{kept}… ({len(text) - most:,} characters more)"
