"""Results: Parquet parts, the ledger that says which of them count, and where they lie."""
