"""A line of the audit."""

from __future__ import annotations

from dataclasses import dataclass

# Probability of a false alarm of one comparison. An audit makes some hundreds of comparisons.
FALSE_ALARM = 1e-6


@dataclass(frozen=True)
class Finding:
    """A result of the audit.

    Attributes:
        name: What it is about.
        text: The finding with its number, and what to do.
        is_fault: Whether the contest shouldn't be launched so.
    """

    name: str
    text: str
    is_fault: bool = False
