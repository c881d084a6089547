"""The compiled core of matrix games against the oracle, and its expectations against closed forms."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.matrix_game.core import BOT_BYTES, MOST_TURNS, MatrixGame
from engine.kernel.game_core import ANSWER_WANTED, BLOCK_COUNT, FAULT, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.kernel.records import Table
from tests.built_in import MATRIX_GAME
from tests.oracles.deals import key_of
from tests.oracles.matrix_game import Record, Seen, Session, Turn, play_leg
from tournament.contests.contest import CoreSetup
from tournament.contests.matrix_game.rules import Settings
from tournament.leg import LegPlan
from tournament.store.columns import buffer_fields

VIEW = struct.Struct("<6i")
DILEMMA = [[3, 0], [5, 1]]
Bot = Callable[[Seen], int]
Place = tuple[int, int]  # a seat, and how many times it was asked


def tables(games: int = 64, sessions: int = 16) -> tuple[Table, Table]:
    return Table(buffer_fields(MATRIX_GAME.games), games), Table(buffer_fields(MATRIX_GAME.sessions), sessions)


def seen_of(memory: Any) -> Seen:
    """Return what a bot reads in its own memory."""
    turn, rounds, moves, role, mine, theirs = VIEW.unpack(memory[: VIEW.size].tobytes())
    own, other = (memory[VIEW.size + start :][:turn].tolist() for start in (0, MOST_TURNS))
    assert (mine, theirs) == ((own[-1], other[-1]) if turn else (-1, -1))
    return Seen(turn, rounds, moves, role, tuple(own), tuple(other))


class Hears:
    """A seat of a process, which keeps what each question tells."""

    def __init__(self) -> None:
        self.moves: list[tuple[int, int]] = []

    def hear(self, view: bytes) -> Seen:
        turn, rounds, moves, role, mine, theirs = VIEW.unpack(view)
        self.moves = self.moves if turn > 1 else []
        if turn:
            self.moves.append((mine, theirs))
        assert turn == len(self.moves) and (turn > 0 or (mine, theirs) == (-1, -1))
        own, other = zip(*self.moves) if turn else ((), ())
        return Seen(turn, rounds, moves, role, own, other)


def play(
    x: Bot, y: Bot, *, in_memory: tuple[bool, bool] = (False, False), restarts: frozenset[Place] = frozenset(),
    games: int = 64, **keys: Any,
) -> tuple[Record, MatrixGame]:  # fmt: skip
    """Play a leg on the core, and restart each bot of `restarts` after that many questions."""
    games_table, sessions_table = tables(games)
    payoffs = keys.pop("payoffs")
    of_column = keys.pop("column_payoffs") or [list(column) for column in zip(*payoffs)]
    core = MatrixGame(games_table, sessions_table, row_payoffs=payoffs, column_payoffs=of_column, **keys)
    memories = [np.zeros(BOT_BYTES, np.uint8) for _ in range(2)]
    hears = [Hears(), Hears()]
    for seat in (0, 1):
        if in_memory[seat]:
            core.write_views_to(seat, memories[seat].ctypes.data)
    record, answer, asked = Record(), 0, [0, 0]

    def take_rows() -> None:
        record.turns += map(Turn._make, zip(*[v[: games_table.rows].tolist() for v in games_table.arrays.values()]))
        of_sessions = [v[: sessions_table.rows].tolist() for v in sessions_table.arrays.values()]
        record.sessions += map(Session._make, zip(*of_sessions))
        games_table.rows = sessions_table.rows = 0

    while (status := core.play(answer)) != LEG_IS_OVER:
        if status == RECORDS_ARE_FULL:
            take_rows()
            continue
        assert status == ANSWER_WANTED
        kind, seat, view = core.pending()
        seen = seen_of(memories[seat]) if in_memory[seat] else hears[seat].hear(view)
        if kind == 1:
            assert not in_memory[seat]
            answer = 0
            continue
        record.asked.append((seat, seen))
        answer = (x, y)[seat](seen)
        asked[seat] += 1
        # A restarted bot knows nothing any more, and answers by default this time.
        if (seat, asked[seat]) in restarts:
            hears[seat] = Hears()
            memories[seat][:] = 77
            core.note_restart(seat)
    take_rows()
    return record, core


def drawn(salt: int, moves: int) -> Bot:
    """Return a bot whose move follows from all that it observes."""

    def move(seen: Seen) -> int:
        return hashlib.blake2b(repr((salt, seen)).encode()).digest()[0] % moves

    return move


@st.composite
def legs(draw: st.DrawFn) -> dict[str, Any]:
    moves = draw(st.integers(2, 4))
    row = st.lists(st.integers(-5, 9) | st.sampled_from([0.5, -1.25]), min_size=moves, max_size=moves)
    table = st.lists(row, min_size=moves, max_size=moves)
    chances = st.sampled_from(
        [Fraction(0), Fraction(1, 2**32), Fraction(1, 7 * 2**10 + 1), Fraction(1, 2), Fraction(1)]
    )
    exact = chances.map(lambda chance: Fraction(round(chance * 2**32), 2**32))
    return {
        "payoffs": draw(table),
        "column_payoffs": draw(st.none() | table),
        "sessions": draw(st.integers(1, 4)),
        "turns_per_game": draw(st.integers(1, 12)),
        "games_per_session": draw(st.integers(1, 3)),
        "noise": draw(exact),
        "end_probability": draw(exact),
        "key": key_of(draw(st.integers(0, 99))),
        "match": draw(st.integers(0, 9)),
        "first_session": draw(st.sampled_from([0, 40])),
        "exchanged": draw(st.booleans()),
    }


def on_core(leg: dict[str, Any]) -> dict[str, Any]:
    """Return an oracle's leg as the core takes it."""
    names = {"key": "deals_key", "exchanged": "seats_swapped"}
    floats = {name: float(leg[name]) for name in ("noise", "end_probability")}
    return {names.get(name, name): value for name, value in (leg | floats).items()}


@settings(max_examples=60, deadline=None)
@given(
    leg=legs(),
    in_memory=st.tuples(st.booleans(), st.booleans()),
    games=st.sampled_from([1, 3, 64]),
    restarts=st.frozensets(st.tuples(st.integers(0, 1), st.integers(1, 30))) | st.just(frozenset()),
)
def test_every_turn_is_the_oracles(
    leg: dict[str, Any], in_memory: tuple[bool, bool], games: int, restarts: frozenset[Place]
) -> None:
    """Restarted bots know the earlier turns of their games."""
    moves = len(leg["payoffs"])
    bots = drawn(1, moves), drawn(2, moves)
    wanted = play_leg(*bots, **leg)
    record, core = play(*bots, in_memory=in_memory, games=games, restarts=restarts, **on_core(leg))
    assert record.turns == wanted.turns
    assert record.asked == wanted.asked
    assert record.sessions == wanted.sessions
    assert core.games_recorded == len(wanted.turns) and core.sessions_played == leg["sessions"]
    for place, sums in enumerate(core.sums()):
        points = [session[4 + place] for session in wanted.sessions]
        blocks = [0.0] * BLOCK_COUNT
        for number, value in enumerate(points):
            blocks[number * BLOCK_COUNT // leg["sessions"]] += value
        assert sums == (sum(points), sum(p * p for p in points), tuple(blocks))
    assert core.most_decisions >= max(sum(seat == s for seat, _ in wanted.asked) for s in (0, 1))


@pytest.mark.parametrize("answer", [-1, 2, 2**40, -(2**63)])
@pytest.mark.parametrize("seat", [0, 1])
def test_move_out_of_range_is_refused(answer: int, seat: int) -> None:
    core = MatrixGame(
        *tables(), deals_key=key_of(1), sessions=1, row_payoffs=DILEMMA, column_payoffs=DILEMMA, turns_per_game=3
    )
    core.play()
    for _ in range(seat):
        core.play(1)
    assert core.play(answer) == FAULT and core.refused() == answer
    assert core.pending()[1] == seat and core.default() == 0


def test_settings_reach_the_core() -> None:
    """Roles are exchanged in odd replicas, and in the second leg of a duplicate match."""
    payoffs = {"payoffs": [[1, 2], [3, 4]], "column_payoffs": [[5, 6], [7, 8]]}
    chosen = Settings.model_validate({"moves": ["a", "b"], "turns_per_game": 2, "sessions": 3, **payoffs})
    plain, swapped = (3 * 2 * 2.0, 3 * 2 * 6.0), (3 * 2 * 7.0, 3 * 2 * 3.0)
    for duplicate, number in ((True, 0), (True, 1), (False, 0), (False, 1), (False, 2)):
        of = chosen.model_copy(update={"duplicate": duplicate})
        core = MATRIX_GAME.new_core(CoreSetup(LegPlan(0, number, 3, key_of(1), rotation=number % 2), of, *tables()))
        answer = 0
        while core.play(answer) == ANSWER_WANTED:
            answer = core.pending()[1]  # x plays 0, y plays 1
        assert tuple(won.points for won in core.sums()) == (swapped if number % 2 else plain)
