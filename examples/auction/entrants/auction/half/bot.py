"""half: of what the prize is worth."""

import json
import sys

sessions = int(sys.stdin.readline())
for line in sys.stdin:
    if not line.startswith("{"):
        break  # SCORE: the match is over
    print("ACTION", json.loads(line)["value"] // 2, flush=True)
