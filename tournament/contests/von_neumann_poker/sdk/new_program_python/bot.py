"""{name}: bets its best cards for value and its worst as bluffs; calls when the price is right.

Written by `tournament new`; make it yours. It reads questions and writes answers, a line each: every match
starts it anew, and what it keeps in its variables lasts as long as the match.
"""

import sys


def bet_with(card, money, opponents_money):
    """As A: how many dollars to bet; 0 is a pass. The controller cuts a bet to $50 and to either stack."""
    if card > 0.7 or card < 0.1:
        return 50
    return 0


def calls_with(card, bet):
    """As B: whether to call a bet of so many dollars."""
    # Calling costs the bet to win the pot: $20 of antes and A's bet.
    price = bet / (20 + 2 * bet)
    return card > 0.4 + price / 2


def answer(action):
    """Write an answer. Without the flush it would stay here, and the controller wait for it."""
    print("ACTION", action, flush=True)


sessions = int(sys.stdin.readline())
for line in sys.stdin:
    word, *rest = line.split()
    if word != "STATE":
        break  # SCORE: the match is over
    role, card, opponents_previous_card, money, opponents_money = rest[:5]
    # The card that the opponent showed in the game before is negative if that ended with a fold.
    if role == "A":
        bet = bet_with(float(card), int(money), int(opponents_money))
        answer(f"BET {bet}" if bet > 0 else "PASS")
    else:
        answer("CALL" if calls_with(float(card), int(rest[5])) else "FOLD")
