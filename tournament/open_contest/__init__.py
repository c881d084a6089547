"""Open contests: they stay current while bots arrive, publish their boards, and take submissions."""
