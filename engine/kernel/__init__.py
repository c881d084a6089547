"""The common parts of all games: cores that ask, rows that they fill, deals and chance. It uses no other folder."""
