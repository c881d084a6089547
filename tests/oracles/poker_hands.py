"""Poker hands in plain Python: five cards by the rules' own words, seven by trying all five.

A card is a pair (suit, value), suit 0 to 3, value 1 to 13 for 2 to A.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

Card = tuple[int, int]
Worth = tuple[int, tuple[int, ...]]

STRAIGHT, FLUSH, STRAIGHT_FLUSH = 4, 5, 8
# From A-2-3-4-5 to T-J-Q-K-A.
STRAIGHTS = [frozenset({13, 1, 2, 3, 4})] + [frozenset(range(low, low + 5)) for low in range(1, 10)]
# From a high card, 0, to four of a kind, by how often values are there.
TYPE_OF_MULTIPLICITIES = {(1, 1, 1, 1, 1): 0, (2, 1, 1, 1): 1, (2, 2, 1): 2, (3, 1, 1): 3, (3, 2): 6, (4, 1): 7}


def worth_of_five(cards: Iterable[Card]) -> Worth:
    """Return the type and tie-breaks of five cards. A better hand has the greater pair."""
    cards = list(cards)
    values = Counter(value for _, value in cards)
    flush = len({suit for suit, _ in cards}) == 1
    if frozenset(values) in STRAIGHTS and len(values) == 5:
        return STRAIGHT_FLUSH if flush else STRAIGHT, (STRAIGHTS.index(frozenset(values)),)
    in_order = tuple(sorted((value for _, value in cards), key=lambda value: (values[value], value), reverse=True))
    if flush:
        return FLUSH, in_order
    return TYPE_OF_MULTIPLICITIES[tuple(sorted(values.values(), reverse=True))], in_order


def worth_of_seven(cards: Iterable[Card]) -> Worth:
    """Return the best of the 21 hands."""
    return max(worth_of_five(five) for five in combinations(cards, 5))


def card(number: int) -> Card:
    """Return the card of one of the engine's numbers."""
    return number // 13, number % 13 + 1


def cards_of(text: str) -> list[int]:
    """Return card numbers of a text such as "Th Ah": a value and one of the suits c, d, h, s."""
    return [13 * "cdhs".index(word[1]) + "23456789TJQKA".index(word[0]) for word in text.split()]
