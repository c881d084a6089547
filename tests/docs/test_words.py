"""Words that are always wrong, whatever they are about: in pages, in help, and in messages."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ALWAYS_WRONG = re.compile(r"\b(anew|foretell\w*|foretold|likewise|mended|nobody|reckon\w*|so many)\b", re.IGNORECASE)
_SKIPPED = (".git", ".venv", "build")


def pages() -> dict[str, str]:
    """The text of each page of the repository, by its path."""
    folders = [path for path in ROOT.iterdir() if path.is_dir() and path.name not in _SKIPPED]
    found = [*ROOT.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]
    return {str(path.relative_to(ROOT)): path.read_text() for path in found}


def texts() -> dict[str, str]:
    """The text literals of each module of the package: its help, its messages and its docstrings."""
    return {
        str(path.relative_to(ROOT)): "\n".join(
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        for path in (ROOT / "tournament").rglob("*.py")
        if "sdk" not in path.parts
    }


def test_pages_help_and_messages_have_no_word_that_is_always_wrong() -> None:
    found = {
        f"{place}: {word.group()}"
        for place, text in (pages() | texts()).items()
        for word in ALWAYS_WRONG.finditer(text)
    }
    assert found == set()
