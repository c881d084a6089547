# Prints without end.
# Verdict: disqualified: processor time or did not answer


def a(bot):
    while True:
        print("ACTION BET 50 " * 1000)
