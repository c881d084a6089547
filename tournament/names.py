"""What bots, and other things that files are named after, may be called."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}")
NAME_RULE = "a bot's name has letters, digits and _ . + - only, 64 at most, and starts with a letter, digit or _"


def valid_name(name: str) -> bool:
    """Whether a bot may be called so."""
    return _NAME.fullmatch(name) is not None
