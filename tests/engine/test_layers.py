"""The layers of the core's folders, which import-linter checks for Python's imports only."""

import re
from pathlib import Path

import pytest

ENGINE = Path(__file__).resolve().parents[2] / "engine"

# From top to bottom; folders of one line know nothing of each other.
LAYERS = [("games", "rules", "watching"), ("processes",), ("wasm",), ("parquet",), ("kernel",)]
LEVELS = {folder: level for level, folders in enumerate(reversed(LAYERS)) for folder in folders}
USES = re.compile(r"^\s*(?:from|cimport|import) engine\.(\S+)", re.MULTILINE)


def room_of(module: str) -> str:
    """Return the folder of a module. A game is a folder of its own."""
    folder, name = module.split(".")[:2]
    return f"{folder}.{name}" if folder == "games" else folder


def forbidden(module: str, source: str) -> list[str]:
    """Return the modules that a module uses and is not allowed to."""
    own = room_of(module)
    return [
        used
        for used in USES.findall(source)
        if room_of(used) != own and LEVELS[used.split(".")[0]] >= LEVELS[module.split(".")[0]]
    ]


def test_every_folder_has_its_place() -> None:
    assert {path.name for path in ENGINE.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(LEVELS)


@pytest.mark.parametrize("folder", sorted(LEVELS))
def test_folders_use_those_below_them(folder: str) -> None:
    sources = [path for path in (ENGINE / folder).rglob("*") if path.suffix in (".pyx", ".pxd", ".pyi", ".py")]
    assert len(sources) > 1
    found = {
        str(path.relative_to(ENGINE)): wrong
        for path in sources
        if (wrong := forbidden(".".join(path.relative_to(ENGINE).with_suffix("").parts), path.read_text()))
    }
    assert not found
