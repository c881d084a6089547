"""One-card von Neumann poker."""
