"""Trials of one bot before it enters: check, match, judge."""
