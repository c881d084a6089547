"""Presentation of two-card draw in a report: a bot's bets and draws by hand, and a hand step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tournament.contests.presentation import (
    BarChart,
    Chart,
    Decided,
    Line,
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
    counted,
    shares,
    won,
)

# Hands as the records have them, two digits, from the weakest to the strongest.
_PAIRS = (0, 11, 22, 33, 44)
_HANDS = (*(10 * low + high for high in range(5) for low in range(high)), *_PAIRS)
_LABELS = tuple(f"{hand:02}"[::-1] for hand in _HANDS)
_CODES = 45
_COLUMNS = {
    "rounds": ("", "one", "two"),
    "folded_by": ("no one", "the bot", "the server"),
    "bets1": (), "bets2": (), "pot": (), "gain": (),
}  # fmt: skip


def tally(rows: Rows, seats: Seats) -> Sums:
    """Count the entrants' hands with their actions, by the hand as dealt, whose number has two digits.

    Returns:
        `opened` with the axes entrant, hand, and whether it bet first in round 1. `drew` with the axes entrant, hand
        and number of cards drawn, for hands that have a second round.
    """
    player_axis = (seats.players[0], seats.entrants + 1)
    goes_on = rows["rounds"] > 1
    return {
        "opened": counted([player_axis, (rows["dealt_0"], _CODES), (rows["opened1_0"], 2)]),
        "drew": counted(
            [
                (player_axis[0][goes_on], player_axis[1]),
                (rows["dealt_0"][goes_on], _CODES),
                (rows["drew_0"][goes_on], 3),
            ]
        ),
    }


def charts(sums: Sums, subject: Subject) -> Sequence[Chart]:
    """Return the charts of one bot: its first bets by hand, then the cards that it draws by hand.

    Hands are sorted from the weakest to the strongest.

    Args:
        sums: Sums of all entrants, as `tally` returns them.
        subject: The bot.
    """
    hands = list(_HANDS)
    opened, of_all = sums["opened"][subject.number][hands], subject.field["opened"][hands]
    drew = sums["drew"][subject.number][hands]
    return [
        LineChart("Bets first, by hand", "In round 1: the share of hands in which it bets at once.",
                  "hand as dealt, strongest last", _LABELS,
                  against_field(*(shares(bets[:, 1], bets.sum(axis=1)) for bets in (of_all, opened)))),
        BarChart("Cards drawn, by hand", "How often it exchanges none, one or both cards.", _LABELS,
                 [Line(name, shares(drew[:, count], drew.sum(axis=1)))
                  for count, name in enumerate(("none", "one", "two"))], stacked=True),
    ]  # fmt: skip


def decided(rows: Rows) -> Sequence[Decided]:
    """Return the decisions by the bot's hand: first bet of round 1, draw, first bet of round 2, and fold at the end.

    The first two are by the hand as dealt, and the third by the hand after the draw. The fold is by the hand that the
    bot has at the end. Without a second round the seat of the draw and of round 2 is -1.
    """
    everywhere = np.zeros(len(rows["dealt_0"]), np.int64)
    second_round = np.where(rows["rounds"] > 1, 0, -1)
    first, last = (_HAND_INDEX[np.minimum(rows[name], _CODES - 1)] for name in ("dealt_0", "held_0"))
    folds = np.where(rows["folded_by"] == 1, 1, 0)
    ends = np.where(rows["rounds"] > 1, last, first)
    return [
        Decided("round 1: first bet", everywhere, first, _LABELS, rows["opened1_0"], ("checks, or answers", "bets")),
        Decided("draw", second_round, first, _LABELS, rows["drew_0"], ("none", "one card", "two cards")),
        Decided("round 2: first bet", second_round, last, _LABELS, rows["opened2_0"], ("checks, or answers", "bets")),
        Decided("end", everywhere, ends, _LABELS, folds, ("stays in", "folds")),
    ]


_HAND_INDEX = np.zeros(_CODES, np.int64)
_HAND_INDEX[list(_HANDS)] = np.arange(len(_HANDS))


def _cards(hand: int) -> tuple[str, str]:
    """Return a hand's lower and higher card as text."""
    low, high = divmod(int(hand), 10)
    return str(low), str(high)


def _betting(bets: int, x_opened: bool, folder: int) -> Iterator[tuple[int, str]]:
    """Yield seat and action of each step of a round of bets, in order.

    Args:
        bets: Number of bets and raises.
        x_opened: Whether seat 0 bet first.
        folder: Who folds at the end: 0 no one, 1 seat 0, 2 seat 1.
    """
    if not (bets and x_opened):
        yield 0, "checks"
    if not bets:
        yield 1, "checks"
        return
    opener = 0 if x_opened else 1
    for number in range(bets):
        yield (opener + number) % 2, "raises" if number else "bets"
    last = (opener + bets) % 2
    yield last, "folds" if folder == last + 1 else "calls"


def scene(row: Row) -> Scene:
    """Return a hand step by step, with the bot in seat 0 and the server in seat 1.

    The pot, in chips, is known after the antes and at the end only.
    """
    steps = [Step(None, "both ante 1 chip", (_cards(row["dealt_0"]), _cards(row["house_dealt"])), pot=2)]
    for number in range(1, min(2, int(row["rounds"])) + 1):
        folder = int(row["folded_by"]) if number == row["rounds"] else 0
        if number == 2:
            for seat, (held_by, drew_by) in enumerate((("held_0", "drew_0"), ("house_held", "house_drew"))):
                held = _cards(row[held_by])
                count = int(row[drew_by])
                text = f"draws {('none', 'one', 'two')[min(2, count)]}"
                steps.append(Step(seat, text, (None, held) if seat else (held, None)))
        bets = min(3, int(row[f"bets{number}"]))
        steps += [Step(seat, text) for seat, text in _betting(bets, bool(row[f"opened{number}_0"]), folder)]
    return Scene([*steps, won(row["gain_0"], pot=row["pot"])], ("bot", "server"))


PRESENTATION = Presentation(
    tally, charts, scene, lambda rows: [rows["gain_0"]], "chips", "hand", columns=_COLUMNS, decided=decided
)
