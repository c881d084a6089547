"""The core of two-card draw against the plain Python oracle, hand by hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest

from engine.games.two_card_draw.climbing import HillClimber, random_strategy
from engine.games.two_card_draw.core import CompiledStrategy, TwoCardDraw
from engine.kernel.game_core import ANSWER_WANTED, FAULT, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.kernel.records import Table
from tests.built_in import TWO_CARD_DRAW
from tests.oracles.deals import key_of, stream
from tests.oracles.two_card_draw import Luck, Played, Probabilities, Server, play_hand
from tournament.contests.questions import view_values
from tournament.contests.two_card_draw.strategy_file import situation_labels
from tournament.store.columns import buffer_fields

METHODS = ("init", "new_hand", "round1", "draw", "round2", "showdown")
Call = tuple[str, tuple[int, ...]]


def oracle_server(rows: Any) -> Server:
    """Return a strategy's rows by the statement's situations."""
    server: dict[Any, Probabilities] = {}
    for label, row in zip(situation_labels(), rows.tolist()):
        kind, *numbers = label.split()
        server[(kind, *map(int, numbers))] = tuple(row)
    return server


def luck_of(key: int, session: int, hands: int) -> Iterator[Luck]:
    """Yield the luck of each hand, from eight words of the session's stream.

    The first word has the cards as digits of base 5. The others are dice.
    """
    words = stream(key_of(key), session)
    names = ("round1, 0", "round1, 1", "draw", "round2, 0", "round2, 1")
    for _ in range(hands):
        own = list(islice(words, 8))
        fall = own[0] * 5**8 >> 64
        cards = [fall // 5**place % 5 for place in reversed(range(8))]
        yield Luck(cards, {name: (word >> 11) / 2**53 for name, word in zip(names, own[1:])})


class WildBot:
    """A bot that does anything legal, and two things that are read as others, by what it is asked alone."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.calls: list[Call] = []

    def ask(self, kind: str, arguments: tuple[int, ...]) -> int:
        self.calls.append((kind, arguments))
        if kind in ("init", "showdown"):
            return 99
        chance = random.Random(f"{self.seed} {kind} {arguments} {len(self.calls)}")
        return chance.randint(0, 1 if kind == "new_hand" else 2)

    def __getattr__(self, kind: str) -> Callable[..., int]:
        return lambda *arguments: self.ask(kind, arguments)


def new_tables(rows: int = 1000) -> tuple[Table, Table]:
    return Table(buffer_fields(TWO_CARD_DRAW.games), rows), Table(buffer_fields(TWO_CARD_DRAW.sessions), rows)


def taken_rows(table: Table) -> list[dict[str, Any]]:
    columns = {name: values[: table.rows].tolist() for name, values in table.arrays.items()}
    table.rows = 0
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def values_of(kind: int, view: bytes) -> tuple[int, ...]:
    """Return the values of a question in the order in which its function takes them."""
    return tuple(int(value) for value in view_values(TWO_CARD_DRAW.interface, kind, view).values())


def play(
    core: TwoCardDraw, ask: Callable[[str, tuple[int, ...]], int], tables: tuple[Table, Table]
) -> list[dict[str, Any]]:
    """Play a session to its end, empty the tables when they are full, and return the rows of games."""
    rows: list[dict[str, Any]] = []
    answer = 0
    while (status := core.play(answer)) != LEG_IS_OVER:
        if status == RECORDS_ARE_FULL:
            rows += taken_rows(tables[0])
            answer = 1 << 60
            continue
        assert status == ANSWER_WANTED
        kind, seat, view = core.pending()
        assert seat == 0
        answer = ask(METHODS[kind], values_of(kind, view))
    return rows + taken_rows(tables[0])


# What tells betting sequences of a round apart: whether the bot opened, the bets, and who folded. After a check: a
# call, then one to three bets, each folded or called. After a bet the same without the call of none.
SEQUENCES = {
    (0, 0, 0), (0, 1, 1), (0, 1, 0), (0, 2, 2), (0, 2, 0), (0, 3, 1), (0, 3, 0),
    (1, 1, 2), (1, 1, 0), (1, 2, 1), (1, 2, 0), (1, 3, 2), (1, 3, 0),
}  # fmt: skip


def test_hands_are_the_oracles() -> None:
    """Six servers, half of them climbed, play all thirteen betting sequences in both rounds."""
    rows = [row for seed in range(6) for row in hands_of_server(seed)]
    assert {(row.opened1_0, row.bets1, row.folded_by if row.rounds == 1 else 0) for row in rows} == SEQUENCES
    assert {(row.opened2_0, row.bets2, row.folded_by) for row in rows if row.rounds == 2} == SEQUENCES


def hands_of_server(seed: int) -> list[Played]:
    """Play a session on the core and by the oracle, and return its hands."""
    hands, key, session = 400, 1000 + seed, 3 * seed
    bet1 = 1 + seed % 5
    bet2 = bet1 + seed % (2 * bet1 + 1)
    rows = random_strategy(seed)
    if seed % 2:
        climber = HillClimber(rows, bet1, bet2)
        climber.climb(seed, 0, 20_000)
        rows = climber.strategy()
    tables = new_tables(7 if seed < 4 else 1000)
    keys: dict[str, Any] = {"deals_key": key_of(key), "hands": hands, "match": 9, "session": session}
    core = TwoCardDraw(*tables, bet1=bet1, bet2=bet2, server=CompiledStrategy(rows), **keys)
    mine, other = WildBot(seed), WildBot(seed)
    played = play(core, mine.ask, tables)
    server = oracle_server(rows)
    other.init(bet1, bet2)
    expected: list[Played] = []
    winnings = 0
    for luck in luck_of(key, session, hands):
        expected.append(play_hand(other, server, bet1, bet2, luck, winnings))
        winnings += expected[-1].gain_0
    for game, row in enumerate(played):
        assert (row.pop("match"), row.pop("session"), row.pop("game")) == (9, session, game)
        row |= {name: divmod(row[name], 10) for name in ("dealt_0", "house_dealt", "held_0", "house_held")}
    assert [Played(**row) for row in played] == expected
    assert mine.calls == other.calls
    assert (core.games_recorded, core.sessions_played) == (hands, 1)
    (won,) = core.sums()
    assert (won.points, won.squared_points, sum(won.blocks)) == (winnings, winnings**2, winnings)
    assert np.count_nonzero(won.blocks) > 25
    (sums,) = taken_rows(tables[1])
    score = max(0, winnings + hands)
    assert sums == {"match": 9, "session": session, "games": hands, "gain_0": winnings, "score_0": score}
    return expected


def test_new_bot_sees_all_values_but_server_hand() -> None:
    """Questions show the same as to a bot that is never replaced. A new bot is called for init first."""

    def new_core() -> TwoCardDraw:
        server = CompiledStrategy(random_strategy(3))
        return TwoCardDraw(*new_tables(2000), deals_key=key_of(4), hands=1500, bet1=2, bet2=3, server=server)

    steady, replaced, draw = new_core(), new_core(), random.Random(5)
    memory = np.zeros(len(replaced.pending()[2]), np.uint8)
    replaced.write_views_to(0, memory.ctypes.data)
    seen_showdown, restarts, answer = False, 0, 0
    statuses = steady.play(), replaced.play()
    while statuses[0] != LEG_IS_OVER:
        kind, _, view = replaced.pending()
        if METHODS[kind] == "init":
            assert values_of(kind, view) == (2, 3)
            if steady.pending()[0] == kind:
                statuses = steady.play(0), replaced.play(0)
            else:
                assert replaced.play(0) == ANSWER_WANTED
            continue
        assert steady.pending()[0] == kind and values_of(kind, steady.pending()[2]) == values_of(kind, view)
        seen_showdown = seen_showdown or METHODS[kind] == "showdown"
        if not seen_showdown:
            assert view[-8:] == bytes(8)
        answer = draw.randrange(2 if METHODS[kind] == "new_hand" else 3)
        if draw.randrange(4) == 0:
            memory = np.zeros(len(view), np.uint8)
            replaced.write_views_to(0, memory.ctypes.data)
            replaced.note_restart(0)
            seen_showdown, restarts, answer = False, restarts + 1, replaced.default()
        statuses = steady.play(answer), replaced.play(answer)
    assert statuses[1] == LEG_IS_OVER or METHODS[replaced.pending()[0]] == "init"
    assert restarts > 500


@pytest.mark.parametrize(
    ("question", "bad"), [("new_hand", 2), ("new_hand", -1), ("round1", 3), ("draw", 3), ("round2", -(2**31))]
)
def test_missing_answer_is_refused_and_default_taken(question: str, bad: int) -> None:
    """Decisions wait. Defaults are a check or a fold, or drawing nothing. A new bot is called for init first."""
    tables, server = new_tables(), CompiledStrategy(random_strategy(7))
    core = TwoCardDraw(*tables, deals_key=key_of(1), hands=200, bet1=2, bet2=3, server=server)
    sane = {"init": 0, "new_hand": 0, "round1": 1, "draw": 1, "round2": 1, "showdown": 0}
    asked: list[str] = []
    answer = 0
    while (status := core.play(answer)) != LEG_IS_OVER:
        kind = METHODS[core.pending()[0]]
        asked.append("refused" if status == FAULT else kind)
        answer = bad if kind == question else sane[kind]
        if status == FAULT:
            assert (kind, core.refused()) == (question, bad)
            core.note_restart(0)
            answer = core.default()
    rows = taken_rows(tables[0])
    assert asked.count("refused") > 10 and len(rows) == 200
    assert all(later == "init" for one, later in pairwise(asked) if one == "refused")
    if question == "draw":
        assert all(row["drew_0"] == 0 for row in rows)
    if question == "round1":
        assert all(row["folded_by"] == 1 for row in rows if row["rounds"] == 1)
