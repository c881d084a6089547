"""Writes garbage where answers are expected.

Verdict: disqualified: no answer to what it was asked or did not answer
"""

import fcntl
import os
import stat
import time


def pipes():
    """The descriptors that are pipes to write to, the standard ones aside."""
    found = []
    for descriptor in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                    found.append(descriptor)
        except OSError:
            pass
    return found


def a(bot):
    for descriptor in pipes():
        os.write(descriptor, bytes(range(256)) * 8)
    time.sleep(1000)


def b(bot, bet):
    return bot.card > 0.5
