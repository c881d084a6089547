"""Numbers and texts as the page shows them."""

from __future__ import annotations

import json
from typing import Any

from markupsafe import Markup

from tournament.errors import printable

MINUS = "−"


def signed(value: float, digits: int) -> str:
    """Return a number such as +1,234.5. The minus sign is as wide as the plus.

    A number that is rounded to zero has no sign.

    Args:
        value: The number.
        digits: Number of decimals.
    """
    text = f"{abs(value):,.{digits}f}"
    if not text.strip("0.,"):
        return text
    return f"{'+' if value > 0 else MINUS}{text}"


def plain(value: float, digits: int = 0) -> str:
    """Return a number such as 1,234.5, with a minus sign if it is negative and not rounded to zero.

    Args:
        value: The number.
        digits: Number of decimals.
    """
    text = f"{abs(value):,.{digits}f}"
    return f"{MINUS}{text}" if value < 0 and text.strip("0.,") else text


def clean(text: str, max_length: int = 2_500) -> str:
    """Return an untrusted text with escapes for unprintable characters except tabs and ends of lines.

    Args:
        text: The text.
        max_length: Number of characters, before escaping, after which the text is cut and an ellipsis follows.
    """
    return printable(text[:max_length]) + ("…" if len(text) > max_length else "")


def size_text(size: float) -> str:
    """Return a count as text, in millions if it is at least a million."""
    return f"{size / 1e6:,.2f} million" if size >= 1e6 else f"{size:,.0f}"


def as_json(value: Any) -> Markup:
    """Return JSON that is safe inside a script element: it can't end the element or start a comment.

    Raises:
        ValueError: A number is infinite or NaN.
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)
