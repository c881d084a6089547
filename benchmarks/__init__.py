"""The figures that the project promises, measured side by side: `make bench`."""
