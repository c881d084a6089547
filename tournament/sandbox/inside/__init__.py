"""What runs inside a confined process, with the standard library alone."""
