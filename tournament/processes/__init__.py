"""Bots that are processes of their own, and the sandbox around them and around compilers."""
