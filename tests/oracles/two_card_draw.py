"""Two-card draw in plain Python: the rules hand by hand, and the best response over all hands.

A strategy is a function of what the server sees, as the statement's situations have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol

Hand = tuple[int, int]
Probabilities = tuple[float, float, float]
# The statement's situations: ("ROUND1", c1, c2, bets), ("DRAW", c1, c2, bets, drew, first),
# ("ROUND2", c1, c2, bets1, bets2, drew1, drew2, first).
Server = Mapping[tuple[str, *tuple[int, ...]], Probabilities]

CARDS = range(5)
DEALS = [tuple(sorted((a, b))) for a in CARDS for b in CARDS]


class Bot(Protocol):
    """The six methods of the statement."""

    def init(self, bet1: int, bet2: int) -> object: ...
    def new_hand(self, card1: int, card2: int, winnings: int) -> int: ...
    def round1(self, card1: int, card2: int, bets: int) -> int: ...
    def draw(self, card1: int, card2: int, bets: int) -> int: ...
    def round2(self, card1: int, card2: int, bets1: int, bets2: int, drew: int) -> int: ...
    def showdown(self, card1: int, card2: int, opp1: int, opp2: int) -> object: ...


def beats(one: Hand, other: Hand) -> bool:
    """Return whether a hand beats another. Pairs beat other hands, then high cards count, then low ones."""

    def strength(hand: Hand) -> tuple[bool, int, int]:
        low, high = hand
        return low == high, high, low

    return strength(one) > strength(other)


class Played(NamedTuple):
    """A hand as the engine's columns have it."""

    dealt_0: Hand
    house_dealt: Hand
    bets1: int
    opened1_0: bool
    drew_0: int
    house_drew: int
    held_0: Hand
    house_held: Hand
    bets2: int
    opened2_0: bool
    rounds: int
    folded_by: int
    pot: int
    gain_0: int


@dataclass
class Luck:
    """Luck of a hand: eight cards, two each as dealt and two each to draw, and the server's five dice."""

    cards: list[int]
    dice: dict[str, float]


def play_hand(bot: Bot, server: Server, bet1: int, bet2: int, luck: Luck, winnings: int) -> Played:
    """Play a hand from the ante to its end."""
    x: Hand = (min(luck.cards[0:2]), max(luck.cards[0:2]))
    y: Hand = (min(luck.cards[2:4]), max(luck.cards[2:4]))
    dealt = x, y
    in_pot = {"x": 1, "y": 1}

    def throw(probabilities: Probabilities, die: float) -> int:
        first, second, third = probabilities
        if die < first:
            return 0
        return 1 if die < first + second or third == 0 else 2

    def betting(
        number: int, opening: bool, ask_bot: Callable[[int], int], ask_server: Callable[[int, float], int]
    ) -> tuple[int, bool, str]:
        """Return the bets, whether the bot bet first, and who folded or ""."""
        size = (bet1, bet2)[number - 1]
        bets = 0
        first = ""
        turn = "x"
        to_open = True
        decisions = 0
        while True:
            if turn == "x":
                opened = "raise" if opening else "check"
                action = opened if to_open else ("fold", "call", "raise")[ask_bot(bets)]
            else:
                action = ("fold", "call", "raise")[ask_server(bets, luck.dice[f"round{number}, {decisions}"])]
                decisions += 1
            if action == "raise" and bets == 3:
                action = "call"
            if action == "fold":
                return bets, first == "x", turn
            other = "y" if turn == "x" else "x"
            in_pot[turn] = max(in_pot[turn], in_pot[other])
            if action == "raise":
                in_pot[turn] += size
                bets += 1
                first = first or turn
            elif not (turn == "x" and to_open):
                return bets, first == "x", ""
            to_open = False
            turn = other

    def result(folder: str, held: tuple[Hand, Hand], **more: object) -> Played:
        pot = in_pot["x"] + in_pot["y"]
        if folder:
            gain = in_pot["y"] if folder == "y" else -in_pot["x"]
        elif beats(*held):
            gain = in_pot["y"]
        elif beats(held[1], held[0]):
            gain = -in_pot["x"]
        else:
            gain = 0
        fields = {"drew_0": 0, "house_drew": 0, "bets2": 0, "opened2_0": False, "rounds": 1, **more}
        return Played(
            dealt_0=dealt[0], house_dealt=dealt[1], held_0=held[0], house_held=held[1],
            folded_by={"": 0, "x": 1, "y": 2}[folder], pot=pot, gain_0=gain, bets1=bets1, opened1_0=x_first, **fields,  # type: ignore[arg-type]
        )  # fmt: skip

    bets1, x_first, folder = betting(
        1,
        bot.new_hand(*x, winnings) == 1,
        lambda bets: bot.round1(*x, bets),
        lambda bets, die: throw(server["ROUND1", *y, bets], die),
    )
    if folder:
        return result(folder, (x, y))
    first = 1 if bets1 and not x_first else 0
    drew_0 = bot.draw(*x, bets1)
    house_drew = throw(server["DRAW", *y, bets1, drew_0, first], luck.dice["draw"])

    def exchanged(hand: Hand, count: int, new: list[int]) -> Hand:
        cards = [*hand] if count == 0 else [hand[1], new[1]] if count == 1 else new
        return min(cards), max(cards)

    held_0 = exchanged(x, drew_0, luck.cards[4:6])
    house_held = exchanged(y, house_drew, luck.cards[6:8])
    bets2, x_first2, folder = betting(
        2,
        bot.round2(*held_0, bets1, 0, house_drew) == 2,
        lambda bets: bot.round2(*held_0, bets1, bets, house_drew),
        lambda bets, die: throw(server["ROUND2", *house_held, bets1, bets, drew_0, house_drew, first], die),
    )
    if not folder:
        bot.showdown(*held_0, *house_held)
    return result(
        folder, (held_0, house_held), drew_0=drew_0, house_drew=house_drew, bets2=bets2, opened2_0=x_first2, rounds=2,
    )  # fmt: skip


# The best response. A history is the public actions so far; a belief is the probability of each of
# the server's hands and of its having acted so, not divided by their sum.

Belief = dict[Hand, float]


def best_value(server: Server, bet1: int, bet2: int, tremble: float = 0.0) -> float:
    """Return the mean win of a bot that does the best, but each wrong thing with the probability `tremble`."""

    def best(values: list[float]) -> float:
        order = sorted(values, reverse=True)
        return (1 - tremble * (len(values) - 1)) * order[0] + tremble * sum(order[1:])

    deal: Belief = {}
    for hand in DEALS:
        deal[hand] = deal.get(hand, 0.0) + 1 / 25  # type: ignore[index, arg-type]

    def part(belief: Belief, chances: Callable[[Hand], Probabilities], action: int) -> Belief:
        return {hand: p * chances(hand)[action] for hand, p in belief.items()}

    def weight(belief: Belief) -> float:
        return sum(belief.values())

    def round_value(
        belief: Belief,
        put: int,
        size: int,
        chances: Callable[[int], Callable[[Hand], Probabilities]],
        end: Callable[[Belief, int, int], float],
    ) -> float:
        """Return the value of a round that the bot opens.

        Args:
            put: Chips that each has in the pot.
            end: Called with a belief, the bets and the first to bet after a call; returns the value.
        """

        def server_turn(belief: Belief, bets: int, first: int) -> float:
            acts = chances(bets)
            won = (put + max(0, bets - 1) * size) * weight(part(belief, acts, 0)) if bets else 0.0
            called = end(part(belief, acts, 1), bets, first)
            raised = part(belief, acts, 2) if bets < 3 else {}
            return won + called + (bot_turn(raised, bets + 1, 1 if bets == 0 else first) if raised else 0.0)

        def bot_turn(belief: Belief, bets: int, first: int) -> float:
            values = [-(put + (bets - 1) * size) * weight(belief), end(belief, bets, first)]
            if bets < 3:
                values.append(server_turn(belief, bets + 1, first))
            return best(values)

        return best([server_turn(belief, 0, 0), server_turn(belief, 1, 0)])

    def drawn(hand: Hand, count: int) -> Iterator[tuple[Hand, float]]:
        if count == 0:
            yield hand, 1.0
        elif count == 1:
            for card in CARDS:
                yield (min(card, hand[1]), max(card, hand[1])), 1 / 5
        else:
            for low, high in DEALS:
                yield (low, high), 1 / 25

    @cache
    def beaten(mine: Hand) -> dict[Hand, int]:
        return {other: beats(mine, other) - beats(other, mine) for other in deal}

    def after_round1(mine: Hand, belief: Belief, bets1: int, first: int) -> float:
        put = 1 + bets1 * bet1
        values = []
        for drew_0 in range(3):
            value = 0.0
            for house_drew in range(3):
                held: Belief = dict.fromkeys(deal, 0.0)
                for hand, p in belief.items():
                    share = p * server["DRAW", *hand, bets1, drew_0, first][house_drew]
                    for becomes, chance in drawn(hand, house_drew):
                        held[becomes] += share * chance
                for becomes, chance in drawn(mine, drew_0):
                    value += chance * round2(becomes, tuple(held.items()), put, bets1, first, drew_0, house_drew)
            values.append(value)
        return best(values)

    @cache
    def round2(
        mine: Hand, held: tuple[tuple[Hand, float], ...], put: int, bets1: int, first: int, drew_0: int, house_drew: int
    ) -> float:
        def showdown(belief: Belief, bets: int, _first: int) -> float:
            return (put + bets * bet2) * sum(p * beaten(mine)[hand] for hand, p in belief.items())

        return round_value(
            dict(held), put, bet2,
            lambda bets: lambda hand: server["ROUND2", *hand, bets1, bets, drew_0, house_drew, first],
            showdown,
        )  # fmt: skip

    total = 0.0
    for mine, chance in deal.items():
        total += chance * round_value(
            deal, 1, bet1,
            lambda bets: lambda hand: server["ROUND1", *hand, bets],
            lambda belief, bets, first, mine=mine: after_round1(mine, belief, bets, first),  # type: ignore[misc]
        )  # fmt: skip
    return total
