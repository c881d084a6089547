"""Records: Parquet parts, the field's file, folders and object stores."""
