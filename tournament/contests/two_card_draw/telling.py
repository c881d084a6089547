"""Two-card draw in words. Its cards are digits, as in the statement."""

from __future__ import annotations

from collections.abc import Iterator

from tournament.contests.telling import Telling, Values


def _question(name: str, values: Values) -> str:
    if name == "init":
        return f"bets are {values['bet1']:g} in round 1, {values['bet2']:g} in round 2"
    cards = f"cards {values['card1']:g} {values['card2']:g}"
    match name:
        case "new_hand":
            return f"{cards}, winnings so far {values['winnings']:+g}"
        case "round1":
            return f"{cards}, {_bets(values['bets'])} so far"
        case "draw":
            return f"{cards}, {_bets(values['bets'])} in round 1"
        case "round2":
            rounds = f"{_bets(values['bets1'])} in round 1, {_bets(values['bets2'])} so far in round 2"
            return f"{cards}, {rounds}, the server drew {values['drew']:g}"
    return f"{cards}, the server shows {values['opp1']:g} {values['opp2']:g}"


def _answer(name: str, values: Values, answer: int) -> str:
    match name:
        case "new_hand":
            return "bet" if answer > 0 else "check"
        case "round1":
            return ("fold", "call", "raise")[min(max(answer, 0), 2)]
        case "draw":
            return f"draw {answer}"
        case "round2":
            opens = not values["bets2"]
            return ("fold", "check" if opens else "call", "bet" if opens else "raise")[min(max(answer, 0), 2)]
    return ""  # it is only told


def betting(bets: int, x_opened: bool, folder: int) -> Iterator[tuple[int, str]]:
    """Who does what in a round, by seat: one opens, both raise in turn, and the last calls or folds. `folder` is who
    folds at its end: 0 nobody, 1 x, 2 y."""
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


def _bets(count: float) -> str:
    return f"{count:g} bet{'s' * (count != 1)}"


TELLING = Telling(_question, _answer)
