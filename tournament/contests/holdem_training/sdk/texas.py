"""Hold'em training: what a Python bot imports as `texas`, named as in texas.h.

A bot has the function make_decision(state), or a class with that method. It is asked in
every round of a hand that goes on, in the order of the game, so it may follow a hand in variables
of its own. It returns a pair, the action and the raise: (ActionType.RAISE, 10), (ActionType.CHECK, 0),
(ActionType.FOLD, 0); or, for those two, the action alone.
"""

from collections import namedtuple
from enum import Enum
from hashlib import blake2b
from operator import attrgetter, index

from engine.games.holdem_training.rates import RateSampler

__all__ = ["UNKNOWN", "ActionType", "Card", "State"]  # and the helpers, see for_leg


class ActionType(Enum):
    CHECK = 0
    CALL = 1  # Bob's alone
    RAISE = 2
    FOLD = 3


Card = namedtuple("Card", "color value")
Card.__doc__ = "color, the suit: 0 to 3; value: 1 to 13 for 2, 3, ..., T, J, Q, K, A. Both -1: see UNKNOWN."
UNKNOWN = Card(-1, -1)

State = namedtuple(
    "State",
    "alice bob community round stack bobs_stack pot",
    defaults=[(UNKNOWN,) * 2, (UNKNOWN,) * 2, (UNKNOWN,) * 5, 1, 100, 100, 10],
)
State.__doc__ = """alice: your two cards. bob: his two, never known when you are asked. community: the board's five,
of which the first 0, 3, 4 or 5 are known. round: 1 to 4. stack, bobs_stack, pot: chips before you act.

To ask the helpers about other cards: State(alice, bob, community), or state._replace(bob=(Card(0, 13), Card(1, 13))).
"""


# From here on it is the tournament's: how a leg gets its two helpers, and how states and decisions pass.

_CHECK, _FOLD = 0, -1
_NO_STATE = "a helper was asked about a state that is none (a card twice or out of range, or one missing)"
_CARDS = {(suit, value): Card(suit, value) for suit in range(4) for value in range(1, 14)} | {UNKNOWN: UNKNOWN}
_NUMBERS = {card: None if card == UNKNOWN else 13 * card.color + card.value - 1 for card in _CARDS.values()}
_PLACES = ["alice_1", "alice_2", *[f"board_{number}" for number in range(1, 6)]]
_shown = attrgetter(*[f"{place}_{part}" for place in _PLACES for part in ("suit", "value")])
_chips = attrgetter("round", "stack", "bobs_stack", "pot")


def for_leg(seed):
    """The names that are a leg's own: helpers whose samples follow from its seed."""
    sampler = RateSampler(blake2b(seed.to_bytes(8, "little"), digest_size=32, person=b"samples").digest())

    def get_result(state):
        """All nine cards known: 1 if Alice has the better hand, 0 for a tie, -1 if Bob has."""
        try:
            return sampler.compare(_numbers(state))
        except (TypeError, ValueError):
            raise ValueError(_NO_STATE) from None

    def get_rates_by_sampling(state, t):
        """Deals the unknown cards at random t times: the shares that Alice wins, and that both tie."""
        t = index(t)
        if t < 1:
            raise ValueError("get_rates_by_sampling was asked for fewer than one sample")
        numbers = _numbers(state)
        try:
            wins, ties = sampler.rates(numbers, t)
        except ValueError:
            raise ValueError(_NO_STATE) from None
        return wins / t, ties / t

    helpers = {"get_result": get_result, "get_rates_by_sampling": get_rates_by_sampling}
    return {**helpers, "__all__": [*__all__, *helpers]}


def _numbers(state):
    """Nine cards as the engine takes them."""
    try:
        return [_NUMBERS[card] for card in (*state.alice, *state.bob, *state.community)]
    except (KeyError, TypeError):
        raise ValueError(_NO_STATE) from None


def answering(make_decision):
    """The bot's function as the engine calls it: with its view, for a number."""

    def answer(view):
        shown = _shown(view)
        cards = [_CARDS[pair] for pair in zip(shown[0::2], shown[1::2])]
        return _number(make_decision(State(tuple(cards[:2]), (UNKNOWN, UNKNOWN), tuple(cards[2:]), *_chips(view))))

    return answer


def _number(decision):
    """The chips raised, 0 for a check, -1 for a fold. What the rules don't know comes out as something they refuse."""
    if isinstance(decision, ActionType):
        action, raised = decision, 0
    else:
        try:
            action, raised = decision
        except (TypeError, ValueError):
            raise TypeError(f"returned {_shortly(decision)}, expected a pair such as (ActionType.RAISE, 10)") from None
    if action is ActionType.CHECK:
        return _CHECK
    if action is ActionType.FOLD:
        return _FOLD
    if action is ActionType.CALL:
        return -2
    if action is not ActionType.RAISE:
        raise TypeError(f"returned {_shortly(action)} as the action, expected ActionType.CHECK, FOLD or RAISE")
    if isinstance(raised, (str, bytes)) or not hasattr(raised, "__int__"):
        raise TypeError(f"returned {_shortly(raised)} as the raise, expected a number")
    raised = int(raised)  # a fraction is cut off, as in C++
    return raised if raised > 0 else raised - 1000


def _shortly(value):
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
