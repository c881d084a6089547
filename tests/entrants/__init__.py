"""Tests of finding, building and starting bots."""
