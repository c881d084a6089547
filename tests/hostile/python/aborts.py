"""Aborts.

Verdict: disqualified: SIGABRT
"""

import os

from calls_well import b


def a(bot):
    os.abort()
