"""Contests that stay open: they are kept current while bots come, shown to everybody, and take submissions."""
