"""Two-card draw in words. Its cards are digits, as in the statement."""

from __future__ import annotations

from collections.abc import Iterator

from tournament.contests.telling import Action, Names, Row, Telling, ToldGame, Values


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


def _game(row: Row, names: Names) -> ToldGame:
    x, y = names
    second = row["rounds"] == 2
    cards = {x: tuple(f"{row['x_dealt']:02d}"), y: tuple(f"{row['y_dealt']:02d}")}
    actions = _round(names, row["bets1"], row["x_opened1"], 0 if second else row["folded"])
    if second:
        for name, drew, held in ((x, row["x_drew"], row["x_held"]), (y, row["y_drew"], row["y_held"])):
            actions.append(Action(name, f"draws {drew}, holds {' '.join(f'{held:02d}')}"))
        actions += _round(names, row["bets2"], row["x_opened2"], row["folded"])
    gain = row["x_gain"]
    winner = f"{x if gain > 0 else y} wins {abs(gain)}" if gain else "nobody wins"
    return ToldGame(cards, tuple(actions), f"{winner}, with {row['pot']} in the pot")


def betting(bets: int, x_opened: bool, folder: int) -> Iterator[tuple[int, str]]:
    """Who does what in a round, by seat: one opens, both raise in turn, and the last calls or folds.

    `folder` is who folds at its end: 0 nobody, 1 x, 2 y.
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


def _round(names: Names, bets: int, x_opened: bool, folder: int) -> list[Action]:
    return [Action(names[seat], what) for seat, what in betting(bets, x_opened, folder)]


def _bets(count: float) -> str:
    return f"{count:g} bet{'s' * (count != 1)}"


TELLING = Telling(_question, _answer, _game)
