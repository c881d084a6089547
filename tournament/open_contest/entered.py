"""Bots on their way into the entrants folder and out of it; former versions are kept, as many as an author may have.

A bot's files change only while `among_entrants` is held: who reads them holds it, too, and never sees a bot twice or
not at all.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterable
from pathlib import Path

from tournament.cache import cache_folder
from tournament.entrants.folder import kind_of

_MOST_KEPT = 10  # former versions of a bot
_DROPPED = frozenset({"bots", "strategies"})  # folders of the cache with what follows from one bot


class Entered:
    """The bots of open contests in their entrants folders. `kept` has the former versions, by contest and bot."""

    def __init__(self, kept: Path) -> None:
        self._kept = kept
        self.among_entrants = threading.RLock()

    def copy_aside(self, entrants: Path, bot: Path, mark: str) -> Path:
        """A copy of a bot beside the entrants, where a rename brings it in."""
        entrants.mkdir(parents=True, exist_ok=True)
        aside = entrants / f".{mark}"
        shutil.rmtree(aside, ignore_errors=True)
        if bot.is_dir():
            shutil.copytree(bot, aside)
        else:
            shutil.copyfile(bot, aside)
        return aside

    def enter(self, entrants: Path, contest: str, aside: Path, file: str) -> None:
        """Put a copy that lies beside the entrants in the place of the bot's former version."""
        with self.among_entrants:
            self.leave(entrants, contest, Path(file).stem, but=file)
            os.rename(aside, entrants / file)

    def leave(self, entrants: Path, contest: str, bot: str, but: str = "") -> None:
        """Move a bot's files from the entrants to its former versions, `but` copy the one that is replaced in place."""
        kept = self._kept / contest / bot
        with self.among_entrants:
            for path in files_of_bot(entrants, bot):
                kept.mkdir(mode=0o700, parents=True, exist_ok=True)
                numbers = sorted(int(one.name.partition("-")[0]) for one in kept.iterdir())
                take = shutil.copyfile if path.name == but and path.is_file() else shutil.move
                take(path, kept / f"{(numbers or [0])[-1] + 1:06}-{path.name}")
        for old in self.versions(contest, bot)[:-_MOST_KEPT]:
            _remove(old)

    def versions(self, contest: str, bot: str) -> list[Path]:
        """The former versions of a bot, the oldest first."""
        kept = self._kept / contest / bot
        return sorted(kept.iterdir()) if kept.is_dir() else []

    def drop_oldest(self, bots: Iterable[tuple[str, str]], most: int) -> None:
        """Drop the oldest of these bots' former versions until the others take `most` bytes."""
        versions = [path for contest, bot in bots for path in self.versions(contest, bot)]
        sizes = {path: size_of(path) for path in versions}
        for path in sorted(versions, key=lambda path: path.stat().st_mtime):
            if sum(sizes.values()) <= most:
                break
            _remove(path)
            del sizes[path]


def bots_in(entrants: Path) -> set[str]:
    return {path.stem for path in _visible(entrants)}


def files_of_bot(entrants: Path, bot: str) -> list[Path]:
    return [path for path in _visible(entrants) if path.stem == bot and kind_of(path)]


def size_of(path: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.lstat().st_size for file in files)


def size_of_built(built: Path) -> int:
    """The bytes in the cache that trying a bot left there."""
    return sum(path.stat().st_size for path in _still_cached(built))


def drop_built(built: Path) -> None:
    """Remove from the cache what trying a bot left there: whoever needs it makes it again."""
    for path in _still_cached(built):
        path.unlink(missing_ok=True)
    built.unlink(missing_ok=True)


def _still_cached(built: Path) -> list[Path]:
    lines = built.read_text().splitlines() if built.exists() else []
    paths = [cache_folder() / folder / name for folder, _, name in (line.partition("/") for line in lines)]
    return [path for path in paths if path.parent.name in _DROPPED and path.is_file()]


def _visible(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
