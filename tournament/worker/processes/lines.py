"""A contest's questions as lines of text, in the form that `engine.processes.lines` takes."""

from __future__ import annotations

import re

from engine.processes.lines import ARGUMENT, MOST_PIECE, TEXT
from tournament.contests.interface import Interface, Question

Segment = tuple[int, int, bytes]
TextWord = tuple[bytes, bool, int]


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
            pieces = (piece[start : start + MOST_PIECE] for start in range(0, len(piece), MOST_PIECE))
            segments += [(TEXT, 0, text.encode()) for text in pieces]
        elif name in question.arguments:
            segments.append((ARGUMENT, question.arguments.index(name), b""))
        else:
            segments.append((ord(fields[name].code), fields[name].offset, b""))
    return segments
