"""Bots that are processes: messages, lines and pipes, and the loop inside a Python bot's process."""
