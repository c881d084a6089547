"""Names that bots, contests and other things with files can have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

LONGEST_NAME = 64  # characters
_NAME = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9_.+-]{{0,{LONGEST_NAME - 1}}}")
_CONTEST = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
LETTERS = "letters a-z and A-Z"
NAME_RULE = (
    f"a bot's name has {LETTERS}, digits and _ . + - only, {LONGEST_NAME} at most, and starts with a letter, digit or _"
)
CONTEST_NAME_RULE = f"a contest's name has {LETTERS}, digits and _ only, 64 at most, and starts with a letter"


@lru_cache(1 << 14)  # the parts of a large field have the same names a hundred thousand times
def valid_name(name: str) -> bool:
    """Return whether a bot can have this name, by NAME_RULE."""
    return _NAME.fullmatch(name) is not None


def valid_contest_name(name: str) -> bool:
    """Return whether a contest, and so its folders, can have this name, by CONTEST_NAME_RULE."""
    return _CONTEST.fullmatch(name) is not None


def did_you_mean(name: str, names: Iterable[str], mark: str = ";") -> str:
    """Return a clause that names the known name closest to a misspelt one, or "" if none is close.

    Args:
        name: The misspelt name, of which 100 characters count.
        names: The known names.
        mark: Text before the clause.
    """
    import difflib  # only messages need it

    close = difflib.get_close_matches(name[:100], list(names), n=1)
    return f"{mark} did you mean {close[0]}?" if close else ""
