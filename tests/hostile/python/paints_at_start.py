# Its last output would wipe the terminal before the first game.
# Verdict: broken: ValueError
raise ValueError("[/nonsense] [bold]\x1b[2J\x1b]0;owned\x07\udcff\N{RIGHT-TO-LEFT OVERRIDE}")
