"""Hold'em training in words. The statement numbers suits; here 0 to 3 are ♣ ♦ ♥ ♠."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.games.holdem_training.core import BOB_CALLED, BOB_CHECKED, BOB_FOLDED
from tournament.contests.telling import Action, Names, Row, Telling, ToldGame, Values

VALUES, _SUITS = "23456789TJQKA", "♣♦♥♠"
_ALICE = 1  # who folded
_REPLIES = {BOB_CHECKED: "checks", BOB_CALLED: "calls", BOB_FOLDED: "folds"}
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
    for turned_up, acts in zip(_TURNED_UP, betting(row)):
        if turned_up:
            actions.append(Action("", f"{turned_up[0].removesuffix('_1')} {' '.join(_cards(row, turned_up))}"))
        actions += [Action(names[seat], what) for seat, what, _ in acts]
    profit = row["profit"]
    winner = f"{alice if profit > 0 else bob} wins {abs(profit)}" if profit else "nobody wins"
    hands = {alice: _cards(row, ("alice_1", "alice_2")), bob: _cards(row, ("bob_1", "bob_2"))}
    board = tuple(name for group in _TURNED_UP for name in group)
    return ToldGame(hands | {"board": _cards(row, board)}, tuple(actions), winner)


def betting(row: Row) -> Iterator[list[tuple[int, str, int]]]:
    """By round: who does what, by seat, and the chips that it puts into the pot."""
    for number in range(1, 5):
        raised, reply = int(row[f"raise_{number}"]), int(row[f"answer_{number}"])
        if not reply:
            yield [(0, "folds", 0)] if row["folder"] == _ALICE else []
            return
        called = raised if reply == BOB_CALLED else 0
        yield [(0, f"raises {raised}" if raised else "checks", raised), (1, _REPLIES.get(reply, "answers"), called)]
        if reply == BOB_FOLDED:
            return


def _cards(row: Row, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(card_name(int(row[name])) for name in names)


TELLING = Telling(_question, _answer, _game)
