"""straight: east, for ever."""

import sys

sessions = int(sys.stdin.readline())
for line in sys.stdin:
    if not line.startswith("{"):
        break  # SCORE: the match is over
    print('ACTION "EAST"', flush=True)
