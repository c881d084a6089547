"""Hold'em training: its game, Bob, and the value of hands."""
