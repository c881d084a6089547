"""Prints without end.

Verdict: disqualified: processor time or did not answer
"""

from calls_well import b


def a(bot):
    while True:
        print("ACTION BET 50 " * 1000)
