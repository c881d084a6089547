"""threshold.cpp as a program: raises the pot when its chance to win is above a threshold, higher from round to round.

64 samples a decision are 2,560,000 at most in 10,000 hands: within what a match may ask for.
"""

import sys

THRESHOLDS = (0.5, 0.6, 0.65, 0.7)


def say(line):
    print(line, flush=True)


def action(round_, stack, pot):
    if stack == 0:
        return "CHECK"
    say("RATE 64")
    _, win, tie = sys.stdin.readline().split()
    if float(win) + float(tie) / 2 < THRESHOLDS[round_ - 1]:
        return "CHECK"
    return f"RAISE {min(stack, pot)}"


for line in sys.stdin:
    word, *values = line.split()
    if word == "STATE":
        hand, round_, stack, bobs_stack, pot, cards = map(int, values)
    elif word == "BOARD":
        say(f"ACTION {action(round_, stack, pot)}")
    elif word in ("SCORE", "-1"):
        break
