# Takes all the memory that it gets, and then more.
# Verdict: disqualified: ran out of memory


def a(bot):
    kept = []
    while True:
        kept.append(bytearray(1 << 20))
