"""Takes all the memory that it gets, and then more.

Verdict: disqualified: ran out of memory
"""

from calls_well import b


def a(bot):
    kept = []
    while True:
        kept.append(bytearray(1 << 20))
