"""Never gets ready.

Verdict: broken: can't start: took more than
"""

from calls_well import b

while True:
    pass


def a(bot):
    return 0
