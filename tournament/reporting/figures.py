"""Numbers and texts as the page shows them."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup

from tournament.errors import printable

MINUS = "−"


def signed(value: float, digits: int) -> str:
    """As +1,234.5; the minus sign is as wide as the plus, and zero has no sign."""
    text = f"{abs(value):,.{digits}f}"
    if not text.strip("0.,"):
        return text
    return f"{'+' if value > 0 else MINUS}{text}"


def plain(value: float, digits: int = 0) -> str:
    text = f"{abs(value):,.{digits}f}"
    return f"{MINUS}{text}" if value < 0 and text.strip("0.,") else text


def clean(text: str, most: int = 2_500) -> str:
    """A stranger's text without control characters, and cut."""
    return printable(text[:most]) + ("…" if len(text) > most else "")


def size_text(size: float) -> str:
    """A count, in millions from a million on."""
    return f"{size / 1e6:,.2f} million" if size >= 1e6 else f"{size:,.0f}"


def as_json(value: Any) -> Markup:
    """JSON that is safe inside a script element: nothing in it ends the element or begins a comment."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)
