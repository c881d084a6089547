# Wants to live on when its parent ends, deaf to signals and in a session of its own.
# Verdict: ok
import os
import signal

from attempts import a, b
from by_number import call

SET_PARENT_DEATH_SIGNAL, SET_DUMPABLE, SET_CHILD_SUBREAPER = 1, 4, 36
for number in range(1, 64):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass

ATTEMPTS = (
    lambda: call(157, SET_PARENT_DEATH_SIGNAL, 0, 0, 0),
    lambda: call(157, SET_DUMPABLE, 0, 0, 0),
    lambda: call(157, SET_CHILD_SUBREAPER, 1, 0, 0),
    os.setsid,
)
