"""{name}: {manner}.

Written by `tournament new`; make it yours. It reads decisions, a line of JSON each, and writes answers: every match
starts it anew, and what it keeps in its variables lasts as long as the match.
"""

import json
import random
import sys

random.seed(1)  # a seed of your own: without one, games could not be played again


# {functions}


sessions = int(sys.stdin.readline())
for line in sys.stdin:
    if not line.startswith("{"):
        break  # SCORE: the match is over
    told = json.loads(line)
    answer = globals()[told.pop("decision")](**told)
    if answer is not None:
        # Without the flush the answer would stay here, and the contest wait for it.
        print("ACTION", json.dumps(answer), flush=True)
