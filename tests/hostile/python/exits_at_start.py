"""Ends its process before it is asked anything.

Verdict: broken: can't start: ended
"""

import os

os._exit(0)
