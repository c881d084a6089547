# Weathervane
# A program in Python. Bluffs more while bluffs get through and less when they are called, by the wind of the last bets.

import json
import sys

POT = 20


def usual_line(bet):
    return (2.8 + bet) / (POT + bet)


def say(answer):
    print("ACTION", answer, flush=True)


def play(questions):
    folds = usual_line(50)  # how often a bet was folded to, of late
    bet_before = False
    for question in questions:
        if not question.startswith("{"):
            return
        told = json.loads(question)
        card = told["card"]
        most = min(50, told["money"], told["opponents_money"])
        if told["decision"] == "b":
            if bet_before:
                # The last game was our bet: a fold shows no card.
                folds += 0.01 * ((told["opponents_previous_card"] < 0) - folds)
            bet_before = False
            say(int(card > usual_line(told["bet"])))
            continue
        # If the opponent calls with the best cards only, the rest of them, `folds`, are folded to a bluff.
        bluff = 10 * folds - (10 + most) * (1 - folds)
        beaten = max(0.0, card - folds) / (1 - folds)
        good = 10 * folds + (10 + most) * (1 - folds) * (2 * beaten - 1)
        bet_before = max(bluff, good) > 10 * (2 * card - 1)
        say(most if bet_before else 0)


sys.stdin.readline()  # the number of sessions
play(sys.stdin)
