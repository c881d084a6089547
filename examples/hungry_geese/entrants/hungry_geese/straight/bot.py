"""straight: east, for ever."""

import sys

for line in sys.stdin:
    if line.startswith("{"):  # a decision
        print('ACTION "EAST"', flush=True)
