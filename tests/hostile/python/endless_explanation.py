# Raises an exception that never ends to explain itself.
# Verdict: disqualified: processor time


class Unspeakable(Exception):
    def __str__(self):
        while True:
            pass


def a(bot):
    raise Unspeakable
