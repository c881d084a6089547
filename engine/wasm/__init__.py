"""Bots in WebAssembly: the loop that plays them, and what they import."""
