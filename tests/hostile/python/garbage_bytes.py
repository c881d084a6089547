# Writes garbage where answers are expected.
# Verdict: disqualified: no answer to what it was asked or did not answer
import os
import time

from answer_pipes import pipes


def a(bot):
    for descriptor in pipes():
        os.write(descriptor, bytes(range(256)) * 8)
    time.sleep(1000)
