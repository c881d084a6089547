"""Where commands print: standard output, and standard error for what goes on meanwhile."""

from __future__ import annotations

from rich.console import Console

# What is printed is text, neither markup nor :names: of pictures: names, reasons and paths are strangers'.
out = Console(highlight=False, markup=False, emoji=False)
err = Console(stderr=True, highlight=False, markup=False, emoji=False)
