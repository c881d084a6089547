"""Rules to start from, and a test of them, as `tournament init --rules` writes them."""
