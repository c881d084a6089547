"""Games and questions of contests without words of their own, told by what their columns and values are called."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tournament.contests.telling import plain_columns, plain_game, plain_value


def test_columns_about_a_seat_are_told_by_the_bot_s_name() -> None:
    row: dict[str, object] = {"match": 1, "session": 2, "game": 3, "x_is_first": False, "last_bid": 8, "held": True}
    row |= {"points_0": -1.0, "points_1": 1.0, "is_dealer_1": True, "seat_9": 2}
    assert list(plain_columns(row, 2)) == [
        (1, "is first"),
        (None, "last bid: 8"),
        (None, "held: yes"),
        (0, "points: -1"),
        (1, "points: 1"),
        (1, "is dealer"),
        (None, "seat 9: 2"),
    ]
    told = plain_game(row, ("ann", "bob")).outcome
    assert told.startswith("bob is first, last bid: 8, held: yes, ann points: -1, bob points: 1, ")


@given(st.lists(st.integers(-6, 12), max_size=30))
def test_a_list_in_short_says_all_its_numbers(numbers: list[int]) -> None:
    said = plain_value(numbers).strip("[]")
    read: list[int] = []
    for piece in said.split(", ") if said else []:
        first, _, last = piece.partition(" to ")
        stretch = list(range(int(first), int(last or first) + 1))
        assert len(stretch) == 1 or len(stretch) > 3
        read += stretch
    assert read == numbers


def test_other_values() -> None:
    assert [plain_value(value) for value in (0.25, 3, True, "a, b", ["a", "b"], [], [1.5])] == [
        "0.25", "3", "yes", "a, b", "['a', 'b']", "[]", "[1.5]",
    ]  # fmt: skip
