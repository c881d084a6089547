"""Presentation of von Neumann poker in a report: bets by card, folds by bet, and a game step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.games.von_neumann_poker.core import ANTE, BET_LIMIT
from tournament.contests.presentation import (
    Chart,
    Decided,
    LineChart,
    Presentation,
    Row,
    Rows,
    Scene,
    Seats,
    Step,
    Subject,
    Sums,
    against_field,
    bins,
    counted,
    shares,
    won,
)

_CARDS = 20  # parts of 0 to 1
_CARD_LABELS = [f"{part / _CARDS:g}" for part in range(_CARDS)]  # lower ends
_BET_EDGES = (1, 6, 11, 16, 21, 31, 41, 50)  # lower ends of groups of bets, the last being the limit alone
_BET_LABELS = ("1–5", "6–10", "11–15", "16–20", "21–30", "31–40", "41–49", "50")


def tally(rows: Rows, seats: Seats) -> Sums:
    """Count A's bets and B's answers. A pass is a bet of 0, which has no answers.

    Returns:
        `bets` with the axes A's number, twentieth of its card, and bet in dollars. `answers` with the axes B's number,
        twentieth of its card, bet in dollars, and whether B folded.
    """
    bet = rows["bet"]
    everybody, sizes = seats.entrants + 1, BET_LIMIT + 1
    a = np.where(rows["seat_0_is_a"], *seats.players)
    b = sum(seats.players) - a
    bets = counted([(a, everybody), (bins(rows["a_card"], _CARDS), _CARDS), (bet, sizes)])
    b_card = bins(rows["b_card"], _CARDS)
    answers = counted([(b, everybody), (b_card, _CARDS), (bet, sizes), (rows["folded"], 2)])
    answers[:, :, 0] = 0  # passes
    return {"bets": bets, "answers": answers}


def charts(sums: Sums, subject: Subject) -> Sequence[Chart]:
    """Return the charts of one bot: mean bet and frequency of bets by card, folds by bet, and calls by card.

    Each compares the bot with all entrants.

    Args:
        sums: Sums of all entrants, as `tally` returns them.
        subject: The bot.
    """
    both = [
        (subject.field["bets"], subject.field["answers"]),
        (sums["bets"][subject.number], sums["answers"][subject.number]),
    ]
    by_card = [bets.sum(axis=1) for bets, _ in both]
    mean_bets = [shares(bets @ np.arange(BET_LIMIT + 1), games) for (bets, _), games in zip(both, by_card)]
    betting = [shares(bets[:, 1:].sum(axis=1), games) for (bets, _), games in zip(both, by_card)]
    # Folds are by groups of neighbouring sizes of bets.
    folds_by_bet = []
    for _, answers in both:
        grouped = np.add.reduceat(answers.sum(axis=0), _BET_EDGES, axis=0)
        folds_by_bet.append(shares(grouped[:, 1], grouped.sum(axis=1)))
    calls_by_card = [
        shares(answers[:, :, 0].sum(axis=1), answers.sum(axis=(1, 2))) for _, answers in both
    ]  # fmt: skip
    from_card = "card, from"
    return [
        LineChart("Bet by card", "As A: the mean bet, a pass being none.", f"A's {from_card}", _CARD_LABELS,
                  against_field(*mean_bets), "$"),
        LineChart("How often it bets", "As A: the share of games in which it bets. Bets on the left are bluffs.",
                  f"A's {from_card}", _CARD_LABELS, against_field(*betting)),
        LineChart("Fold by bet", "As B: the share of bets to which it folds, by their size.", "bet, dollars",
                  _BET_LABELS, against_field(*folds_by_bet)),
        LineChart("How often it calls", "As B: the share of bets that it calls, by its card.", f"B's {from_card}",
                  _CARD_LABELS, against_field(*calls_by_card)),
    ]  # fmt: skip


_TENTHS = [f"{tenth / 10:g} to {(tenth + 1) / 10:g}" for tenth in range(10)]
_BET_GROUPS = np.searchsorted(_BET_EDGES, np.arange(BET_LIMIT + 1), side="right").astype(np.int8)  # 0 for a pass
_BETS = ("pass", *(f"bet ${label}" for label in _BET_LABELS))


def decided(rows: Rows) -> Sequence[Decided]:
    """Return A's bets by its card first, then B's answers by its card, for each group of bets from the smallest on.

    Cards are in tenths. In rows without a bet of a group the seat of the answer is -1.
    """
    b = rows["seat_0_is_a"].astype(np.int8)
    size = _BET_GROUPS[np.minimum(rows["bet"], BET_LIMIT)]
    b_card, folded = bins(rows["b_card"], 10), rows["folded"]
    answers = [
        Decided(f"b, to ${label}", np.where(size == number, b, np.int8(-1)), b_card, _TENTHS, folded, ("call", "fold"))
        for number, label in enumerate(_BET_LABELS, 1)
    ]
    return [Decided("a", 1 - b, bins(rows["a_card"], 10), _TENTHS, size, _BETS), *answers]


def points(rows: Rows) -> Sequence[npt.NDArray[Any]]:
    """Return both seats' gains in each row, in dollars, seat 0's first."""
    gain = np.where(rows["seat_0_is_a"], rows["a_gain"], -rows["a_gain"])
    return gain, -gain


def scene(row: Row) -> Scene:
    """Return a game step by step, with cards to four digits, and money and the pot in dollars."""
    a, b = (0, 1) if row["seat_0_is_a"] else (1, 0)
    bet = int(row["bet"])
    cards = [(f"{row['a_card']:.4f}",), (f"{row['b_card']:.4f}",)]
    notes = [f"A, has ${row['a_money']:g}", f"B, has ${row['b_money']:g}"]
    pot = 2 * ANTE
    steps = [Step(None, f"both ante ${ANTE}", (cards[a], cards[b]), pot=pot)]
    if bet:
        pot += bet
        steps.append(Step(a, f"bets ${bet}", pot=pot))
        pot += 0 if row["folded"] else bet
        steps.append(Step(b, "folds" if row["folded"] else "calls", pot=pot))
    else:
        steps.append(Step(a, "passes"))
    return Scene([*steps, won(row["a_gain"] * (1 - 2 * a), "$")], (notes[a], notes[b]))


PRESENTATION = Presentation(
    tally, charts, scene, points, "$", columns={}, seat_0_is="seat_0_is_a", positions=("as A", "as B"), decided=decided
)
