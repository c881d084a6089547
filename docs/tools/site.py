"""The site's source: a copy of docs/ and of the pages outside that it links to, with their links repaired. `make docs`.

A link to a page of the site stays one. A link to another file of the repository is shown as the file's path, as code.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

from sphinx.cmd.build import main as sphinx_build

import tournament

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BUILD = ROOT / "build" / "site"
# Pages that lie outside of docs/, by their names on the site.
OUTSIDE = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "benchmarks/README.md": "benchmarks.md",
    "results/README.md": "results.md",
}
# The navigation: of each part its first pages in this order, then its others by name.
PARTS = {
    "Tutorials": (
        "tutorials",
        ("hold_a_contest", "write_a_bot", "train_a_bot", "climb_by_script", "write_a_contest", "read_the_records"),
    ),
    "How-to": (
        "how_to",
        ("disqualified", "finals", "report", "analysis", "automation", "object_store", "cluster"),
    ),
    "Reference": (
        "reference",
        (
            *("von_neumann_poker", "two_card_draw", "holdem_training", "matrix_game", "contests"),
            *("c_bots", "python_bots", "programs", "commands", "settings", "records", "output", "server", "python"),
        ),
    ),
    "Explanation": ("explanation", ("ranking", "seeds", "sandbox", "kept_records", "architecture", "decisions")),
}  # fmt: skip
_NOT_SHOWN = ("tools", "site", "__pycache__")
EXAMPLE = "example_report.html"
_LINK_TO_EXAMPLE = f"""
<p>See <a href="{EXAMPLE}">a live report</a>, of a short tournament between the shipped bots of von Neumann poker.</p>
"""
_CODE = re.compile(r"(^ *```.*?^ *```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_SOURCE = re.compile(r'(?<=src=")([^":]+)(?=")')


def place_of(file: Path) -> str | None:
    """Return the place of a repository's file on the site, or None if it isn't there."""
    name = file.relative_to(ROOT).as_posix()
    if file.is_relative_to(DOCS) and file.is_file():
        return file.relative_to(DOCS).as_posix()
    return OUTSIDE.get(name)


def repaired(text: str, page: Path) -> str:
    """Return a page's text with the site's links."""
    own = place_of(page) or ""

    def target(link: str) -> str | None:
        path, _, anchor = link.partition("#")
        there = (page.parent / path).resolve()
        if not path or "://" in link or not there.exists():
            return link
        place = place_of(there)
        return place and os.path.relpath(place, Path(own).parent) + (f"#{anchor}" if anchor else "")

    def link(match: re.Match[str]) -> str:
        mark, words, where = match.groups()
        if (found := target(where)) is not None:
            return f"{mark}[{words}]({found})"
        path = (page.parent / where.partition("#")[0]).resolve().relative_to(ROOT).as_posix()
        return f"`{path}`" if words.strip("`") in path else f"{words} (`{path}`)"

    def prose(piece: str) -> str:
        return _SOURCE.sub(lambda match: target(match[1]) or match[1], _LINK.sub(link, piece))

    # A link's words may have code in them, so code is taken out first and put back.
    code = _CODE.findall(text)
    places = iter(range(len(code)))
    hidden = _CODE.sub(lambda match: f"\0{next(places)}\0", text)
    return re.sub("\0(\\d+)\0", lambda match: code[int(match[1])], prose(hidden))


def navigation(pages: list[Path]) -> str:
    """Return the site's tree of pages, for the end of its index."""
    parts = {"Project": [name.removesuffix(".md") for name in OUTSIDE.values()]}
    for title, (folder, first) in PARTS.items():
        there = sorted(page.stem for page in pages if page.parent == DOCS / folder and page.suffix == ".md")
        order = [*(name for name in first if name in there), *(name for name in there if name not in first)]
        parts[title] = [f"{folder}/{name}" for name in order]
    trees = (f":caption: {title}\n\n" + "\n".join(parts[title]) for title in (*PARTS, "Project"))
    return "".join(f"\n```{{toctree}}\n:hidden:\n{tree}\n```\n" for tree in trees)


def write_source(source: Path) -> None:
    """Write the site's source into a folder. Unchanged files keep their time, so that they aren't built again."""
    files = [path for path in DOCS.rglob("*") if path.is_file() and path.relative_to(DOCS).parts[0] not in _NOT_SHOWN]
    wanted = set()
    for file in [*files, *(ROOT / name for name in OUTSIDE)]:
        place = source / str(place_of(file))
        wanted.add(place)
        content = file.read_bytes()
        if file.suffix == ".md":
            content = repaired(content.decode(), file).encode()
        if file == DOCS / "index.md":
            head, mark, rest = content.decode().partition("\n## ")
            content = (head + _LINK_TO_EXAMPLE + mark + rest + navigation(files)).encode()
        if not place.exists() or place.read_bytes() != content:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
    for place in source.rglob("*"):
        if place.is_file() and place not in wanted:
            place.unlink()


def write_example_report(page: Path) -> None:
    """Play the shipped bots for some seconds, in replicas enough for narrow places, and write the report as a page."""
    contest = "von_neumann_poker"
    with tempfile.TemporaryDirectory() as results:
        tournament.run(
            contest,
            config=ROOT / "tournament.toml",
            results=results,
            sessions=50,
            replicas=10,
            seed="example",
            executor="local",
        )
        tournament.report(contest, page, results=results)


def build() -> int:
    """Build the site, and return an exit code. A warning of Sphinx is an error."""
    write_source(BUILD / "source")
    options = ["-q", "-W", "--keep-going", "-c", str(DOCS / "site"), "-d", str(BUILD / "doctrees")]
    if code := sphinx_build([*options, str(BUILD / "source"), str(BUILD / "html")]):
        return int(code)
    write_example_report(BUILD / "html" / EXAMPLE)
    return 0


if __name__ == "__main__":
    sys.exit(build())
