"""Environments in which a program of one's own plays against the field: step by step, in arrays, or as PettingZoo's."""
