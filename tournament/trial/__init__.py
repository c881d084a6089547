"""Trying one bot before it enters: check, judge, exact expectation."""
