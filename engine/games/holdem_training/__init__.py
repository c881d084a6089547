"""Hold'em training: its game, Bob, and what hands are worth."""
