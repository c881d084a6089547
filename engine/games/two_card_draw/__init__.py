"""Two-card draw: its game, its servers, and their exact values."""
