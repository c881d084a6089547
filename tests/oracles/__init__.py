"""Slow, plain versions of what the engine does, written from the rules and not from the engine."""
