"""Where commands print: results to standard output, progress and errors to standard error."""

from __future__ import annotations

from rich.console import Console, RenderableType

# No markup and no :names: of pictures: names, reasons and paths are strangers' texts.
out = Console(highlight=False, markup=False, emoji=False)
err = Console(stderr=True, highlight=False, markup=False, emoji=False)


def print_text(text: RenderableType, style: str | None = None) -> None:
    """Print prose: a terminal breaks it between words; a pipe gets whole lines, as what is to be copied always is."""
    out.print(text, style=style, soft_wrap=not out.is_terminal)
