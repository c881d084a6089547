"""Wants to stop its process like Ctrl-Z.

Verdict: disqualified: PermissionError
"""

import os
import signal


def a(bot):
    os.kill(os.getpid(), signal.SIGSTOP)


def b(bot, bet):
    return bot.card > 0.5
