"""A result of the audit."""

from __future__ import annotations

from dataclasses import dataclass

# Probability of a false alarm of one comparison. An audit makes some hundreds of comparisons.
FALSE_ALARM = 1e-6


@dataclass(frozen=True)
class Finding:
    """A result of the audit.

    Attributes:
        name: Subject of the finding, such as "luck and length".
        text: The finding with its numbers, and advice.
        is_fault: Whether the contest shouldn't be launched before this is repaired. False by default.
    """

    name: str
    text: str
    is_fault: bool = False
