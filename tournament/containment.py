"""Errors with one bot that affect no other.

If our own code fails while it reads, builds, tries, plays or describes a bot, this bot is broken, with a reason
of one line. The others continue. A file that the reason names has the traceback.
"""

from __future__ import annotations

import errno
import hashlib
import traceback
from types import TracebackType

from tournament.cache import cache_folder, make_folder
from tournament.errors import MachineError, RunError, TournamentError, printable, truncate
from tournament.small_files import write_atomically

_FOLDER = "errors"  # name in the cache
_MAX_LETTERS = 300


class BotTrouble(RunError):
    """Raised for a bot that can't play on, or that a leg was too late for. It ends a run only if nothing contains it.

    Attributes:
        names: Names of the bots that can be the cause.
        reason: The reason as one line.
    """

    def __init__(self, names: tuple[str, ...], reason: str) -> None:
        super().__init__(f"{' or '.join(names)}: {reason}")
        self.names, self.reason = names, reason

    def __reduce__(self) -> tuple[object, ...]:
        return BotTrouble, (self.names, self.reason)


def our_error(error: BaseException, doing: str) -> str:
    """Return a line about our own code's error while `doing` something with a bot.

    The traceback is stored, and the line has its path. If it can't be stored, the line has none. The error's message is
    cut at 300 characters.
    """
    message = truncate(" ".join(printable(str(error)).split()), _MAX_LETTERS)
    path = _store_traceback(error)
    please = f"please report it, with {path}" if path else "please report it"
    problem = f"{type(error).__name__}{f': {message}' if message else ''}"
    return f"{doing}: an error of the tournament's own, {problem}; {please}"


class containing:  # noqa: N801
    """A context that turns unexpected errors into a BotTrouble of a bot. A class, because each leg enters it often.

    Args:
        name: Name of the bot.
        doing: What is done with it, for messages.
        expected: Types of errors that pass through, as BotTrouble and exceptions that are no Exception do.

    Raises:
        BotTrouble: There was an unexpected error within.
        RunError: The machine is the cause: this process has no descriptor left, or the error is a MachineError.
    """

    __slots__ = ("_doing", "_expected", "_name")

    def __init__(self, name: str, doing: str, *expected: type[BaseException]) -> None:
        self._name, self._doing, self._expected = name, doing, expected

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Exception) or isinstance(error, (BotTrouble, *self._expected)):
            return
        raise contained(error, self._name, self._doing) from error


def contained(error: Exception, name: str, doing: str) -> BotTrouble:
    """Return an error that came up while a bot did something as trouble of the bot of this name.

    The reason is the message of a TournamentError. For others it is the line by `our_error`, which stores the
    traceback.

    Raises:
        RunError: The machine is the cause, which no bot can be: this process has no descriptor left, or the error is a
            MachineError.
    """
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        raise RunError(f"{name}: {doing}: too many open files; raise their limit (ulimit -n) and run again") from error
    if isinstance(error, MachineError):
        raise error
    return BotTrouble((name,), f"{doing}: {error}" if isinstance(error, TournamentError) else our_error(error, doing))


def _store_traceback(error: BaseException) -> str:
    """Write an error's traceback to a file named by its content, and return its path, or "" if it can't be written."""
    try:
        text = printable("".join(traceback.format_exception(error))).encode("utf-8", "replace")
        folder = cache_folder() / _FOLDER
        make_folder(folder)
        path = folder / f"{hashlib.sha256(text).hexdigest()[:16]}.txt"
        if not path.exists():
            write_atomically(path, text, 0o600)
        return str(path)
    except (OSError, TournamentError):
        return ""
