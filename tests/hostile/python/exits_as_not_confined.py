# Ends with the status by which the sandbox says that it can't confine.
# Verdict: disqualified: status 119
import os


def a(bot):
    os._exit(119)
