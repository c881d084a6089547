"""Decisions as contests declare them: the types of their values, and the struct in which C bots find these."""
