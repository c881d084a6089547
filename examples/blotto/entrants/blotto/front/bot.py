"""front: three boxes are enough."""

import sys

for line in sys.stdin:
    if line.startswith("{"):  # a decision
        print("ACTION [4, 3, 3, 0, 0]", flush=True)
