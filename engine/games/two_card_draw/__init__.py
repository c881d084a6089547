"""TwoCardDraw: its game, its servers, and their exact value."""
