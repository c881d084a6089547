"""Modules that run inside a confined process, with the standard library alone."""
