"""Numbers as a terminal shows them."""

from __future__ import annotations


def short(number: float) -> str:
    """Return a number with one decimal and a unit, such as 12.3M. Each of k, M, G, T and P is 1,000 times the last.

    Below 1,000 it is a whole number without a unit.
    """
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
    """Return a duration as whole seconds, at least one, or from two of them on as whole hours or days."""
    for unit, size in (("days", 86_400), ("hours", 3_600)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{max(1, round(seconds)):,} s"
