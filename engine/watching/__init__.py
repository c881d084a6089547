"""Cores that stand in a game's place to see what bots are asked and what they answer."""
