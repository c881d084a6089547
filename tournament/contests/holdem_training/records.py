"""The columns of Hold'em training's records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.games.holdem_training.core import GAME_ROW, SESSION_ROW
from tournament.store.columns import Meaning, columns_of

_CARD = "13 · suit + value − 1, for suits 0 to 3 and values 1 to 13"
_ROUNDS = range(1, 5)

GAMES = columns_of(
    GAME_ROW,
    match=Meaning("match number; matches.parquet has the names", "constant"),
    session=Meaning("session of the match, from 0", "constant"),
    game=Meaning("hand of the session, from 0", "split"),
    alice_1=Meaning(f"Alice's, the entrant's, first card: {_CARD}", "split"),
    alice_2=Meaning("Alice's second card", "split"),
    bob_1=Meaning("Bob's first card", "split"),
    bob_2=Meaning("Bob's second card", "split"),
    flop_1=Meaning("the board's first card, dealt even if nobody saw it, as all of them", "split"),
    flop_2=Meaning("the board's second card", "split"),
    flop_3=Meaning("the board's third card", "split"),
    turn=Meaning("the board's fourth card", "split"),
    river=Meaning("the board's fifth card", "split"),
    **{f"raise_{n}": Meaning(f"chips that Alice raised in round {n}, 0 for none", "split") for n in _ROUNDS},
    **{f"answer_{n}": Meaning(f"Bob's answer in round {n}: 0 none, 1 check, 2 call, 3 fold", "split") for n in _ROUNDS},
    folder=Meaning("who folded: 0 nobody, 1 Alice, 2 Bob", "split"),
    profit=Meaning("what Alice won, chips", "delta"),
)

SESSIONS = columns_of(
    SESSION_ROW,
    match=Meaning("match number", "constant"),
    session=Meaning("session of the match, from 0", "split"),
    games=Meaning("hands played", "split"),
    profit=Meaning("what Alice won, chips", "delta"),
    mean_profit=Meaning("profit / games"),
)

_CHECKED, _CALLED, _FOLDED = 1, 2, 3  # Bob's answers
_ALICE = 1


def counts_of(games: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.int64]:
    """The counts of `HoldemTraining.counts`, from recorded hands: a row each."""
    counts = []
    alice_is_in = games["folder"] == _ALICE  # hands that she folds, in the round without an answer of Bob's
    for n in _ROUNDS:
        answer = games[f"answer_{n}"]
        folds = alice_is_in & (answer == 0)
        alice_is_in = alice_is_in & ~folds
        counts += [
            np.count_nonzero(found) for found in (answer == _CHECKED, folds, answer == _CALLED, answer == _FOLDED)
        ]
    return np.array(counts)
