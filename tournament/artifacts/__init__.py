"""Artifacts, which are made of submissions: compiled, packed, tried and kept. `tournament.worker` plays them."""
