"""Repeated matrix games."""
