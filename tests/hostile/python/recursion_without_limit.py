# Calls itself until the machine's stack is full.
# Verdict: disqualified: SIGSEGV or ran out of memory or RecursionError
import sys

sys.setrecursionlimit(2**31 - 1)


def a(bot):
    return sorted([1, 2], key=lambda _: a(bot))
