"""The records as users read them: a contest's results, its tables, and what scripts are told."""
