"""Records: Parquet parts, the ledger, folders and object stores."""
