"""Verifying records: every byte against the ledger, every sum against its rows, and legs by playing them again."""
