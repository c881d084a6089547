"""The columns of Hold'em training's records."""

from __future__ import annotations

from engine.games.holdem_training.core import GAME_ROW, SESSION_ROW
from tournament.store.columns import describe_columns

_CARD = "13 · suit + value − 1, for suits 0 to 3 and values 1 to 13"
_ROUNDS = range(1, 5)

GAMES = describe_columns(
    GAME_ROW,
    game="hand of the session, from 0",
    alice_card_1=f"Alice's, the entrant's, first card: {_CARD}",
    alice_card_2="Alice's second card",
    bob_card_1="Bob's first card",
    bob_card_2="Bob's second card",
    flop_1="the board's first card, dealt even if no one saw it, as all of them",
    flop_2="the board's second card",
    flop_3="the board's third card",
    turn="the board's fourth card",
    river="the board's fifth card",
    **{f"raise_{n}": f"chips that Alice raised in round {n}, 0 for none" for n in _ROUNDS},
    **{f"bob_answer_{n}": f"Bob's answer in round {n}: 0 none, 1 check, 2 call, 3 fold" for n in _ROUNDS},
    folded_by="who folded: 0 no one, 1 Alice, 2 Bob",
    profit="what Alice won, chips",
)

SESSIONS = describe_columns(
    SESSION_ROW, games="hands played", profit="what Alice won, chips", mean_profit="profit / games"
)
