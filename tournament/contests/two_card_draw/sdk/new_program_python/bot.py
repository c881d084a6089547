"""{name}: bets its pairs, and bluffs a server that folds to bets too often.

Written by `tournament new`; make it yours. It reads questions and writes answers, a line each: every session
starts it anew, and what it keeps in its variables lasts as long as the session, 10,000 hands with one server
that always plays the same strategy: learn it.
"""

import sys

small_bet = 0
bets = folds = 0  # of ours to open a hand, and how often the server folded to them
waiting = False  # for the server to answer our bet


def init(bet1, bet2):
    """Before the first hand: what a bet costs in the first and in the second round."""
    global small_bet
    small_bet = bet1
    return "OK"


def new_hand(card1, card2, winnings):
    """A new hand, and what was won so far. Cards are 0 to 4, card1 is not the higher one. CHECK or BET."""
    global bets, folds, waiting
    # Nobody tells you that the server folded: but if it hadn't, ROUND1 or DRAW would have come next.
    folds += waiting
    bluff = bets >= 20 and folds > (bets - folds) * small_bet
    waiting = card1 == card2 or bluff
    bets += waiting
    return "BET" if waiting else "CHECK"


def round1(card1, card2, count):
    """The server has raised, to `count` bets. FOLD, CALL or RAISE, which after three bets is a call."""
    global waiting
    waiting = False
    return "CALL" if card1 == card2 or card2 >= 3 else "FOLD"


def draw(card1, card2, count):
    """How many cards to exchange, 0 to 2: DRAW 1 exchanges the lower one."""
    global waiting
    waiting = False
    return "DRAW 0" if card1 == card2 else "DRAW 1"


def round2(card1, card2, bets1, bets2, drew):
    """With bets2 0 you open: CHECK or BET. Else you face a raise: FOLD, CALL or RAISE. The server drew so many."""
    if bets2 == 0:
        return "BET" if card1 == card2 else "CHECK"
    return "CALL" if card1 == card2 else "FOLD"


def showdown(card1, card2, opp1, opp2):
    """Nobody folded: this is what both hold."""
    return "OK"


answers = {
    "INIT": init,
    "NEW_HAND": new_hand,
    "ROUND1": round1,
    "DRAW": draw,
    "ROUND2": round2,
    "SHOWDOWN": showdown,
}

sys.stdin.readline()  # the number of sessions, which is 1
for line in sys.stdin:
    word, *numbers = line.split()
    if word not in answers:
        break  # SCORE: the session is over
    # Without the flush the answer would stay here, and the controller wait for it.
    print("ACTION", answers[word](*map(int, numbers)), flush=True)
