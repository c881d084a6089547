"""One-card von Neumann poker in words."""

from __future__ import annotations

from tournament.contests.telling import Telling, Values


def _money(number: float) -> str:
    """Money with its sign before that of its currency."""
    return f"{'-' if number < 0 else ''}${abs(number):,.0f}"


def _question(name: str, values: Values) -> str:
    told = [f"card {values['card']:.4f}", f"{_money(values['money'])} against {_money(values['opponents_money'])}"]
    if values["opponents_previous_card"] >= 0:
        told.append(f"opponent's last card {values['opponents_previous_card']:.4f}")
    if name == "b":
        told.append(f"a bet of {_money(values['bet'])}")
    return ", ".join(told)


def _answer(name: str, _values: Values, answer: int) -> str:
    if name == "b":
        return "call" if answer else "fold"
    return f"bet {_money(answer)}" if answer > 0 else "pass"


TELLING = Telling(_question, _answer)
