"""Games whose rules are written in Python: sessions by generators, and trees of a game's states."""
