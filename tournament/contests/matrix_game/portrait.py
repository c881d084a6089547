"""How repeated matrix games look in a report: which moves a bot plays, when, and after what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.contests.matrix_game.telling import Payoffs, move_name, paid
from tournament.contests.portrait import (
    BarChart,
    GridChart,
    Line,
    LineChart,
    Panel,
    Portrait,
    Row,
    Rows,
    Scene,
    Seats,
    Step,
    Subject,
    Sums,
    counted,
    shares,
)

_STRETCHES = 20  # that a game's turns are cut into
_MOST_LINES = 4  # moves whose share is shown over a game: those that the bot plays most
_MOST_BOTH = 3  # moves for which answers are shown by both players' last moves; of more, by the other's
_MOST_ANSWERS = 12  # moves for which they are shown at all
_LEAST = 20  # turns behind a share that is shown


def new_portrait(moves: Sequence[str], payoffs: tuple[Payoffs, Payoffs] | None, rounds: int) -> Portrait:
    """The portrait for moves of these names. `payoffs` as for the telling; `rounds`: turns of a game.

    What is counted are moves as they were chosen: those that noise replaced are left out.
    """
    count = len(moves)
    stretch = -(-rounds // _STRETCHES)  # turns
    stretches = -(-rounds // stretch)
    lasts = count * count if count <= _MOST_BOTH else count

    def tally(rows: Rows, seats: Seats) -> Sums:
        """`turns`: by player, stretch of the game and move; `answers`: by player, what was played last, and move."""
        everybody = seats.entrants + 1
        stretch_of = np.maximum(rows["turn"], 0) // stretch
        follows = _follows(rows)
        sums: dict[str, npt.NDArray[Any]] = {"turns": np.zeros((everybody, stretches, count), np.int64)}
        if count <= _MOST_ANSWERS:
            sums["answers"] = np.zeros((everybody, lasts, count), np.int64)
        for who, own, other, slipped in (
            (seats.x, rows["x_move"], rows["y_move"], rows["x_slipped"]),
            (seats.y, rows["y_move"], rows["x_move"], rows["y_slipped"]),
        ):
            chosen = ~slipped.astype(bool)
            sums["turns"] += counted([(who[chosen], everybody), (stretch_of[chosen], stretches), (own[chosen], count)])
            if count <= _MOST_ANSWERS:
                now = np.flatnonzero(follows & chosen)
                last = other[now - 1].astype(np.int32)
                if count <= _MOST_BOTH:
                    last = np.minimum(last, count - 1) + count * np.minimum(own[now - 1].astype(np.int32), count - 1)
                sums["answers"] += counted([(who[now], everybody), (last, lasts), (own[now], count)])
        return sums

    def panels(sums: Sums, subject: Subject) -> Sequence[Panel]:
        own = sums["turns"][subject.number]
        field = sums["turns"][:-1].sum(axis=0)
        played = own.sum(axis=0)
        most = sorted(np.argsort(-played, kind="stable")[:_MOST_LINES].tolist())
        if count == 2:
            most = [0]  # the other's share is the rest
        of_stretch = own.sum(axis=1)
        over_game = [Line(moves[move], shares(own[:, move], of_stretch, _LEAST)) for move in most]
        if len(most) == 1:
            of_field = shares(field[:, most[0]], field.sum(axis=1), _LEAST)
            over_game = [Line("the field", of_field, compared=True), Line("this bot", over_game[0].values)]
        made: list[Panel] = [
            BarChart("Moves", "How often it chooses each.", moves,
                     [Line("the field", shares(field.sum(axis=0), np.full(count, field.sum())), compared=True),
                      Line("this bot", shares(played, np.full(count, played.sum())))]),
            LineChart(f"{moves[0].capitalize()}, by turn" if len(most) == 1 else "Moves, by turn",
                      "The share of turns in which it chooses that, from the beginning of a game to its end.",
                      "turn, from", [f"{part * stretch}" for part in range(stretches)], over_game),
        ]  # fmt: skip
        if "answers" in sums:
            answers = sums["answers"][subject.number]
            after = moves
            if count <= _MOST_BOTH:
                after = [f"{mine}, {theirs}" for mine in moves for theirs in moves]
            whose = "its own last move and the other's" if count <= _MOST_BOTH else "the other's last move"
            made.append(
                GridChart(f"After {whose}", "How often it then chooses each move.", after, moves,
                          [shares(row, np.full(count, row.sum())) for row in answers], answers.tolist())
            )  # fmt: skip
        return made

    def gain(rows: Rows) -> npt.NDArray[Any]:
        assert payoffs is not None
        table = np.asarray(payoffs[0], float)
        inside = [np.minimum(rows[f"{seat}_move"], count - 1) for seat in "xy"]
        won: npt.NDArray[Any] = table[inside[0], inside[1]]
        return won

    def scene(row: Row) -> Scene:
        steps = [
            Step(seat, f"plays {move_name(moves, row[f'{name}_move'])}{' by a slip' * bool(row[f'{name}_slipped'])}")
            for seat, name in enumerate("xy")
        ]
        points = paid(payoffs, row["x_move"], row["y_move"])
        if points:
            steps += [Step(seat, f"is paid {points[seat]:g}") for seat in range(2)]
        return Scene(steps, f"turn {row['turn']}", f"turn {row['turn']}")

    return Portrait(tally, panels, gain if payoffs else None, scene, game="turn")


def _follows(rows: Rows) -> npt.NDArray[np.bool_]:
    """Which rows are the turn after the row before them, of the same game."""
    follows = np.zeros(len(rows["turn"]), bool)
    follows[1:] = rows["turn"][1:] == rows["turn"][:-1] + 1
    for name in ("match", "session"):
        follows[1:] &= rows[name][1:] == rows[name][:-1]
    return follows
