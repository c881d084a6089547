"""Records for users: a contest's results, its tables, and values for scripts."""
