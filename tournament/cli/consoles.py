"""Where commands print: results to standard output, progress and errors to standard error."""

from __future__ import annotations

from rich.console import Console

# No markup and no :names: of pictures: names, reasons and paths are strangers' texts.
out = Console(highlight=False, markup=False, emoji=False)
err = Console(stderr=True, highlight=False, markup=False, emoji=False)
