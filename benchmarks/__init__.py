"""The numbers that the project stands by, measured side by side: `make bench`."""
