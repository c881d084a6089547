"""A contest's questions as lines of text, in the form that `engine.processes.lines` takes."""

from __future__ import annotations

import re

from tournament.contests.interface import Interface, Question

Segment = tuple[int, int, bytes]
TextWord = tuple[bytes, bool, int]
_TEXT, _ARGUMENT = 0, 1


def question_lines(interface: Interface) -> list[tuple[list[Segment], list[TextWord]]]:
    """For each question the pieces of its line, and the words that answer it with what they stand for.

    A piece is text, the number of an argument, or a field of the view by its struct code.
    """
    return [
        (
            _segments(interface, question),
            [(word.text.encode(), word.value is None, word.value or 0) for word in question.words],
        )
        for question in interface.questions
    ]


def _segments(interface: Interface, question: Question) -> list[Segment]:
    fields = {field.name: field for field in interface.view}
    segments: list[Segment] = []
    for piece in re.split(r"(\{\w+\})", question.line + "\n"):
        name = piece[1:-1]
        if not piece.startswith("{"):
            # The engine takes pieces of at most 31 bytes.
            segments += [(_TEXT, 0, piece[start : start + 31].encode()) for start in range(0, len(piece), 31)]
        elif name in question.arguments:
            segments.append((_ARGUMENT, question.arguments.index(name), b""))
        else:
            segments.append((ord(fields[name].code), fields[name].offset, b""))
    return segments
