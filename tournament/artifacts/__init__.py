"""What submissions become: compiled, packed, tried and kept. What plays them is `tournament.worker`."""
