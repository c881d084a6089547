"""Repeated matrix games as in docs/reference/matrix_game.md, with plain lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from tests.oracles.deals import block_words


class Seen(NamedTuple):
    """A view of a bot before a turn."""

    turn: int
    turns_per_game: int
    moves: int
    role: int
    my_moves: tuple[int, ...]
    opponents_moves: tuple[int, ...]


Bot = Callable[[Seen], int]
Table = Sequence[Sequence[float]]


class Turn(NamedTuple):
    """A row of `games`."""

    match: int
    session: int
    game: int
    turn: int
    move_0: int
    move_1: int
    move_replaced_0: bool
    move_replaced_1: bool


class Session(NamedTuple):
    """A row of `sessions`."""

    match: int
    session: int
    games: int
    seat_0_is_row: bool
    points_0: float
    points_1: float


@dataclass
class Record:
    turns: list[Turn] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    asked: list[tuple[int, Seen]] = field(default_factory=list)


def chance(key: bytes, session: int, turn: int, purpose: int) -> tuple[Fraction, int]:
    """Return a number from 0 to 1 that decides whether, and 32 bits that decide which.

    Args:
        purpose: 0 if x slips, 1 if y does, 2 if the game ends.
    """
    number = 4 * turn + purpose
    word = block_words(key, number // 8, session)[number % 8]
    return Fraction(word >> 32, 1 << 32), word & 0xFFFFFFFF


def slipped(move: int, moves: int, noise: Fraction, drawn: tuple[Fraction, int]) -> tuple[int, bool]:
    """Return the move as played, and whether noise made it."""
    whether, which = drawn
    if whether >= noise:
        return move, False
    others = [other for other in range(moves) if other != move]
    return others[which * len(others) >> 32], True


def play_leg(
    x: Bot,
    y: Bot,
    payoffs: Table,
    column_payoffs: Table | None = None,
    *,
    key: bytes,
    sessions: int,
    turns_per_game: int,
    games_per_session: int = 1,
    noise: Fraction = Fraction(0),
    end_probability: Fraction = Fraction(0),
    match: int = 0,
    first_session: int = 0,
    exchanged: bool = False,
) -> Record:
    """Play a leg. Probabilities are multiples of 2^-32.

    Args:
        exchanged: Whether y is the row player.
    """
    record = Record()
    moves = len(payoffs)
    told = -1 if end_probability else turns_per_game
    for session in range(sessions):
        count, paid = 0, [0.0, 0.0]
        for _ in range(games_per_session):
            played: list[tuple[int, int]] = []
            over = False
            while not over:
                chosen = []
                for seat, bot in enumerate((x, y)):
                    own, other = (tuple(pair[s] for pair in played) for s in (seat, 1 - seat))
                    seen = Seen(len(played), told, moves, int(seat != int(exchanged)), own, other)
                    record.asked.append((seat, seen))
                    chosen.append(bot(seen))
                (a, a_slipped), (b, b_slipped) = (
                    slipped(move, moves, noise, chance(key, session, count, seat)) for seat, move in enumerate(chosen)
                )
                row, other_move = (b, a) if exchanged else (a, b)
                of_row = payoffs[row][other_move]
                of_column = column_payoffs[row][other_move] if column_payoffs else payoffs[other_move][row]
                for seat, points in enumerate((of_column, of_row) if exchanged else (of_row, of_column)):
                    paid[seat] += points
                record.turns.append(
                    Turn(match, first_session + session, count, len(played), a, b, a_slipped, b_slipped)
                )
                over = len(played) + 1 == turns_per_game or chance(key, session, count, 2)[0] < end_probability
                played.append((a, b))
                count += 1
        record.sessions.append(Session(match, first_session + session, count, not exchanged, paid[0], paid[1]))
    return record
