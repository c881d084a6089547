"""{name}: plays what the opponent has played most often so far.

Written by `tournament new`; make it yours. It reads questions and writes answers, a line each: every match
starts it anew, and what it keeps in its variables lasts as long as the match.
"""

import sys

opponents_moves = []


def next_move(moves):
    """The next move: both players choose at the same time."""
    return max(range(moves), key=opponents_moves.count)


def answer(action):
    """Write an answer. Without the flush it would stay here, and the tournament wait for it."""
    print("ACTION", action, flush=True)


sessions = int(sys.stdin.readline())
for line in sys.stdin:
    word, *rest = line.split()
    if word not in ("STATE", "PAST"):
        break  # SCORE: the match is over
    # Turns of a game count from 0. The last two numbers are both moves of the turn before, -1 in the first;
    # rounds is how many turns there will be, or -1.
    turn, rounds, moves, role, mine, theirs = map(int, rest)
    if turn <= 1:
        opponents_moves.clear()
    if turn > 0:
        opponents_moves.append(theirs)
    # PAST tells of a turn that was played before this program was started again.
    answer("OK" if word == "PAST" else f"MOVE {next_move(moves)}")
