# Plays well for 100 decisions, then never answers.
# Verdict: disqualified: processor time

decisions = 0


def a(bot):
    global decisions
    decisions += 1
    while decisions > 100:
        pass
    return 0
