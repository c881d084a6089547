"""Writes half a message, then nothing more.

Verdict: disqualified: did not answer
"""

import os
import time

from answer_pipes import pipes
from calls_well import b


def a(bot):
    for descriptor in pipes():
        os.write(descriptor, b"\x28\0\0\0\x01\0")
    time.sleep(1000)
