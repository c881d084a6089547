"""Hold'em training in words. The statement numbers suits; here 0 to 3 are ♣ ♦ ♥ ♠."""

from __future__ import annotations

from tournament.contests.telling import Telling, Values

VALUES, _SUITS = "23456789TJQKA", "♣♦♥♠"


def card_name(number: int) -> str:
    """A card by its number in the records: K♦."""
    return f"{VALUES[number % 13]}{_SUITS[number // 13]}"


def _question(_name: str, values: Values) -> str:
    cards, board = _seen(values, "alice"), _seen(values, "board")
    chips = f"stack {values['stack']:g} against {values['bobs_stack']:g}, pot {values['pot']:g}"
    return f"round {values['round']:g}, {cards}{f', board {board}' if board else ''}, {chips}"


def _seen(values: Values, who: str) -> str:
    places = [name.removesuffix("_suit") for name in values if name.startswith(who) and name.endswith("_suit")]
    known = [(int(values[f"{place}_suit"]), int(values[f"{place}_value"])) for place in places]
    return " ".join(card_name(13 * suit + value - 1) for suit, value in known if suit >= 0)


def _answer(_name: str, _values: Values, answer: int) -> str:
    return {0: "check", -1: "fold"}.get(answer, f"raise {answer}")


TELLING = Telling(_question, _answer)
