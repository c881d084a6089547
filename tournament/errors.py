"""Errors for users, each with a message of one clear line."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

_Called = TypeVar("_Called", bound=Callable[..., Any])
_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)(?: ([^\s:,;]+)(?=:))?")


class TournamentError(Exception):
    """Base class for errors shown without a traceback.

    Attributes:
        exit_code: Exit code of a command that ends with it: 2 for InputError, otherwise 1.
    """

    exit_code = 1


class InputError(TournamentError):
    """Raised for a mistake that the user can correct: in a setting, a file or an option."""

    exit_code = 2


class TooFewBotsError(InputError):
    """Raised if there is nothing to play until more bots come."""


class RunError(TournamentError):
    """Raised when a run stops early, or this machine fails otherwise. Committed games are kept."""


class MachineError(RunError):
    """Raised if this machine can't play any bot, so that no bot is at fault."""


def printable(text: str) -> str:
    """Return an untrusted text with escapes for unprintable characters, except line breaks and tabs."""
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def one_line(text: str) -> str:
    """Return an untrusted text as one line, with escapes for line breaks, tabs and all other unprintable characters."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def truncate(text: str, length: int) -> str:
    """Return a text's first `length` characters, encodable as UTF-8, and the number of further ones, if any."""
    shortened = text[:length].encode("utf-8", "replace").decode("utf-8")
    return shortened if len(text) <= length else f"{shortened}… ({len(text) - length:,} characters more)"


def pluralize(count: int, singular: str, more: str = "") -> str:
    """Return a number of things as text, such as "1 leg" or "2,000 legs".

    Args:
        count: The number.
        singular: The word for one thing.
        more: The word for several; "" means `singular` with an s.
    """
    return f"{count:,} {singular if count == 1 else more or f'{singular}s'}"


def and_more(count: int) -> str:
    """Return the number of things that weren't named as text, such as " and 3 more", or "" if there are none."""
    return f" and {count:,} more" if count > 0 else ""


def truncate_lines(lines: Sequence[str], count: int) -> list[str]:
    """Return the first `count` lines, and one with the number of further ones if there are any."""
    return [*lines[:count], *([f"…{and_more(len(lines) - count)} lines"] if len(lines) > count else [])]


def join_names(names: Sequence[str], count: int = 10) -> str:
    """Return the first names in a line, with commas, and the number of further ones. The line is "" without names."""
    return ", ".join(names[:count]) + and_more(len(names) - count)


def main_error_line(problem: str) -> str:
    """Return the most informative line of a problem: a compiler's first error, otherwise the first line.

    The line is stripped. Empty lines don't count, and "" means that there are no others.
    """
    lines = [line.strip() for line in problem.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[0] if lines else "")


def name_parameters_in_errors(called: _Called) -> _Called:
    """Return a function that does the same, but whose InputErrors name parameters instead of the command's options."""

    @functools.wraps(called)
    def call(*args: Any, **named: Any) -> Any:
        """Call the function.

        Raises:
            InputError: The function raises it. Its message names parameters in place of options.
        """
        try:
            return called(*args, **named)
        except InputError as error:
            raise type(error)(_as_parameters(str(error))) from None

    return call  # type: ignore[return-value]


def _as_parameters(text: str) -> str:
    """Return an error's text with `--max-replicas 0` as `max_replicas=0`, except in commands that it names."""

    def named(match: re.Match[str]) -> str:
        """Return an option as a parameter."""
        clause = re.split(r"[;:,] |\n", text[: match.start()])[-1]
        if "tournament " in clause:
            return match[0]
        return match[1].replace("-", "_") + (f"={match[2]}" if match[2] else "")

    return _OPTION.sub(named, text)
