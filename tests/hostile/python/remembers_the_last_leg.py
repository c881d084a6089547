"""Leaves what it saw in a module that its legs might share; it can't with a process for each leg.

Verdict: ok
"""

import os
import sys

from calls_well import b

here = (len(sys.modules), os.getpid())
if hasattr(sys, "left_by_a_hostile_bot"):
    sys.left_by_a_hostile_bot.append(here)
else:
    sys.left_by_a_hostile_bot = [here]


def a(bot):
    if len(sys.left_by_a_hostile_bot) > 1:
        raise AssertionError("it remembers")
    return 5
