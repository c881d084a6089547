"""The commands' two streams: results on standard output, progress and errors on standard error."""

from __future__ import annotations

from typing import Any

from rich.console import Console, RenderableType


class _Console(Console):
    """A console that cuts nothing, and whose closed output ends the command with an error message.

    Our tables fit a terminal by themselves, and nothing has to fit a pipe.
    """

    def print(self, *objects: Any, **options: Any) -> None:
        """Print without cropping long lines. The parameters are those of `rich.console.Console.print`.

        Raises:
            BrokenPipeError: The output was closed.
            OSError: The output can't be written.
        """
        super().print(*objects, **{"crop": False, **options})

    def on_broken_pipe(self) -> None:
        """Raise the error, which the command's main function handles.

        Raises:
            BrokenPipeError: Always.
        """
        raise BrokenPipeError


# Names, reasons and paths are untrusted, so markup and :names: of pictures are off.
out = _Console(highlight=False, markup=False, emoji=False)
err = _Console(stderr=True, highlight=False, markup=False, emoji=False)


def print_text(text: RenderableType, style: str | None = None) -> None:
    """Print prose. A terminal breaks it between words, and a pipe receives unbroken lines, as for text to copy.

    Args:
        text: The text.
        style: Its style, None for none.
    """
    out.print(text, style=style, soft_wrap=not out.is_terminal)
