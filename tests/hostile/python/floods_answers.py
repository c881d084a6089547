# Writes answers without end into the pipe for its answers.
# Verdict: disqualified: no answer to what it was asked
import os

from answer_pipes import pipes


def a(bot):
    for descriptor in pipes():
        while True:
            os.write(descriptor, b"\x10\0\0\0" * 4096)
