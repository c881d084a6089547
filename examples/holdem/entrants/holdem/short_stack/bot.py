"""short_stack: with a pair or an ace all its chips, else nothing."""

import json
import sys

sessions = int(sys.stdin.readline())
for line in sys.stdin:
    if not line.startswith("{"):
        break  # SCORE: the match is over
    view = json.loads(line)
    if view["decision"] == "raise_to":
        print("ACTION", view["most"], flush=True)
        continue
    one, two = (card % 13 for card in view["cards"])
    print("ACTION", json.dumps("raise" if one == two or 12 in (one, two) else "fold"), flush=True)
