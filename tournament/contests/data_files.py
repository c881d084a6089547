"""Entrants that are data, such as programs in a contest's own language: files that answer a decision by their text.

Rules say which endings these files have (`Rules.data`). Such a file enters as a Python bot that returns its text.
"""

from __future__ import annotations

from dataclasses import dataclass

from tournament.errors import InputError


@dataclass(frozen=True)
class _Taken:
    """A function that a data file answers, and the most bytes that its answer can have."""

    function: str
    max_bytes: int


_taken: dict[str, dict[str, _Taken]] = {}


def register(suffix: str, function: str, max_bytes: int) -> None:
    """Take files of an ending for bots, beside those that other contests of this process have registered.

    Args:
        suffix: Ending of their names, with its dot, in lower case.
        function: The bot's function that returns the text.
        max_bytes: The most bytes that a text can have.
    """
    _taken.setdefault(suffix, {})[function] = _Taken(function, max_bytes)


def is_data(suffix: str) -> bool:
    """Return whether files of an ending, in lower case with its dot, are entrants that are data in this process."""
    return suffix in _taken


def as_python(name: str, suffix: str, content: bytes) -> bytes:
    """Return a Python bot that answers by a file's text.

    Args:
        name: Name of the file, for errors.
        suffix: Its ending, which is registered.
        content: Its content.

    Raises:
        InputError: The file isn't UTF-8, or has more bytes than any registered answer can.
    """
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise InputError(f"{name}: it is not UTF-8 text") from None
    functions = _taken[suffix].values()
    if len(content) > (most := max(one.max_bytes for one in functions)):
        raise InputError(f"{name}: it has {len(content):,} bytes; this contest takes at most {most:,}")
    lines = [f"TEXT = {text!r}\n", *(f"\n\ndef {one.function}(view):\n    return TEXT\n" for one in functions)]
    return "".join(lines).encode()
