"""The commands, and tables on a terminal."""
