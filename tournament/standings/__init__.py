"""Rankings of bots and their certainty."""
