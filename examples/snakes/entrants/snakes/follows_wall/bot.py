"""follows_wall: keeps to the left, as one does in a maze."""

import json
import sys

last = 0
for view in (json.loads(line) for line in sys.stdin if line.startswith("{")):
    free = [way for way in ((last + turned) % 4 for turned in (3, 0, 1)) if view["free"][way]]
    last = free[0] if free else last
    print("ACTION", json.dumps(["up", "right", "down", "left"][last]), flush=True)
