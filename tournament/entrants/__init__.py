"""Finding, building and writing bots."""
