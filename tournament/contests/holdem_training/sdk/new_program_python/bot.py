"""{name}: raises more the better its chances are.

Written by `tournament new`; make it yours. It reads the judge's lines and writes its own: any number of RATE and
one ACTION for each STATE. Every match starts it anew, and what it keeps in its variables lasts as long as the match.
"""

import sys

budget = 3_000_000  # samples that all RATE of a match together may ask for


def read():
    """The words of the judge's next line. After -1, which says that something was wrong, the program must end."""
    words = sys.stdin.readline().split()
    if not words or words[0] == "-1":
        sys.exit()
    return words


def say(line):
    """Write a line. Without the flush it would stay here, and the judge wait for it."""
    print(line, flush=True)


def rates(samples):
    """How often we win and how often both tie when the cards that we don't see are dealt at random so many times."""
    global budget
    budget -= samples
    say(f"RATE {samples}")
    _, win, tie = read()
    return float(win), float(tie)


def action(round_, stack, pot, hole, board):
    """What to do in this round: CHECK, FOLD, or RAISE x with x from 1 up to the stack.

    Cards are (suit, value): suit 0 to 3, value 1 to 13 for 2 to A. Bob checks after a check; after a raise he
    calls or folds.
    """
    if stack == 0:  # all in: we are still asked, and can only check or fold
        return "CHECK"
    # 10,000 hands of four rounds leave 75 samples for each.
    win, tie = rates(min(75, budget)) if budget else (0, 0)
    chance = win + tie / 2
    if chance < 0.55:
        return "CHECK"
    return f"RAISE {min(stack, int(2 * pot * (chance - 0.5)) + 1)}"


def cards(numbers):
    """Pairs of suit and value."""
    values = [int(number) for number in numbers]
    return list(zip(values[::2], values[1::2]))


hands = int(read()[0])
while True:
    word, *rest = read()
    if word == "STATE":
        hand, round_, stack, bobs_stack, pot, known = map(int, rest)
    elif word == "ALICE":
        hole = cards(rest)
    elif word == "BOARD":  # the last of the three lines: now it is our turn
        say(f"ACTION {action(round_, stack, pot, hole, cards(rest))}")
    elif word == "OPP":
        answer = rest[0]  # what Bob did: CHECK, CALL or FOLD
    elif word == "RESULT":
        profit = int(rest[0])  # of the hand that is over
    elif word == "SCORE":  # the mean profit a hand: the match is over
        break
