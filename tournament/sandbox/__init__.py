"""Confined processes: how they are started, and what runs inside them."""
