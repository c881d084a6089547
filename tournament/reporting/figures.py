"""Numbers and texts as the page shows them."""

from __future__ import annotations

import math

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


def percent(share: float | None, digits: int = 0) -> str:
    return "" if share is None else f"{plain(100 * share, digits)}%"


def sure(probability: float | None) -> str:
    """A probability that is never shown as a certainty."""
    if probability is None:
        return ""
    return ">99.9%" if probability > 0.999 else "<0.1%" if probability < 0.001 else f"{100 * probability:.1f}%"


def with_unit(value: float, unit: str, digits: int | None = None) -> str:
    """43%, $12 or 7 chips."""
    if unit == "%":
        return percent(value, digits or 0)
    text = plain(value, digits_for(value) if digits is None else digits)
    return f"{MINUS if value < 0 else ''}${text.lstrip(MINUS)}" if unit == "$" else f"{text} {unit}".rstrip()


def digits_for(value: float) -> int:
    """How many decimals to show for three digits in all."""
    size = abs(value)
    return 0 if size >= 100 or size == 0 else max(0, min(4, 2 - math.floor(math.log10(size))))


def clean(text: str, most: int = 2_500) -> str:
    """A stranger's text without control characters, and cut."""
    return printable(text[:most]) + ("…" if len(text) > most else "")


def size_text(size: float) -> str:
    """A count, in millions from a million on."""
    return f"{size / 1e6:,.2f} million" if size >= 1e6 else f"{size:,.0f}"
