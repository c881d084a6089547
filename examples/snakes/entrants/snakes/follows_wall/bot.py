"""follows_wall: keeps to the left, as one does in a maze."""

import json
import sys

WAYS = ["up", "right", "down", "left"]
STEPS = [(-1, 0), (0, 1), (1, 0), (0, -1)]

sessions = int(sys.stdin.readline())
last = 0
for line in sys.stdin:
    if not line.startswith("{"):
        break  # SCORE: the match is over
    view = json.loads(line)
    row, column = divmod(view["heads"][view["seat"]], 11)
    for way in ((last + turned) % 4 for turned in (3, 0, 1)):
        there = (row + STEPS[way][0], column + STEPS[way][1])
        if min(there) >= 0 and max(there) < 11 and view["board"][11 * there[0] + there[1]] < 0:
            last = way
            break
    print("ACTION", json.dumps(WAYS[last]), flush=True)
