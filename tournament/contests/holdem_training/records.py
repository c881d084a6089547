"""The columns of Hold'em training's records."""

from __future__ import annotations

from tournament.store.columns import Column

_CARD = "13 · suit + value − 1, for suits 0 to 3 and values 1 to 13"

GAMES = (
    Column("match", "int32", "match number; matches.parquet has the names", "constant"),
    Column("session", "int32", "session of the match, from 0", "constant"),
    Column("game", "int32", "hand of the session, from 0", "split"),
    Column("alice_1", "uint8", f"Alice's, the entrant's, first card: {_CARD}", "split"),
    Column("alice_2", "uint8", "Alice's second card", "split"),
    Column("bob_1", "uint8", "Bob's first card", "split"),
    Column("bob_2", "uint8", "Bob's second card", "split"),
    Column("flop_1", "uint8", "the board's first card, dealt even if nobody saw it, as all of them", "split"),
    Column("flop_2", "uint8", "the board's second card", "split"),
    Column("flop_3", "uint8", "the board's third card", "split"),
    Column("turn", "uint8", "the board's fourth card", "split"),
    Column("river", "uint8", "the board's fifth card", "split"),
    *(
        column
        for n in range(1, 5)
        for column in (
            Column(f"raise_{n}", "uint8", f"chips that Alice raised in round {n}, 0 for none", "split"),
            Column(f"answer_{n}", "uint8", f"Bob's answer in round {n}: 0 none, 1 check, 2 call, 3 fold", "split"),
        )
    ),
    Column("folder", "uint8", "who folded: 0 nobody, 1 Alice, 2 Bob", "split"),
    Column("profit", "int8", "what Alice won, chips", "delta"),
)

SESSIONS = (
    Column("match", "int32", "match number", "constant"),
    Column("session", "int32", "session of the match, from 0", "split"),
    Column("games", "int32", "hands played", "split"),
    Column("profit", "int32", "what Alice won, chips", "delta"),
    Column("mean_profit", "float64", "profit / games"),
)
