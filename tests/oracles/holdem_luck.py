"""Luck of a hand of Hold'em training in plain Python: means over all cases.

A hand is the oracle's record. Equities are Alice's shares of boards, and ties count half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import islice, permutations

from tests.oracles.deals import splitmix
from tests.oracles.holdem_training import CALLED, CHECKED, FOLDED, Hand, compare, draw, worth

BOARDS, RUNOUTS, RIVERS = 9, 8, 8
# Of s, a and b: 1, 0 or -1 as Alice wins, ties or loses; what each beats of the 22 others less what beats it, by 22.
COMPARISONS: list[Callable[[int, Fraction, Fraction], Fraction]] = [
    lambda s, a, b: Fraction(s),
    lambda s, a, b: s * a,
    lambda s, a, b: s * b,
    lambda s, a, b: s * a * a,
    lambda s, a, b: s * a * b,
    lambda s, a, b: s * b * b,
]


def shuffled(cards: Sequence[int], shuffle: int) -> list[int]:
    deck = [card for card in range(52) if card not in cards[:4]]
    words = islice(splitmix(shuffle), 10)
    word = 0
    for place in range(47):
        if place % 5 == 0:
            word = next(words)
        word = draw(deck, place, word)
    return deck


def next_shuffle(cards: Sequence[int], shuffle: int) -> int:
    packed = 0
    for card in cards:
        packed = 64 * packed + card
    return next(splitmix(shuffle ^ packed))


def equity(cards: Sequence[int], known: int, deck: Sequence[int], boards: int) -> Fraction:
    """Return Alice's equity with some cards of the board known, over boards filled from the deck in order."""
    board = list(cards[4 : 4 + known])
    rest = [card for card in deck if card not in board]
    hidden = 5 - known
    shares = [
        Fraction(1 + compare([*cards[:4], *board, *rest[hidden * n : hidden * (n + 1)]]), 2) for n in range(boards)
    ]
    return sum(shares, Fraction(0)) / boards


def comparisons(cards: Sequence[int], deck: Sequence[int]) -> list[Fraction]:
    """Return each comparison less its mean over all ordered pairs of the 23 hands."""
    board = cards[4:]
    rest = [card for card in deck if card not in board]
    hands = [tuple(cards[0:2]), tuple(cards[2:4]), *[(rest[2 * n], rest[2 * n + 1]) for n in range(21)]]
    worths = [worth(tuple(sorted([*hand, *board]))) for hand in hands]
    ahead = [Fraction(sum((own > other) - (own < other) for other in worths), 22) for own in worths]

    def values(alice: int, bob: int) -> list[Fraction]:
        s = (worths[alice] > worths[bob]) - (worths[alice] < worths[bob])
        return [value(s, ahead[alice], ahead[bob]) for value in COMPARISONS]

    pairs = list(permutations(range(23), 2))
    means = [sum(column, Fraction(0)) / len(pairs) for column in zip(*[values(*pair) for pair in pairs])]
    return [value - mean for value, mean in zip(values(0, 1), means)]


def controls(hand: Hand, shuffle: int, call_chance: Callable[[tuple[int, int], int], float]) -> list[float]:
    """Return the eleven controls: four of the pot, Bob's first answer, six comparisons."""
    cards, raises, answers = hand.cards, hand.raises, hand.answers
    deck = shuffled(cards, shuffle)
    known = [equity(cards, 0, deck, BOARDS)]
    for round_, (shown, boards) in enumerate([(3, RUNOUTS), (4, RIVERS), (5, 1)], 1):
        if all(answer in (CHECKED, CALLED) for answer in answers[:round_]):
            known.append(equity(cards, shown, deck, boards))
    found = [10.0 * float(known[0] - Fraction(1, 2)), 0.0, 0.0, 0.0, 0.0]
    for round_ in range(1, len(known)):
        pot = 10 + 2 * sum(raised for raised, answer in zip(raises[:round_], answers) if answer == CALLED)
        found[round_] = pot * float(known[round_] - known[round_ - 1])
    if answers[0] in (CALLED, FOLDED):
        chance = call_chance((cards[2], cards[3]), raises[0])
        called = (10 + 2 * raises[0]) * float(known[0]) - raises[0]
        expected = chance * called + (1 - chance) * 10
        found[4] = (called if answers[0] == CALLED else 10) - expected
    return [*found, *map(float, comparisons(cards, deck))]
