"""Bots: found in a folder, built, and checked to fit their contest."""
