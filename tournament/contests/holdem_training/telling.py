"""Hold'em training in words. The statement numbers suits; here 0 to 3 are ♣ ♦ ♥ ♠."""

from __future__ import annotations

from collections.abc import Iterable

from tournament.contests.telling import Action, Names, Row, Telling, ToldGame, Values

VALUES, _SUITS = "23456789TJQKA", "♣♦♥♠"
_ALICE, _BOB = 1, 2  # who folded
_REPLIES = ("", "checks", "calls", "folds")
_TURNED_UP = ((), ("flop_1", "flop_2", "flop_3"), ("turn",), ("river",))


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


def _game(row: Row, names: Names) -> ToldGame:
    alice, bob = names
    actions = []
    for number, turned_up in enumerate(_TURNED_UP, 1):
        if turned_up:
            actions.append(Action("", f"{turned_up[0].removesuffix('_1')} {' '.join(_cards(row, turned_up))}"))
        raised, reply = row[f"raise_{number}"], row[f"answer_{number}"]
        alice_folds = row["folder"] == _ALICE and not reply
        actions.append(Action(alice, "folds" if alice_folds else f"raises {raised}" if raised else "checks"))
        if reply:
            actions.append(Action(bob, _REPLIES[reply]))
        if alice_folds or (row["folder"] == _BOB and _REPLIES[reply] == "folds"):
            break
    profit = row["profit"]
    winner = f"{alice if profit > 0 else bob} wins {abs(profit)}" if profit else "nobody wins"
    hands = {alice: _cards(row, ("alice_1", "alice_2")), bob: _cards(row, ("bob_1", "bob_2"))}
    board = tuple(name for group in _TURNED_UP for name in group)
    return ToldGame(hands | {"board": _cards(row, board)}, tuple(actions), winner)


def _cards(row: Row, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(card_name(int(row[name])) for name in names)


TELLING = Telling(_question, _answer, _game)
