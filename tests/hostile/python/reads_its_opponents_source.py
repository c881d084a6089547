"""Looks at its opponent's cards in its file.

Verdict: ok
"""

from attempts import a, b

ATTEMPTS = (lambda: open("@opponent@").read(),)
