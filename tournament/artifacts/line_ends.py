"""Windows line ends where they break a program: the system, shells and make take the \\r for part of a word."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator
from pathlib import PurePosixPath

from tournament.artifacts.archive import recipe_of
from tournament.errors import and_more

_SHELLS = {"sh", "bash", "dash", "ksh", "zsh", "ash"}
_MAKEFILES = {"makefile", "gnumakefile"}
# Without these words a shell finds no end of a loop or a condition.
_LOST_WORD = re.compile(rb"(?:^|[\s;])(?:do|done|then|else|fi|in|esac|;;)\r$", re.MULTILINE)


def for_its_shell(archive: bytes) -> str:
    """As `windows_line_ends`, but for scripts of a program's command that its shell can't understand."""
    command = recipe_of(archive).command
    if PurePosixPath(command[0]).name not in _SHELLS:
        return ""
    return _in_words(
        [name for name, text in _with_windows_ends(archive) if name in _files(command) and _LOST_WORD.search(text)]
    )


def windows_line_ends(archive: bytes) -> str:
    """A line with the files of a failed program that Windows line ends may have broken, and the fix; else ""."""
    recipe = recipe_of(archive)
    words = _files((*recipe.command, *recipe.build))
    return _in_words([name for name, text in _with_windows_ends(archive) if _breaks(name, text, words)])


def _files(words: tuple[str, ...]) -> set[str]:
    """Words as the archive would have them: ./bot.sh as bot.sh."""
    return {str(PurePosixPath(word)) for word in words}


def _with_windows_ends(archive: bytes) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for entry in opened:
            file = opened.extractfile(entry)
            text = file.read() if file else b""
            if b"\r\n" in text:
                yield entry.name, text


def _breaks(name: str, text: bytes, words: set[str]) -> bool:
    """Whether the system, a shell or make may read a file; `words` are those of the program's commands."""
    first, path = text.partition(b"\n")[0], PurePosixPath(name)
    if first.startswith(b"#!") and first.endswith(b"\r"):
        return True
    reads = words & (_SHELLS | {"make"})
    return path.suffix == ".sh" or path.name.lower() in _MAKEFILES or bool(reads and name in words)


def _in_words(names: list[str]) -> str:
    if not names:
        return ""
    which = f"{names[0]}{and_more(len(names) - 1)} {'has' if len(names) == 1 else 'have'}"
    return f"{which} Windows line ends; to take them away: sed -i 's/\\r$//' {' '.join(names[:5])}"
