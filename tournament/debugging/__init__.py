"""A bot of one's own, run outside the sandbox on the decisions of a recorded game."""
