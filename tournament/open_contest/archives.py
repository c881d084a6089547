"""A program's folder as an archive, as people and their systems make them."""

from __future__ import annotations

import stat
import zipfile
from io import BytesIO
from pathlib import Path, PurePosixPath

from tournament.errors import printable
from tournament.open_contest.refusals import Refused

ARCHIVE = ".zip"
_RECIPE = "bot.toml"
_MOST_FILES = 500
_MOST_PATH, _MOST_PART = 1_000, 200  # bytes, of a path and of each name in it
_SYSTEMS_OWN = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"})  # what file managers add


def unpack_program(archive: bytes, folder: Path, most: int) -> None:
    """Write the program of an archive to a folder: what lies beside its bot.toml, at the top or in one folder there.

    Raises Refused for paths that lead out, links, more than `most` bytes, and where bot.toml isn't found.
    """
    for name, (content, runs) in _program_in(_files_of(archive, most)).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if runs else 0o644)


def _program_in(files: dict[PurePosixPath, tuple[bytes, bool]]) -> dict[PurePosixPath, tuple[bytes, bool]]:
    """The files of the program, by their paths in its folder."""
    if PurePosixPath(_RECIPE) in files:
        return files
    folders = sorted({path.parts[0] for path in files if path.parts[1:] == (_RECIPE,)})
    if len(folders) == 1:
        return {path.relative_to(folders[0]): file for path, file in files.items() if path.parts[0] == folders[0]}
    if folders:
        raise Refused(422, f"the archive has several programs, {' and '.join(folders[:2])}: one of them, please")
    there = ", ".join(sorted({path.parts[0] for path in files})[:5]) or "nothing"
    raise Refused(
        422,
        f"the archive has no {_RECIPE}: it is looked for at the top and in a folder there; at the top there is {there}",
    )


def _files_of(archive: bytes, most: int) -> dict[PurePosixPath, tuple[bytes, bool]]:
    """The files of an archive: content, and whether it may be executed."""
    found: dict[PurePosixPath, tuple[bytes, bool]] = {}
    left = most
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
            if len(entries) > _MOST_FILES:
                raise Refused(422, f"the archive has more than {_MOST_FILES} files")
            for entry in entries:
                # Some of Windows' tools write its separators.
                path, mode = PurePosixPath(entry.filename.replace("\\", "/")), entry.external_attr >> 16
                if not _is_plain(path) or any(one in found for one in (path, *path.parents)):
                    raise Refused(422, f"the archive has a path that is refused: {printable(entry.filename)[:100]}")
                if _SYSTEMS_OWN.intersection(path.parts) or path.name.startswith("._"):
                    continue
                if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                    raise Refused(422, f"the archive has more than plain files: {path}")
                with opened.open(entry) as stream:
                    content = stream.read(left + 1)
                left -= len(content)
                if left < 0:
                    raise Refused(422, f"the archive has more than {most:,} bytes unpacked")
                found[path] = (content, bool(mode & 0o100))
        if any(above in found for path in found for above in path.parents):
            raise Refused(422, "the archive has a file and a folder of one name")
    except Refused:
        raise
    except Exception as error:  # each of its decompressors has its own
        raise Refused(422, f"the archive can't be read: {printable(str(error))[:100]}") from None
    return found


def _is_plain(path: PurePosixPath) -> bool:
    """Whether a path leads to a place within its folder that any file system has."""
    inside = bool(path.parts) and not path.is_absolute() and ".." not in path.parts
    lengths = [len(part.encode(errors="replace")) for part in path.parts]
    return inside and str(path).isprintable() and sum(lengths) <= _MOST_PATH and max(lengths) <= _MOST_PART
