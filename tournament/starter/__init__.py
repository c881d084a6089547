"""A folder to start a contest in, as `tournament init` writes it."""
