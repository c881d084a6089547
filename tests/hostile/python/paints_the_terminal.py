# Its last output would wipe the terminal, or stop the leaderboard by its own markup.
# Verdict: disqualified: ValueError
import sys


def a(bot):
    sys.stderr.write("\x1b[2J\x1b]0;owned\x07[/red] \N{RIGHT-TO-LEFT OVERRIDE}\n")
    raise ValueError("[/nonsense] [link=https://example.org]\x1b[2J\x1b]0;owned\x07\udcff\N{RIGHT-TO-LEFT OVERRIDE}")
