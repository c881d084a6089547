"""The code blocks of pages, with what comments above them say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")
_BLOCK = re.compile(r"((?:^ *<!-- [^\n]*? -->\n)*)^( *)```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!-- (\w[\w ]*?)(?:: (.*?))? -->")


@dataclass(frozen=True)
class Block:
    """A code block: its language, "" for none, and the comments above it, such as {"file": "tournament.toml"}."""

    language: str
    code: str
    marks: dict[str, str]
    line: int


def pages() -> list[Path]:
    """Return all pages of the documentation."""
    return [*(ROOT / name for name in OUTSIDE), *sorted((ROOT / "docs").rglob("*.md"))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> list[Block]:
    """Return a page's blocks in order."""
    text, found = page.read_text(), []
    for match in _BLOCK.finditer(text):
        above, indent, language, code = match.groups()
        code = re.sub(rf"^{indent}", "", code, flags=re.MULTILINE)
        if not language and all(re.match(r"tournament [^\[…]*$", line) for line in code.splitlines()):
            language = "sh"
        found.append(Block(language, code, dict(_COMMENT.findall(above)), text.count("\n", 0, match.start(3)) + 1))
    return found


def runs_in(page: Path) -> str:
    """Return the folder in which a page says that its blocks run, or "" if they are only parsed."""
    said = re.findall(r"^<!-- blocks run in: (\w+) -->$", page.read_text(), re.MULTILINE)
    return said[0] if said else ""


def files_of(page: Path) -> dict[str, str]:
    """Return what a page says to write into files, by their paths."""
    return {block.marks["file"]: block.code for block in blocks_of(page) if "file" in block.marks}
