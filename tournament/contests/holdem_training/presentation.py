"""Presentation of Hold'em training in a report: raises and folds by round and strength, and a hand step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engine.games.holdem_training.bob import POT
from engine.games.holdem_training.core import BOB_CALLED, BOB_CHECKED, BOB_FOLDED, STACK
from tournament.contests.presentation import (
    Chart,
    Decided,
    GridChart,
    Presentation,
    Row,
    Rows,
    Scene,
    Seats,
    Step,
    Subject,
    Sums,
    counted,
    shares,
    won,
)

_CARDS = 52
# The statement numbers suits; here 0 to 3 are ♣ ♦ ♥ ♠.
VALUES, _SUITS = "23456789TJQKA", "♣♦♥♠"
HAND_NAMES = ("high card", "one pair", "two pairs", "three of a kind", "straight or better")
_ROUND_NAMES = ("before the flop", "flop", "turn", "river")
_SEEN = ("flop_1", "flop_2", "flop_3", "turn", "river")
_RAISES, _FOLDS, _CHECKS = range(3)
_ALICE = 1  # value of `folded_by`
_COLUMNS = {"folded_by": ("no one", "Alice", "Bob"), **{f"raise_{number}": () for number in range(1, 5)}, "profit": ()}


def hand_strengths(cards: Sequence[npt.NDArray[np.uint8]]) -> npt.NDArray[np.intp]:
    """Return the hands made of five to seven cards, as indices of HAND_NAMES, in the order of the arrays' elements.

    Args:
        cards: One array of cards, 0 to 51, 13 of each suit from the two on, for each card of the hands. The order of
            the arrays doesn't matter.
    """
    ranks = sum((np.int64(1) << (4 * (card % 13).astype(np.int64)) for card in cards), np.int64(0))
    suits = sum((np.int64(1) << (8 * (card // 13).astype(np.int64)) for card in cards), np.int64(0))
    ones = np.int64(sum(1 << 4 * rank for rank in range(13)))
    low, middle, high = ranks & ones, ranks >> 1 & ones, ranks >> 2 & ones
    pairs = np.bitwise_count(middle & ~low)
    threes = np.bitwise_count(middle & low)
    fours = np.bitwise_count(high)
    is_present = low | middle | high
    with_low_ace = is_present << 4 | is_present >> 48
    straight = with_low_ace.copy()
    for more in range(1, 5):
        straight &= with_low_ace >> (4 * more)
    flush = (suits + 0x7B7B7B7B) & 0x80808080
    best = (straight != 0) | (flush != 0) | (fours > 0) | (threes > 1) | ((threes > 0) & (pairs > 0))
    strengths: npt.NDArray[np.intp] = np.select(
        [best, threes > 0, pairs > 1, pairs > 0], [4, 3, 2, 1], 0
    ).astype(np.intp)  # fmt: skip
    return strengths


def hole_grid(first: npt.NDArray[np.uint8], second: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """Return two cards as an index of the usual grid, 0 to 168, in the order of the arrays' elements.

    The grid has 13 rows and 13 columns, both from the ace to the two, and is numbered row by row. Suited hands are
    above the diagonal. The order of the two cards doesn't matter.

    Args:
        first: One card of each hand, 0 to 51, 13 of each suit from the two on.
        second: The other card of each hand.
    """
    one, other = 12 - first % 13, 12 - second % 13
    high, low = np.minimum(one, other), np.maximum(one, other)
    suited = first // 13 == second // 13
    return np.where(suited, 13 * high + low, 13 * low + high).astype(np.intp)


def tally(rows: Rows, seats: Seats) -> Sums:
    """Count Alice's actions by entrant: `hole` before the flop, by her cards, and `board`, by round and strength.

    The last axis of both has her raises, folds and checks, in this order. Rounds that she doesn't play don't count.

    Returns:
        `hole` with the axes entrant, index of `hole_grid` and action. `board` with the axes entrant, round from the
        flop on, index of HAND_NAMES and action.
    """
    everybody = seats.entrants + 1
    cards = {name: np.minimum(rows[name], _CARDS - 1) for name in ("alice_card_1", "alice_card_2", *_SEEN)}
    plays = np.ones(len(seats.players[0]), bool)
    sums = {"board": np.zeros((everybody, 3, len(HAND_NAMES), 3), np.int64)}
    for number in range(4):
        raised, answer = rows[f"raise_{number + 1}"], rows[f"bob_answer_{number + 1}"]
        folds = (rows["folded_by"] == _ALICE) & (answer == 0)
        action = np.where(raised > 0, _RAISES, np.where(folds, _FOLDS, _CHECKS))[plays]
        player_axis = (seats.players[0][plays], everybody)
        seen = {name: values[plays] for name, values in cards.items()}
        if number:
            strength = hand_strengths([seen[name] for name in ("alice_card_1", "alice_card_2", *_SEEN[: number + 2])])
            sums["board"][:, number - 1] = counted([player_axis, (strength, len(HAND_NAMES)), (action, 3)])
        else:
            sums["hole"] = counted(
                [player_axis, (hole_grid(seen["alice_card_1"], seen["alice_card_2"]), 169), (action, 3)]
            )
        plays = plays & (answer != 0) & (answer != BOB_FOLDED)
    return sums


def decided(rows: Rows) -> Sequence[Decided]:
    """Return Alice's raises, folds and checks in each round, one element for each of the four rounds in order.

    They are by her hand: two cards before the flop, and what she has made after it. In rows in which she doesn't play
    the round, its seat is -1.
    """
    cards = {name: np.minimum(rows[name], _CARDS - 1) for name in ("alice_card_1", "alice_card_2", *_SEEN)}
    plays = np.ones(len(rows["profit"]), bool)
    decisions = []
    for number, name in enumerate(_ROUND_NAMES):
        raised, answer = rows[f"raise_{number + 1}"], rows[f"bob_answer_{number + 1}"]
        folds = (rows["folded_by"] == _ALICE) & (answer == 0)
        action = np.where(raised > 0, _RAISES, np.where(folds, _FOLDS, _CHECKS))
        labels: Sequence[str] = HAND_NAMES
        if number:
            hand = hand_strengths([cards[one] for one in ("alice_card_1", "alice_card_2", *_SEEN[: number + 2])])
        else:
            hand, labels = hole_grid(cards["alice_card_1"], cards["alice_card_2"]), _HOLES
        decisions.append(Decided(name, np.where(plays, 0, -1), hand, labels, action, ("raises", "folds", "checks")))
        plays = plays & (answer != 0) & (answer != BOB_FOLDED)
    return decisions


_HOLES = [
    f"{VALUES[12 - min(row, column)]}{VALUES[12 - max(row, column)]}" + ("" if row == column else "so"[row > column])
    for row in range(13)
    for column in range(13)
]


def charts(sums: Sums, subject: Subject) -> Sequence[Chart]:
    """Return the charts of one bot: raises before the flop, then raises and folds by round and strength.

    Args:
        sums: Sums of all entrants, as `tally` returns them.
        subject: The bot.
    """
    hole = sums["hole"][subject.number].reshape(13, 13, 3)
    board = sums["board"][subject.number].transpose(1, 0, 2)  # strength, round, action
    ranks = tuple(reversed(VALUES))

    def grid(title: str, meaning: str, action: int) -> Chart:
        """Return the chart of an action by strength and round, from the flop on.

        Args:
            title: Title of the chart.
            meaning: Explanation below the title.
            action: Index of the action: raises, folds or checks.
        """
        return GridChart(
            title, meaning, HAND_NAMES, _ROUND_NAMES[1:],
            [shares(row[:, action], row.sum(axis=1)) for row in board], board.sum(axis=2).tolist(),
        )  # fmt: skip

    return [
        GridChart(
            "Raises before the flop", "The share of hands that it raises; suited ones above the diagonal.",
            ranks, ranks,
            [shares(row[:, _RAISES], row.sum(axis=1)) for row in hole], hole.sum(axis=2).tolist(),
        ),
        grid("Raises, by round and strength",
             "From the flop on: the share of its decisions that are raises, by what it has made.", _RAISES),
        grid("Folds, by round and strength", "The share of its decisions that are folds.", _FOLDS),
    ]  # fmt: skip


def _card(number: int) -> str:
    """Return the name of a recorded card, such as K♦. A number below 0 or above 51 counts as the nearest card."""
    card = min(_CARDS - 1, max(0, int(number)))
    return f"{VALUES[card % 13]}{_SUITS[card // 13]}"


_ANSWERS = {BOB_CHECKED: "checks", BOB_CALLED: "calls", BOB_FOLDED: "folds"}


def scene(row: Row) -> Scene:
    """Return a hand step by step, with Alice in seat 0, Bob in seat 1, and the pot in chips.

    It ends at a fold, at the first round without an answer of Bob's, or after the river.
    """
    board = [_card(row[name]) for name in _SEEN]
    hands = [[_card(row[f"{who}_card_{number}"]) for number in (1, 2)] for who in ("alice", "bob")]
    pot = POT
    steps = [Step(None, "the cards are dealt", hands, (), pot=pot)]
    for number, seen in enumerate((0, 3, 4, 5)):
        if number:
            steps.append(Step(None, _ROUND_NAMES[number], board=board[:seen]))
        raised, answer = int(row[f"raise_{number + 1}"]), int(row[f"bob_answer_{number + 1}"])
        if not answer:
            if row["folded_by"] == _ALICE:
                steps.append(Step(0, "folds"))
            break
        pot += raised
        steps.append(Step(0, f"raises {raised}" if raised else "checks", pot=pot))
        pot += raised if answer == BOB_CALLED else 0
        steps.append(Step(1, _ANSWERS.get(answer, "answers"), pot=pot))
        if answer == BOB_FOLDED:
            break
    return Scene([*steps, won(row["profit"])], (f"Alice, {STACK} chips", f"{STACK} chips"))


PRESENTATION = Presentation(
    tally, charts, scene, lambda rows: [rows["profit"]], "chips", "hand", columns=_COLUMNS, decided=decided
)
