"""one_more: bids one higher than the last bid, until more than five dice are said to show a face."""

import json
import sys

for line in sys.stdin:
    if line.startswith("{"):  # a decision
        last_bid = json.loads(line)["last_bid"]
        print("ACTION", last_bid + 1 if last_bid < 30 else 0, flush=True)
