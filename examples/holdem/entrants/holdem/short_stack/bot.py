"""short_stack: with a pair or an ace all its chips, else nothing."""

import json
import sys

for view in (json.loads(line) for line in sys.stdin if line.startswith("{")):
    one, two = (card % 13 for card in view["cards"])
    act = "raise" if one == two or 12 in (one, two) else "fold"
    print("ACTION", json.dumps(act) if view["decision"] == "act" else view["most"], flush=True)
