"""Confined processes: `outside` starts them, `inside` is what runs in them."""
