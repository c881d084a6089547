"""Numbers as a terminal shows them."""

from __future__ import annotations


def short(number: float) -> str:
    """Return a number with three or four digits and a unit: 12.3M. Each of k, M, G, T and P is 1,000 times the last."""
    for unit, size in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}"


def small_duration(seconds: float) -> str:
    """Return a time in seconds, milliseconds or microseconds, with one decimal."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds * 1e6:,.1f} µs"


def duration(seconds: float) -> str:
    """Return a duration as text: seconds, at least one, or hours or days from two of them."""
    for unit, size in (("days", 86_400), ("hours", 3_600)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(1, round(seconds)):,} s"
