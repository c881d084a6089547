"""Where the contest of examples/liars_dice is."""

from __future__ import annotations

from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "examples" / "liars_dice"
