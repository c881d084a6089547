"""Repeated matrix games in words: the moves by their names, and what a turn paid."""

from __future__ import annotations

from collections.abc import Sequence

from tournament.contests.telling import Action, Names, Row, Telling, ToldGame, Values

Payoffs = Sequence[Sequence[float]]  # by the row player's move and the column player's


def move_name(moves: Sequence[str], number: int) -> str:
    """A move's name, or its number if it has none: records of other settings may have more moves."""
    return moves[number] if 0 <= number < len(moves) else f"move {number}"


def plays(moves: Sequence[str], row: Row) -> list[str]:
    """What x and y do in a turn."""
    return [
        f"plays {move_name(moves, row[f'{seat}_move'])}{' by a slip' * bool(row[f'{seat}_slipped'])}" for seat in "xy"
    ]


def paid(payoffs: tuple[Payoffs, Payoffs] | None, x_move: int, y_move: int) -> tuple[float, float] | None:
    """What x and y got for a turn; None where it isn't known whether x is the row player, and that matters."""
    if payoffs is None or not (0 <= x_move < len(payoffs[0]) and 0 <= y_move < len(payoffs[0])):
        return None
    return payoffs[0][x_move][y_move], payoffs[1][x_move][y_move]


def new_telling(moves: Sequence[str], payoffs: tuple[Payoffs, Payoffs] | None) -> Telling:
    """The telling for moves of these names. `payoffs`: of row and column player, None where x may be either."""

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

    def game(row: Row, names: Names) -> ToldGame:
        actions = map(Action, names, plays(moves, row))
        points = paid(payoffs, row["x_move"], row["y_move"])
        outcome = f"{names[0]} is paid {points[0]:g}, {names[1]} {points[1]:g}; " if points else ""
        return ToldGame(actions=tuple(actions), outcome=f"{outcome}turn {row['turn']} of its game")

    return Telling(question, answer, game)
