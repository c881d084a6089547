"""Shared by all tests: a quiet Ray, and the compiler's cache where users have it."""

from __future__ import annotations

import os

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
