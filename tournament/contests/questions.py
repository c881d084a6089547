"""A contest's questions as text, and at the limits of their values."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Mapping
from typing import Any

from engine.kernel.game_core import GameCore
from engine.rules.decisions import SEATING
from tournament.contests.interface import Interface
from tournament.decisions.value_types import Float, Int
from tournament.errors import printable, truncate


def view_values(interface: Interface, kind: int, view: bytes) -> dict[str, float]:
    """Return the values of a question, by name, from the struct that its core wrote. Rules in Python have none."""
    return {name: struct.unpack_from(f"<{code}", view, offset)[0] for name, code, offset in interface.fields[kind]}


def describe_pending(interface: Interface, core: GameCore, *, compiled: bool = False) -> str:
    """Return a core's pending question as one line, with its name and all values that a bot sees."""
    kind, _, view = core.pending()
    values = core.observed_values() if interface.by_name else view_values(interface, kind, view)
    return describe_question(interface, kind, values, compiled=compiled)


def describe_question(interface: Interface, kind: int, values: Mapping[str, Any], *, compiled: bool = False) -> str:
    """Return a question as one line, with its name and values.

    Args:
        interface: Interface of the contest.
        kind: Number of the decision.
        values: All that the question shows, by name.
        compiled: Whether values have the names that C has.
    """
    question = interface.questions[kind]
    if interface.by_name:
        # Readers of games know who sits where.
        parts = [f"{name} {value}" for name, value in values.items() if name not in SEATING]
        return f"{question.name}: {', '.join(parts)}"
    in_c = interface.compiled.names if compiled else {}
    if interface.show_view:
        parts = [interface.show_view(values)]
    else:
        parts = [
            f"{in_c.get(name, name)} {value if type(value) is int else f'{value:g}'}" for name, value in values.items()
        ]
    return f"{question.name}: {', '.join(parts)}"


def refusal(interface: Interface, core: GameCore) -> str:
    """Return the reason why a core refused the pending question's answer. The answer is cut at 200 characters."""
    narrowed = core.narrowed()
    # A statement has its own words for answers.
    in_numbers = interface.name_answer is str
    answers = narrowed.limits if narrowed else interface.questions[core.pending()[0]].answers
    legal = f"; it takes {answers}" if in_numbers else ""
    refused = truncate(printable(interface.name_answer(core.refused())), 200)
    return f"answered {refused}, which is no answer to this{legal}"


def extreme_questions(interface: Interface) -> list[tuple[int, bytes]]:
    """Return every question that a core writes, as (kind, view), with its values at their limits.

    Values of the same type are at the same limit: so cards are in order.
    """
    questions = []
    for kind, (question, fields) in enumerate(zip(interface.questions, interface.fields)):
        types = list(dict.fromkeys(question.observation.values()))
        limits = [(of_type.low, of_type.high) for of_type in types if isinstance(of_type, Int | Float)]
        for ends in itertools.product(*limits):
            view = bytearray(interface.view_size)
            for name, code, offset in fields:
                struct.pack_into(f"<{code}", view, offset, ends[types.index(question.observation[name])])
            questions.append((kind, bytes(view)))
    return questions
