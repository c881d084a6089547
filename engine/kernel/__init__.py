"""What all games share: cores that ask, rows that they fill, deals and chance. It knows no other folder here."""
