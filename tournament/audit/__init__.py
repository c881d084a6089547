"""Verification of records: every byte against its hash, every sum against its rows, and legs by replaying them."""
