"""Bots that are processes: Python bots and programs."""
