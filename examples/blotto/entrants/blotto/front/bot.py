"""front: three boxes are enough."""

import sys

sessions = int(sys.stdin.readline())
for line in sys.stdin:
    if not line.startswith("{"):
        break  # SCORE: the match is over
    print("ACTION [4, 3, 3, 0, 0]", flush=True)
