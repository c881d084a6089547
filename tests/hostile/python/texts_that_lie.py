"""Names lengths of texts that are not there.

Verdict: disqualified: no answer to what it was asked
"""

import os
import struct
import time

from answer_pipes import pipes


def a(bot):
    for descriptor in pipes():
        os.write(descriptor, struct.pack("<IIIIqii", 32, 1, 1, 0, 50, 1, -1) * 2)
        os.write(descriptor, struct.pack("<IIIIqii", 2**32 - 1, 1, 2**31, 2**32 - 1, 50, 1, 2**31 - 1))
    time.sleep(1000)


def b(bot, bet):
    return bot.card > 0.5
