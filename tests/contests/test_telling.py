"""Games and questions of contests without words of their own, told by what their columns and values are called."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from tests.built_in import VON_NEUMANN_POKER
from tournament.contests.game_text import plain_columns, plain_game, plain_value
from tournament.contests.questions import describe_question, view_values
from tournament.store.columns import NAME, Column


def test_seat_columns_are_shown_with_bot_name() -> None:
    row: dict[str, object] = {"match": 1, "session": 2, "game": 3, "bot_0": "bob", "bot_1": "ann"}
    row |= {"last_bid": 8, "held": True, "points_0": -1.0, "points_1": 1.0, "is_dealer_1": True, "flop_1": 2}
    columns = [
        *[Column(name, "float64", "m", seat=seat) for seat, name in enumerate(["points_0", "points_1"])],
        *[Column(name, NAME, "m") for name in ("bot_0", "bot_1")],
        Column("is_dealer_1", "bool", "m", seat=1),
        Column("flop_1", "uint8", "m"),
    ]
    assert list(plain_columns(row, columns)) == [
        (0, "is first"),
        (None, "last bid: 8"),
        (None, "held: yes"),
        (0, "points: -1"),
        (1, "points: 1"),
        (1, "is dealer"),
        (None, "flop 1: 2"),
    ]
    told = plain_game(row, ("bob", "ann"), columns).outcome
    assert told.startswith("bob is first, last bid: 8, held: yes, bob points: -1, ann points: 1, ")


@given(st.lists(st.integers(-6, 12), max_size=30))
def test_shortened_list_keeps_all_numbers(numbers: list[int]) -> None:
    said = plain_value(numbers).strip("[]")
    read: list[int] = []
    for piece in said.split(", ") if said else []:
        first, _, last = piece.partition(" to ")
        stretch = list(range(int(first), int(last or first) + 1))
        assert len(stretch) == 1 or len(stretch) > 3
        read += stretch
    assert read == numbers


def test_empty_text_is_shown() -> None:
    assert plain_value("") == '""'


def test_question_has_the_names_of_the_bots_language() -> None:
    interface = VON_NEUMANN_POKER.interface
    values = view_values(interface, 1, struct.pack("<ffiii", 0.5, -1, 100, 90, 20))
    python = describe_question(interface, 1, values)
    assert python == "b: card 0.5, opponents_previous_card -1, money 100, opponents_money 90, bet 20"
    c = describe_question(interface, 1, values, compiled=True)
    assert c == "b: card 0.5, opponentsPreviousCard -1, money 100, opponentsMoney 90, aBet 20"
    header = (interface.folder / interface.compiled.header).read_text()
    assert all(f" {name}" in header for name in interface.compiled.names.values())
