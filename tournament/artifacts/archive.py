"""Archives of programs' folders. The driver packs them. They are unpacked where a program is built or plays."""

from __future__ import annotations

import io
import itertools
import os
import stat
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from tournament.artifacts.bot_toml import FILE_NAME, MAX_BYTES, Recipe, read_recipe
from tournament.errors import InputError, RunError
from tournament.leg import Unfit
from tournament.small_files import decoded

_MAX_ARCHIVED = 64 << 20
_MAX_FILES = 2000
_MAX_LEVELS = 32
_LONGEST_PATH = 1024  # bytes; with the folder in which it is unpacked, a path can have 4,096
_MAKEFILES = {"makefile", "gnumakefile"}
_IGNORED_NAMES = {"__pycache__", ".git"}


def pack(folder: Path, *, built: bool = False) -> bytes:
    """Return a folder as one archive, with its files sorted by name. The same files give the same bytes.

    Folders called .git and __pycache__ are left out, and so are empty folders. Scripts and Makefiles get Unix line
    ends.

    Args:
        folder: The folder.
        built: Whether a build wrote it. Builds can't mark files as executable, so this marks those that look
            executable.

    Raises:
        InputError: The folder has links or devices, more than 64 MiB or 2,000 entries, or more than 32 levels. A name
            can't be printed, a path has more than 1,024 bytes, or something can't be read.
    """
    files: dict[str, tuple[bytes, bool]] = {}
    total = 0
    for name, path in _files(folder, folder.name):
        try:
            source, mode = read_plainly(path, _MAX_ARCHIVED - total)
        except OSError as error:
            raise InputError(f"{folder.name}/{name}: can't be read: {error.strerror}") from None
        if source is None:
            raise InputError(f"{folder.name}: larger than {_MAX_ARCHIVED >> 20} MiB")
        total += len(source)
        source = with_unix_line_ends(name, source)
        files[name] = source, bool(mode & 0o100 or (built and source.startswith((b"\x7fELF", b"#!"))))
    return archived(files)


def archived(files: Mapping[str, tuple[bytes, bool]]) -> bytes:
    """Return an archive of files, sorted by name.

    Args:
        files: Content of each file and whether it can be executed, by path.
    """
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, (source, is_executable) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(source)
            entry.mode = 0o755 if is_executable else 0o644
            archive.addfile(entry, io.BytesIO(source))
    return content.getvalue()


def with_unix_line_ends(name: str, source: bytes) -> bytes:
    """Return a file's content, with Unix line ends if it is a script or a Makefile.

    Systems, shells and make treat a CR as part of a word. Other files, and those with a 0 byte, stay as they are.
    """
    path = PurePosixPath(name)
    if b"\0" in source:
        return source
    if source.startswith(b"#!") or path.suffix == ".sh" or path.name.lower() in _MAKEFILES:
        return source.replace(b"\r\n", b"\n")
    return source


def _files(folder: Path, label: str) -> Iterator[tuple[str, Path]]:
    """Yield the files of a folder with their paths in it, in any order.

    Args:
        folder: The folder.
        label: Its name in messages.

    Raises:
        InputError: The folder has a file that a program's folder can't have, or can't be read.
    """
    count = 0
    folders = [(folder, "")]
    while folders:
        current, prefix = folders.pop()
        try:
            with os.scandir(current) as found:
                entries = list(itertools.islice(found, _MAX_FILES + 1))
        except OSError as error:
            raise InputError(f"{label}/{prefix}: can't be read: {error.strerror}") from None
        for entry in entries:
            if entry.name in _IGNORED_NAMES:
                continue
            count += 1
            if count > _MAX_FILES:
                raise InputError(f"{label}: more than {_MAX_FILES:,} files")
            name = f"{prefix}{entry.name}"
            if not name.isprintable():  # False for names that aren't UTF-8, too
                raise InputError(f"{label}/{ascii(name)[1:-1]}: its name can't be printed; rename it")
            if len(name.encode()) > _LONGEST_PATH:
                raise InputError(
                    f"{label}/{name[:40]}…: a path of more than {_LONGEST_PATH:,} bytes; shorten its names"
                )
            if entry.is_dir(follow_symlinks=False):
                if name.count("/") == _MAX_LEVELS:
                    raise InputError(f"{label}: more than {_MAX_LEVELS} folders in each other")
                folders.append((Path(entry.path), f"{name}/"))
            elif entry.is_file(follow_symlinks=False):
                yield name, Path(entry.path)
            else:
                raise InputError(f"{label}/{name}: a program's folder has plain files only")


def read_plainly(path: Path, most: int) -> tuple[bytes | None, int]:
    """Return a file's content and its mode. The content is None if it isn't a plain file of at most `most` bytes.

    Raises:
        OSError: The file is missing or a link, or can't be read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if status.st_size > most or not stat.S_ISREG(status.st_mode):
            return None, status.st_mode
        source = file.read(most + 1)
    return (source if len(source) <= most else None), status.st_mode


def unpack(archive: bytes, folder: Path) -> None:
    """Write an archive's files into an empty folder.

    Args:
        archive: The result of `pack` or `archived`.
        folder: The folder.

    Raises:
        RunError: `pack` can't have made the archive. Some files may have been written.
        OSError: A file can't be written, for example because the disk is full.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
            for entry in opened:
                path = PurePosixPath(entry.name)
                source = opened.extractfile(entry) if entry.isfile() else None
                if source is None or path.is_absolute() or ".." in path.parts:
                    raise RunError("a program's archive is damaged")
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(source.read())
                target.chmod(entry.mode & 0o755)
    except (tarfile.TarError, FileExistsError, NotADirectoryError, IsADirectoryError):
        raise RunError("a program's archive is damaged") from None


def recipe_of(archive: bytes) -> Recipe:
    """Return the recipe in an archive.

    Raises:
        Unfit: bot.toml is missing, wrong, larger than 4 KiB, or isn't UTF-8 text. It is permanent.
        tarfile.TarError: The archive is damaged.
    """
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        try:
            file = opened.extractfile(FILE_NAME)
        except KeyError:
            file = None
        if file is None:
            raise Unfit(f"lacks {FILE_NAME}")
        content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise Unfit(f"{FILE_NAME}: larger than {MAX_BYTES >> 10} KiB")
        try:
            return read_recipe(decoded(content), FILE_NAME)
        except UnicodeDecodeError:
            raise Unfit(f"{FILE_NAME}: it is not UTF-8 text") from None
