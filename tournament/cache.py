"""Where what is made once on a machine is kept between runs."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Compiled bots, the compiler's libraries and programs' folders."""
    root = os.environ.get("TOURNAMENT_CACHE")
    if root:
        return Path(root)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tournament"
