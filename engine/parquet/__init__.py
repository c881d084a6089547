"""Rows as the pages of Parquet files."""
