"""half: of what the prize is worth."""

import json
import sys

for line in sys.stdin:
    if line.startswith("{"):  # before the first decision comes the number of sessions, after the last one SCORE
        print("ACTION", json.loads(line)["value"] // 2, flush=True)
