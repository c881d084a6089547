"""What submissions become: compiled, packed, tried and kept. `tournament.worker` plays them."""
