"""The rules of one-card von Neumann poker in plain Python, one rule a line, however slow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from typing import Literal, NamedTuple

from tests.oracles.deals import Deal

BetCap = Literal["before_ante", "after_ante"]


class View(NamedTuple):
    """A view of a bot before it decides."""

    card: float
    opponents_previous_card: float
    money: int
    opponents_money: int


class Bot(NamedTuple):
    """A bot: its bet as A, its call (anything but 0) as B."""

    a: Callable[[View], int]
    b: Callable[[View, int], int]


class Asked(NamedTuple):
    """A decision of a bot. The bet is A's, and None when A decides."""

    seat: int
    view: View
    bet: int | None


class Game(NamedTuple):
    """A row of `games`."""

    match: int
    session: int
    game: int
    seat_0_is_a: bool
    a_card: float
    b_card: float
    a_money: int
    b_money: int
    bet: int
    folded: bool
    a_gain: int


class Session(NamedTuple):
    """A row of `sessions`."""

    match: int
    session: int
    games: int
    gain_0: int
    points_0: float
    points_1: float


@dataclass
class Record:
    """A record of a played leg."""

    games: list[Game] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)


def play(
    x: Bot,
    y: Bot,
    deal: Deal,
    *,
    sessions: int,
    bet_cap: BetCap = "before_ante",
    seats_swapped: bool = False,
    roles_by_session: bool = False,
    match: int = 0,
    first_session: int = 0,
) -> Record:
    """Play a leg."""
    record = Record()
    bots = (x, y)
    shown = [-1.0, -1.0]
    for session in range(sessions):
        stacks = [100, 100]
        played = 0
        while played < 50 and stacks[0] >= 10 and stacks[1] >= 10:
            # The counter of the whole match decides who is A: x in even games, unless swapped. In a duplicate match
            # session and game decide.
            first = (session + played if roles_by_session else len(record.games)) % 2
            a = 1 - first if seats_swapped else first
            b = 1 - a
            cards = deal(session, played)

            view = View(cards[0], shown[a], stacks[a], stacks[b])
            record.asked.append(Asked(a, view, None))
            bet = cut(bots[a].a(view), stacks[a], stacks[b], bet_cap)

            folded = False
            if bet > 0:
                view = View(cards[1], shown[b], stacks[b], stacks[a])
                record.asked.append(Asked(b, view, bet))
                folded = bots[b].b(view, bet) == 0

            if folded:
                gain = 10
            elif cards[0] > cards[1]:
                gain = 10 + bet
            else:
                gain = -10 - bet
            record.games.append(
                Game(match, first_session + session, played, a == 0, *cards, stacks[a], stacks[b], bet, folded, gain)
            )
            stacks[a] += gain
            stacks[b] -= gain
            shown[a] = -1.0 if folded else cards[1]
            shown[b] = -1.0 if folded else cards[0]
            played += 1
        won = stacks[0] - 100
        record.sessions.append(
            Session(match, first_session + session, played, won, won / sqrt(played), -won / sqrt(played))
        )
    return record


def cut(wish: int, a_money: int, b_money: int, bet_cap: BetCap = "before_ante") -> int:
    """Return A's bet as it counts."""
    antes = {"before_ante": 0, "after_ante": 10}[bet_cap]
    if wish < 0:
        return 0
    return min(wish, a_money - antes, 50, b_money - antes)
