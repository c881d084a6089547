"""One-card von Neumann poker in words."""

from __future__ import annotations

from collections.abc import Iterator

from tournament.contests.telling import Action, Names, Row, Telling, ToldGame, Values, amount

_ANTE = 10


def _card(value: float) -> str:
    return f"{value:.4f}"


def _question(name: str, values: Values) -> str:
    told = [f"card {_card(values['card'])}", f"{_money(values['money'])} against {_money(values['opponents_money'])}"]
    if values["opponents_previous_card"] >= 0:
        told.append(f"opponent's last card {_card(values['opponents_previous_card'])}")
    if name == "b":
        told.append(f"a bet of {_money(values['bet'])}")
    return ", ".join(told)


def _answer(name: str, _values: Values, answer: int) -> str:
    if name == "b":
        return "call" if answer else "fold"
    return f"bet {_money(answer)}" if answer > 0 else "pass"


def _game(row: Row, names: Names) -> ToldGame:
    a, b = names if row["x_is_a"] else names[::-1]
    actions = tuple(Action(names[seat], what) for seat, what, _ in betting(row))
    gain = row["a_gain"]
    winner, won = (a, gain) if gain > 0 else (b, -gain)
    stacks = f"{a} had {_money(row['a_money'])}, {b} {_money(row['b_money'])}"
    return ToldGame(
        {a: (_card(row["a_card"]),), b: (_card(row["b_card"]),)},
        actions,
        f"{f'{winner} wins {_money(won)}' if won else 'nobody wins'}; before the antes of ${_ANTE} {stacks}",
    )


def betting(row: Row) -> Iterator[tuple[int, str, int]]:
    """Who does what in a game, by seat, and what that puts into the pot."""
    a, bet = 0 if row["x_is_a"] else 1, int(row["bet"])
    yield a, f"bets {_money(bet)}" if bet else "passes", bet
    if bet:
        yield 1 - a, "folds" if row["folded"] else "calls", 0 if row["folded"] else bet


def _money(number: float) -> str:
    return amount(number, "$")


TELLING = Telling(_question, _answer, _game)
