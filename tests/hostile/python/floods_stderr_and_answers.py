# Prints a megabyte to nobody, and answers.
# Verdict: ok
import sys

done = False


def a(bot):
    global done
    if not done:
        done = True
        sys.stderr.write("complaint\n" * 10**5)
    return 5
