"""The layers of the core's folders, which import-linter checks for Python's imports only."""

import re
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[2] / "engine"

# From top to bottom; folders of one line know nothing of each other.
LAYERS = [("games", "rules", "watching"), ("processes",), ("wasm",), ("parquet",), ("kernel",)]
LEVELS = {folder: level for level, folders in enumerate(reversed(LAYERS)) for folder in folders}
USES = re.compile(r"^\s*(?:from|cimport|import) engine\.(\S+)", re.MULTILINE)


def room_of(module: str) -> str:
    """Return the folder of a module. A game is a folder of its own."""
    folder, name = module.split(".")[:2]
    return f"{folder}.{name}" if folder == "games" else folder


def test_folders_use_those_below_them() -> None:
    assert {path.name for path in ENGINE.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(LEVELS)
    sources = [path for path in ENGINE.rglob("*/*") if path.suffix in (".pyx", ".pxd", ".pyi", ".py")]
    assert len(sources) > 50
    for path in sources:
        module = ".".join(path.relative_to(ENGINE).with_suffix("").parts)
        for used in USES.findall(path.read_text()):
            below = LEVELS[used.split(".")[0]] < LEVELS[module.split(".")[0]]
            assert below or room_of(used) == room_of(module), f"{path} uses {used}"
