"""A contest's questions: in words, and at the limits of their values."""

from __future__ import annotations

import itertools
import struct
from collections.abc import Mapping, Sequence

from engine.kernel.game_core import GameCore
from engine.rules.decisions import SEATING
from tournament.contests.interface import Interface
from tournament.errors import printable, truncate


def view_values(interface: Interface, view: bytes) -> dict[str, float]:
    """A view's values by field."""
    return {field.name: struct.unpack_from(f"<{field.code}", view, field.offset)[0] for field in interface.view}


def asked(interface: Interface, core: GameCore, *, compiled: bool = False) -> str:
    """A core's pending question in one line: its name and all that it tells a bot; one that is `compiled` by the names
    that C has."""
    kind, _, arguments, view = core.pending()
    return in_words(interface, kind, arguments, view, core.told_values(), compiled=compiled)


def in_words(
    interface: Interface,
    kind: int,
    arguments: Sequence[int],
    view: bytes,
    named: Mapping[str, object],
    *,
    compiled: bool = False,
) -> str:
    """The same of a question whose parts are known; `named` are the values that are told by name."""
    question = interface.questions[kind]
    if interface.by_name:
        # Readers of games know who sits where.
        shown = [f"{name} {value}" for name, value in named.items() if name not in SEATING]
        return f"{question.name}: {', '.join(shown)}"
    values = view_values(interface, view)
    in_c = interface.compiled.names if compiled else {}
    if interface.show_view:
        shown = [interface.show_view(values)]
    else:
        shown = [f"{in_c.get(name, name)} {value:g}" for name, value in values.items()]
    shown += [f"{in_c.get(name, name)} {value}" for name, value in zip(question.arguments, arguments)]
    return f"{question.name}: {', '.join(shown)}"


def refusal(interface: Interface, core: GameCore) -> str:
    """What was wrong with an answer that a core refused."""
    narrowed = core.narrowed()
    answers = narrowed.limits if narrowed else interface.questions[core.pending()[0]].answers
    legal = f"; it takes {answers}" if answers else ""
    refused = truncate(printable(interface.name_answer(core.refused())), 200)
    return f"answered {refused}, which is no answer to this{legal}"


def extreme_questions(interface: Interface) -> list[tuple[int, tuple[int, ...], bytes]]:
    """Every question with each combination of extreme values, as (kind, arguments, view)."""
    views = []
    for values in itertools.product(*[field.extremes for field in interface.view]):
        view = bytearray(interface.view_size)
        for field, value in zip(interface.view, values):
            struct.pack_into(f"<{field.code}", view, field.offset, value if field.code in "fd" else int(value))
        views.append(bytes(view))
    return [
        (kind, arguments, view)
        for kind, question in enumerate(interface.questions)
        for arguments in itertools.product(*question.extremes)
        for view in views
    ]
