"""Presentation of repeated matrix games in a report: a bot's moves, by turn and by the previous moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.contests.presentation import (
    Chart,
    GridChart,
    Line,
    LineChart,
    Presentation,
    Row,
    Rows,
    Scene,
    Seats,
    Step,
    Subject,
    Sums,
    Values,
    against_field,
    counted,
    shares,
)

Payoffs = Sequence[Sequence[float]]  # indexed by the row player's move and the column player's

SEAT_0_IS_ROW = "seat_0_is_row"
_STRETCHES = 20  # parts of a game's turns
_MAX_LINES = 4  # moves whose share is shown over a game: the bot's most frequent
_MAX_BOTH = 3  # up to this many moves, answers are shown by both players' last moves, otherwise by the other's
_MAX_ANSWERS = 12  # up to this many moves they are shown at all


def new_presentation(moves: Sequence[str], payoffs: tuple[Payoffs, Payoffs], rounds: int) -> Presentation:
    """Return the presentation of a matrix game. Moves that noise replaced don't count, because no bot chose them.

    Args:
        moves: The moves' names.
        payoffs: The row player's payoffs and the column player's, by the row player's move and the column player's.
        rounds: The number of turns of a game that charts show. Later turns count in their last part.
    """
    game = _MatrixGame(moves, payoffs, rounds)
    return Presentation(
        game.tally,
        game.charts,
        game.scene,
        game.points,
        game="turn",
        whole_sessions=True,
        columns={"move": moves},
        seat_0_is="" if game.is_symmetric else SEAT_0_IS_ROW,
        positions=("row player", "column player"),
    )


@dataclass(frozen=True)
class _MatrixGame:
    """A game with these settings. The fields are the arguments of `new_presentation`.

    Attributes:
        moves: The moves' names, by number.
        payoffs: The row player's payoffs and the column player's.
        rounds: The number of turns of a game that charts show.
    """

    moves: Sequence[str]
    payoffs: tuple[Payoffs, Payoffs]
    rounds: int

    @property
    def is_symmetric(self) -> bool:
        """True if both players have the same payoffs, so that rows don't have to name the row player."""
        row, column = map(np.asarray, self.payoffs)
        return np.array_equal(row.T, column)

    @property
    def count(self) -> int:
        """Number of moves."""
        return len(self.moves)

    @property
    def stretch(self) -> int:
        """Number of turns in each of the `stretches` of a game. The last one can be shorter."""
        return -(-self.rounds // _STRETCHES)

    @property
    def stretches(self) -> int:
        """Number of parts into which a game's turns are cut, at most 20."""
        return -(-self.rounds // self.stretch)

    @property
    def lasts(self) -> int:
        """The number of cases of the previous turn that the table `answers` of `tally` distinguishes.

        With up to three moves these are both players' moves, otherwise the other player's alone.
        """
        return self.count * self.count if self.count <= _MAX_BOTH else self.count

    def tally(self, rows: Rows, seats: Seats) -> Sums:
        """Count a bot's choices. Moves that noise replaced are left out.

        Returns:
            `turns` with the axes player, stretch of the game and move. With up to 12 moves also `answers`, with the
            axes player, previous moves and move, for turns that follow another one of their game. With up to three
            moves the index of previous moves is the player's own times the number of moves, plus the other's.
        """
        everybody = seats.entrants + 1
        stretch_index = np.maximum(rows["turn"], 0) // self.stretch
        follows = _follows(rows)
        sums: dict[str, npt.NDArray[Any]] = {"turns": np.zeros((everybody, self.stretches, self.count), np.int64)}
        if self.count <= _MAX_ANSWERS:
            sums["answers"] = np.zeros((everybody, self.lasts, self.count), np.int64)
        for who, own, other, slipped in (
            (seats.players[0], rows["move_0"], rows["move_1"], rows["move_replaced_0"]),
            (seats.players[1], rows["move_1"], rows["move_0"], rows["move_replaced_1"]),
        ):
            is_choice = ~slipped.astype(bool)
            sums["turns"] += counted(
                [(who[is_choice], everybody), (stretch_index[is_choice], self.stretches), (own[is_choice], self.count)]
            )
            if self.count <= _MAX_ANSWERS:
                now = np.flatnonzero(follows & is_choice)
                last = other[now - 1].astype(np.int32)
                if self.count <= _MAX_BOTH:
                    last = np.minimum(last, self.count - 1) + self.count * np.minimum(
                        own[now - 1].astype(np.int32), self.count - 1
                    )
                sums["answers"] += counted([(who[now], everybody), (last, self.lasts), (own[now], self.count)])
        return sums

    def charts(self, sums: Sums, subject: Subject) -> Sequence[Chart]:
        """Return the charts of one bot: its moves by turn, and with up to 12 moves those by the previous moves.

        Args:
            sums: Sums of all entrants, as `tally` returns them.
            subject: The bot.
        """
        own, field = sums["turns"][subject.number], subject.field["turns"]
        charts: list[Chart] = [self._by_turn(own, field)]
        if "answers" in sums:
            charts.append(self._after_moves(sums["answers"][subject.number]))
        return charts

    def _by_turn(self, own: npt.NDArray[Any], field: npt.NDArray[Any]) -> Chart:
        """Return the chart of a bot's moves over a game: the first of two, or the four most frequent of more.

        With two moves the field's share is shown, too. Lines of several moves are in the order of the moves' numbers.

        Args:
            own: The bot's table `turns`, by stretch and move.
            field: That of all entrants together.
        """
        if self.count == 2:  # the other's share is the rest
            title = f"{self.moves[0].capitalize()}, by turn"
            lines = against_field(*(shares(turns[:, 0], turns.sum(axis=1)) for turns in (field, own)))
        else:
            title = "Moves, by turn"
            frequent = sorted(np.argsort(-own.sum(axis=0), kind="stable")[:_MAX_LINES].tolist())
            lines = [Line(self.moves[move], shares(own[:, move], own.sum(axis=1))) for move in frequent]
        meaning = "The share of turns in which it chooses that, from the beginning of a game to its end."
        begins = [f"{part * self.stretch}" for part in range(self.stretches)]
        return LineChart(title, meaning, "turn, from", begins, lines)

    def _after_moves(self, answers: npt.NDArray[Any]) -> Chart:
        """Return the chart of a bot's moves by the moves of the turn before.

        Args:
            answers: The bot's table `answers`, by previous moves and move.
        """
        after, whose = self.moves, "the other's last move"
        if self.count <= _MAX_BOTH:
            after = [f"{mine}, {theirs}" for mine in self.moves for theirs in self.moves]
            whose = "its own last move and the other's"
        meaning = "How often it then chooses each move."
        return GridChart(
            f"After {whose}", meaning, after, self.moves, [_parts(row) for row in answers], answers.tolist()
        )

    def points(self, rows: Rows) -> Sequence[npt.NDArray[Any]]:
        """Return both seats' payoffs in each row, seat 0's first.

        Moves with too high numbers count as the last move. Unless the game is symmetric, rows need the column
        SEAT_0_IS_ROW.
        """
        is_row = np.ones(len(rows["turn"]), bool) if self.is_symmetric else rows[SEAT_0_IS_ROW]
        moves = [np.minimum(rows[f"move_{seat}"], self.count - 1) for seat in (0, 1)]
        row, column = np.where(is_row, *moves), np.where(is_row, *moves[::-1])
        of_row, of_column = (np.asarray(payoffs, float)[row, column] for payoffs in self.payoffs)
        return np.where(is_row, of_row, of_column), np.where(is_row, of_column, of_row)

    def scene(self, row: Row) -> Scene:
        """Return a turn as a scene: both moves, seat 0's first, then both payoffs.

        Instead of the payoffs it has the turn's number if a move is unknown, or if the row doesn't say who is the row
        player.
        """
        steps = []
        for seat in (0, 1):
            slipped = " by a slip" if row[f"move_replaced_{seat}"] else ""
            steps.append(Step(seat, f"plays {_move_name(self.moves, row[f'move_{seat}'])}{slipped}"))
        paid = [Step(None, f"turn {row['turn']} of its game")]
        has_roles = self.is_symmetric or SEAT_0_IS_ROW in row  # A replay of a few games has no rows of sessions.
        if has_roles and all(0 <= row[f"move_{seat}"] < self.count for seat in (0, 1)):
            points = self.points({name: np.array([value]) for name, value in row.items()})
            paid = [Step(seat, f"is paid {won[0]:g}") for seat, won in enumerate(points)]
        return Scene([*steps, *paid], ends=len(paid))


def _parts(counts: npt.NDArray[Any]) -> Values:
    """Return the share of each count in their sum, 0 to 1, in order, or None for each if the sum is 0."""
    return shares(counts, np.full(len(counts), counts.sum()), least=1)


def _follows(rows: Rows) -> npt.NDArray[np.bool_]:
    """Return a flag for each row: whether it is the next turn of the row before it, in the same game."""
    follows = np.zeros(len(rows["turn"]), bool)
    follows[1:] = rows["turn"][1:] == rows["turn"][:-1] + 1
    for name in ("match", "session"):
        follows[1:] &= rows[name][1:] == rows[name][:-1]
    return follows


def _move_name(moves: Sequence[str], number: int) -> str:
    """Return a move's name, or "move" and its number if it has none. Records of other settings can have more moves."""
    return moves[number] if 0 <= number < len(moves) else f"move {number}"
