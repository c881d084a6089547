"""Values drawn from all that a type has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.kernel.chance import Rng
from tournament.decisions.value_types import Bool, Choice, Float, Int, List, Maybe, Struct, Text, ValueType


def drawn_value(kind: ValueType, rng: Rng) -> Any:
    """Return a value of a type, often one at its limits.

    Texts have lower-case letters and blanks, and at most `max_length` of them, 0 without one. A Maybe is None at one
    time in four.

    Args:
        kind: The type, which is no LegalAction and contains none.
        rng: Source of random numbers, which is advanced.
    """
    if isinstance(kind, Int):
        return draw_item(range(kind.low, kind.high + 1), rng)
    if isinstance(kind, Float):
        drawn = draw_item((0.0, rng.random(), -1.0, 1e300, -1e300), rng)
        return min(max(drawn, kind.low), kind.high)
    if isinstance(kind, Choice):
        return draw_item(kind.names, rng)
    if isinstance(kind, Text):
        return "".join(
            rng.choice("abcdefghijklmnopqrstuvwxyz ") for _ in range(draw_item(range((kind.max_length or 0) + 1), rng))
        )
    if isinstance(kind, Bool):
        return rng.randrange(2) == 1
    if isinstance(kind, Maybe):
        return None if rng.randrange(4) == 0 else drawn_value(kind.of, rng)
    if isinstance(kind, Struct):
        return {name: drawn_value(field, rng) for name, field in kind.fields.items()}
    assert isinstance(kind, List)
    return [drawn_value(kind.of, rng) for _ in range(draw_item(range(kind.most + 1), rng))]


def draw_item(legal: Sequence[Any], rng: Rng) -> Any:
    """Return one of at least one values: a quarter of the time each the first or the last, otherwise any of them."""
    choice = rng.randrange(4)
    return legal[0] if choice == 0 else legal[-1] if choice == 1 else rng.choice(legal)
