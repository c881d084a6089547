"""follows_wall: keeps to the left, as one does in a maze."""

import json
import sys

WAYS = ["up", "right", "down", "left"]

sessions = int(sys.stdin.readline())
last = 0
for line in sys.stdin:
    if not line.startswith("{"):
        break  # SCORE: the match is over
    view = json.loads(line)
    free = [way for way in ((last + turned) % 4 for turned in (3, 0, 1)) if view["free"][way]]
    last = free[0] if free else last
    print("ACTION", json.dumps(WAYS[last]), flush=True)
