"""Numbers as a terminal shows them."""

from __future__ import annotations


def short(number: float) -> str:
    """Three or four digits and a unit: 12.3M."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}"
