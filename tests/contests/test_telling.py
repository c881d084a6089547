"""Games and questions of contests without words of their own, told by what their columns and values are called."""

from __future__ import annotations

from tournament.contests.game_text import plain_game
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
    told = plain_game(row, ("bob", "ann"), columns).outcome
    assert told == "bob is first, last bid: 8, held: yes, bob points: -1, ann points: 1, ann is dealer, flop 1: 2"
