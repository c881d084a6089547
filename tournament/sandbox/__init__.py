"""Confined processes. The modules in `outside` start them, the modules in `inside` run in them."""
