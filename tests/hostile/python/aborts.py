# Aborts.
# Verdict: disqualified: SIGABRT
import os


def a(bot):
    os.abort()
