"""Repeated matrix games in words: the moves by their names, and what a turn paid."""

from __future__ import annotations

from collections.abc import Sequence

from tournament.contests.telling import Telling, Values


def move_name(moves: Sequence[str], number: int) -> str:
    """A move's name, or its number if it has none: records of other settings may have more moves."""
    return moves[number] if 0 <= number < len(moves) else f"move {number}"


def new_telling(moves: Sequence[str]) -> Telling:
    """The telling for moves of these names."""

    def question(_name: str, values: Values) -> str:
        turn, rounds = int(values["turn"]), int(values["rounds"])
        when = f"turn {turn}" if rounds < 0 else f"turn {turn} of {rounds}"
        if values["my_previous_move"] < 0:
            return f"{when}, the first"
        mine, theirs = (
            move_name(moves, int(values[whose])) for whose in ("my_previous_move", "opponents_previous_move")
        )
        return f"{when}, after {mine} against {theirs}"

    def answer(_name: str, _values: Values, answer: int) -> str:
        return move_name(moves, answer)

    return Telling(question, answer)
