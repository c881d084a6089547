"""Hold'em training in plain Python: the rules, and Bob with all his hundred rollouts.

Cards are numbers 0 to 51, 13 · suit + value − 1. Hands are compared by trying
all fives of seven. Slow, and without any of the shortcuts of the core.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import NamedTuple

from engine.games.holdem_training.preflop_outcomes import OUTCOMES, SHOWDOWNS
from tests.oracles.deals import WORD64, block_words, key_of, splitmix
from tests.oracles.poker_hands import Worth, card, worth_of_seven

CHECK = 0
FOLD = -1
ROLLOUTS = 100
NOBODY, ALICE, BOB = 0, 1, 2
NOT_ASKED, CHECKED, CALLED, FOLDED = 0, 1, 2, 3


class View(NamedTuple):
    """A view of Alice: her cards, the board so far, the round from 1, stacks and pot."""

    hole: tuple[int, int]
    board: tuple[int, ...]
    round: int
    stack: int
    bobs_stack: int
    pot: int


class Hand(NamedTuple):
    """A hand as it is recorded."""

    match: int
    session: int
    game: int
    cards: tuple[int, ...]
    raises: tuple[int, ...]
    answers: tuple[int, ...]
    folded_by: int
    profit: int


Player = Callable[[View], int]
PreflopChance = Callable[[tuple[int, int], int], float]


@dataclass
class Record:
    """A record of hands and questions, in order."""

    hands: list[Hand] = field(default_factory=list)
    asked: list[View] = field(default_factory=list)


@cache
def worth(cards: tuple[int, ...]) -> Worth:
    return worth_of_seven(card(number) for number in cards)


def compare(cards: Sequence[int]) -> int:
    """Return 1, 0 or -1 if Alice wins, ties or loses with the nine cards of a hand."""
    alice = worth(tuple(sorted([*cards[0:2], *cards[4:9]])))
    bob = worth(tuple(sorted([*cards[2:4], *cards[4:9]])))
    return (alice > bob) - (alice < bob)


def draw(cards: list[int], place: int, word: int) -> int:
    """Swap one of the cards from a place on to it, chosen by the word, and return the rest of the word."""
    product = word * (len(cards) - place)
    chosen = place + (product >> 64)
    cards[place], cards[chosen] = cards[chosen], cards[place]
    return product & WORD64


def deal(words: Sequence[int]) -> tuple[int, ...]:
    """Return the nine cards of a hand: four from its first word, five from its second."""
    deck = list(range(52))
    word = words[0]
    for place in range(9):
        if place == 4:
            word = words[1]
        word = draw(deck, place, word)
    return tuple(deck[:9])


def bob_calls(
    hole: Sequence[int], board: Sequence[int], stack: int, pot: int, raised: int, words: Sequence[int]
) -> bool:
    """Return whether Bob calls a raise, by a word for each rollout. The pot includes the raise, his stack doesn't."""
    unseen = [number for number in range(52) if number not in (*hole, *board)]
    total = 0
    for word in words[:ROLLOUTS]:
        for place in range(2 + 5 - len(board)):
            word = draw(unseen, place, word)
        alice = tuple(unseen[:2])
        rest = tuple(unseen[2 : 2 + 5 - len(board)])
        outcome = compare((*alice, *hole, *board, *rest))
        stack_at_end = stack - raised
        if outcome < 0:
            stack_at_end += pot + raised
        elif outcome == 0:
            stack_at_end += (pot + raised) // 2
        total += stack_at_end - 100
    return total > ROLLOUTS * (stack - 100)


def call_chance(win: float, tie: float, pot: int, raised: int) -> float:
    """Return the probability that a hundred rollouts say call. The pot is the one before the raise."""
    lose = 1 - win - tie
    chance = 0.0
    for wins in range(ROLLOUTS + 1):
        for ties in range(ROLLOUTS + 1 - wins):
            losses = ROLLOUTS - wins - ties
            if 2 * wins * (pot + raised) + ties * pot > 2 * losses * raised:
                ways = math.comb(ROLLOUTS, wins) * math.comb(ROLLOUTS - wins, ties)
                chance += ways * win**wins * tie**ties * lose**losses
    return chance


@cache
def chance_of_call(hole: tuple[int, int], raised: int) -> float:
    """Return the chance of a call before the flop, by the kept counts of wins and ties."""
    high, low = max(hole[0] % 13, hole[1] % 13), min(hole[0] % 13, hole[1] % 13)
    wins, ties = OUTCOMES[13 * high + low if hole[0] // 13 == hole[1] // 13 else 13 * low + high]
    return call_chance(wins / SHOWDOWNS, ties / SHOWDOWNS, 10, raised)


def play(
    player: Player,
    deals_key: int,
    *,
    sessions: int,
    hands: int,
    preflop_chance: PreflopChance,
    match: int = 0,
    first_session: int = 0,
    decks: Sequence[Sequence[int]] | None = None,
) -> Record:
    """Play a leg. Words of a hand are a block: two for the deal, then one for each of Bob's decisions."""
    record = Record()
    for number in range(sessions * hands):
        words = block_words(key_of(deals_key), number, 0)
        cards = deal(words) if decks is None else tuple(decks[number])
        record.hands.append(
            _play_hand(player, cards, words, preflop_chance, record.asked)._replace(
                match=match, session=first_session + number // hands, game=number % hands
            )
        )
    return record


def _play_hand(
    player: Player, cards: tuple[int, ...], words: Sequence[int], preflop_chance: PreflopChance, asked: list[View]
) -> Hand:
    stacks = {"alice": 100, "bob": 100}
    pot = 10
    raises = [0, 0, 0, 0]
    answers = [NOT_ASKED] * 4
    hole = (cards[2], cards[3])
    for round_ in range(1, 5):
        board = cards[4 : 4 + (0, 3, 4, 5)[round_ - 1]]
        view = View((cards[0], cards[1]), board, round_, stacks["alice"], stacks["bob"], pot)
        asked.append(view)
        action = player(view)
        if action == FOLD:
            return Hand(0, 0, 0, cards, tuple(raises), tuple(answers), ALICE, stacks["alice"] - 100)
        if action == CHECK:
            answers[round_ - 1] = CHECKED
            continue
        assert 1 <= action <= stacks["alice"]
        raises[round_ - 1] = action
        stacks["alice"] -= action
        pot += action
        bobs_word = words[1 + round_]
        if round_ == 1:
            calls = (bobs_word >> 11) / 2**53 < preflop_chance(hole, action)
        else:
            calls = bob_calls(hole, board, stacks["bob"], pot, action, list(islice(splitmix(bobs_word), ROLLOUTS)))
        if not calls:
            answers[round_ - 1] = FOLDED
            return Hand(0, 0, 0, cards, tuple(raises), tuple(answers), BOB, stacks["alice"] + pot - 100)
        answers[round_ - 1] = CALLED
        stacks["bob"] -= action
        pot += action
    outcome = compare(cards)
    share = {1: pot, 0: pot // 2, -1: 0}[outcome]
    return Hand(0, 0, 0, cards, tuple(raises), tuple(answers), NOBODY, stacks["alice"] + share - 100)
