# Answers with an object that becomes a number when it likes: never.
# Verdict: disqualified: processor time


class Number:
    def __index__(self):
        while True:
            pass


def a(bot):
    return Number()
