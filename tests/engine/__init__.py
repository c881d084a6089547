"""Tests of the game core."""
