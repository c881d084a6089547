"""Archives of program folders, as people and their systems make them."""

from __future__ import annotations

import stat
import zipfile
from io import BytesIO
from pathlib import Path, PurePosixPath

from tournament.errors import printable
from tournament.open_contest.refusals import Refused

ARCHIVE = ".zip"
_RECIPE = "bot.toml"
_MAX_FILES = 500
# Maximum bytes of a path, and of each name in it.
_MAX_PATH, _MAX_NAME = 1_000, 200
# Files that file managers add.
_SYSTEMS_OWN = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"})


def unpack_program(archive: bytes, folder: Path, max_bytes: int) -> None:
    """Write the program of an archive to a folder.

    The program is the folder of its bot.toml, at the top of the archive or directly below.

    Args:
        archive: Content of the archive.
        folder: Folder to write into, which is made if it doesn't exist.
        max_bytes: Maximum bytes of all files together, unpacked.

    Raises:
        Refused: The archive can't be read, has invalid paths, links, more than 500 files or too many bytes, or has no
            bot.toml or several.
        OSError: The folder can't be written.
    """
    for name, (content, runs) in _program_in(_read_files(archive, max_bytes)).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755 if runs else 0o644)


def _program_in(files: dict[PurePosixPath, tuple[bytes, bool]]) -> dict[PurePosixPath, tuple[bytes, bool]]:
    """Return the files of the program, by their paths in its folder. Files beside its folder are left out.

    Raises:
        Refused: The archive has no program, or more than one.
    """
    if PurePosixPath(_RECIPE) in files:
        return files
    folders = sorted({path.parts[0] for path in files if path.parts[1:] == (_RECIPE,)})
    if len(folders) == 1:
        return {path.relative_to(folders[0]): file for path, file in files.items() if path.parts[0] == folders[0]}
    if folders:
        raise Refused(422, f"the archive has several programs, {' and '.join(folders[:2])}; send one of them")
    top = ", ".join(sorted({path.parts[0] for path in files})[:5]) or "nothing"
    raise Refused(422, f"the archive has no {_RECIPE} at the top or in a folder there; at the top it has {top}")


def _read_files(archive: bytes, max_bytes: int) -> dict[PurePosixPath, tuple[bytes, bool]]:
    """Return the files of an archive by path: content, and whether it can be executed.

    Folders, and files that file managers add, are left out.

    Raises:
        Refused: The archive can't be read, has an invalid path or one twice, a link, more than 500 files, or too many
            bytes. Or a file and a folder have the same name.
    """
    files: dict[PurePosixPath, tuple[bytes, bool]] = {}
    remaining = max_bytes
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
            if len(entries) > _MAX_FILES:
                raise Refused(422, f"the archive has more than {_MAX_FILES} files")
            for entry in entries:
                # Some of Windows' tools write its separators.
                path, mode = PurePosixPath(entry.filename.replace("\\", "/")), entry.external_attr >> 16
                if not _is_plain(path) or any(one in files for one in (path, *path.parents)):
                    raise Refused(422, f"the archive has an invalid path: {printable(entry.filename)[:100]}")
                if _SYSTEMS_OWN.intersection(path.parts) or path.name.startswith("._"):
                    continue
                if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                    raise Refused(422, f"the archive has more than plain files: {path}")
                with opened.open(entry) as stream:
                    content = stream.read(remaining + 1)
                remaining -= len(content)
                if remaining < 0:
                    raise Refused(422, f"the archive has more than {max_bytes:,} bytes unpacked")
                files[path] = (content, bool(mode & 0o100))
        if any(parent in files for path in files for parent in path.parents):
            raise Refused(422, "the archive has a file and a folder with the same name")
    except Refused:
        raise
    # Each decompressor has its own exceptions.
    except Exception as error:
        raise Refused(422, f"the archive can't be read: {printable(str(error))[:100]}") from None
    return files


def _is_plain(path: PurePosixPath) -> bool:
    """Return whether a path stays in its folder, is printable, and is short enough for any file system."""
    inside = bool(path.parts) and not path.is_absolute() and ".." not in path.parts
    lengths = [len(part.encode(errors="replace")) for part in path.parts]
    return inside and str(path).isprintable() and sum(lengths) <= _MAX_PATH and max(lengths) <= _MAX_NAME
