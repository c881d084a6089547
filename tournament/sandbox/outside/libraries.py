"""The shared libraries that programs load: what their files name, and what these name in turn.

A process may read only these of the system's libraries. Whatever is readable and cold tells others, by the time that it
takes, whether somebody has read it.
"""

from __future__ import annotations

import os
import struct
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

# ELF, elf.h: of 64 bits and little-endian, as all machines are that bots can be confined on.
_MAGIC = b"\x7fELF\x02\x01"
_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_NEEDED, _STRING_TABLE, _RPATH, _RUNPATH = 1, 5, 15, 29
_MAX_HEADERS, _MAX_ENTRIES, _MAX_NAME = 256, 4096, 4096
# What glibc loads without naming it: to unwind a thread that ends.
_ALWAYS = ("libgcc_s.so.1",)
# Below a folder: of libraries for newer processors.
_VARIANTS = "glibc-hwcaps"


def debians_folder() -> str:
    """Return the name of the folder for this processor's libraries on Debian. Not all interpreters know it there."""
    return sysconfig.get_config_var("MULTIARCH") or f"{os.uname().machine}-linux-gnu"


@cache
def library_folders() -> tuple[str, ...]:
    """Where programs find their shared libraries."""
    names = [f"{root}/{debians_folder()}" for root in ("/lib", "/usr/lib", "/usr/local/lib")]
    names += ["/lib64", "/usr/lib64", "/usr/local/lib64", "/lib", "/usr/lib", "/usr/local/lib"]
    for file in ("/etc/ld.so.conf", *sorted(map(str, Path("/etc/ld.so.conf.d").glob("*.conf")))):
        try:
            names += [line.strip() for line in Path(file).read_text().splitlines() if line.startswith("/")]
        except (OSError, ValueError):
            continue
    return tuple(dict.fromkeys(name for name in names if os.path.isdir(name)))


def closure(places: Iterable[str]) -> set[str]:
    """Return the files of all shared libraries that programs and libraries at or below these places load."""
    left = [file for place in places for file in _files_below(place)]
    return _all_loaded_by([*left, *(path for name in _ALWAYS for path in _found(name, ()))], lambda _path: True)


def closure_of_bot(folder: str) -> set[str]:
    """Return the system's libraries that a bot's own files load. They may name other files, which stay hidden."""
    return _all_loaded_by([*_files_below(folder)], _is_system_library) - {*_files_below(folder)}


def _all_loaded_by(left: list[str], is_wanted: Callable[[str], bool]) -> set[str]:
    found: set[str] = set()
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left += filter(is_wanted, _loaded_by(path))
    return found


def _is_system_library(path: str) -> bool:
    real = os.path.realpath(path)
    folders = (os.path.realpath(folder) for folder in library_folders())
    return any(real.startswith(f"{folder}/") for folder in folders) and _is_elf(real)


@cache
def _files_below(place: str) -> tuple[str, ...]:
    """The programs and libraries at or below a place, without those that are only linked to."""
    if os.path.isfile(place):
        return (place,) if _is_elf(place) else ()
    inner = (os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names)
    return tuple(path for path in inner if not path.endswith((".py", ".pyc")) and _is_elf(path))


def _is_elf(path: str) -> bool:
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


@cache
def _loaded_by(path: str) -> tuple[str, ...]:
    """The files that the system's loader takes for one, itself among them."""
    try:
        with open(path, "rb") as file:
            described = _Described.read(file.fileno())
    except (OSError, struct.error, LookupError, ValueError, OverflowError):  # no such file, or a damaged one
        return ()
    folders = list(filter(None, described.folders))
    if any("ORIGIN" in part for part in folders):
        own = os.path.dirname(os.path.realpath(path))
        folders = [part.replace("$ORIGIN", own).replace("${ORIGIN}", own) for part in folders]
    found = [one for name in described.needed for one in _found(name, tuple(folders))]
    return (*found, *([described.interpreter] if os.path.isfile(described.interpreter) else []))


@cache
def _found(name: str, folders: Sequence[str]) -> tuple[str, ...]:
    """The files that a library's name stands for: the first one, and others for newer processors."""
    if "/" in name:
        return (name,) if os.path.isfile(name) else ()
    for folder in (*folders, *library_folders()):
        if os.path.isfile(path := os.path.join(folder, name)):
            return path, *filter(os.path.isfile, (os.path.join(variant, name) for variant in _variants(folder)))
    return ()


@cache
def _variants(folder: str) -> tuple[str, ...]:
    """The folders below one that have libraries for newer processors."""
    return tuple(map(str, Path(folder).glob(f"{_VARIANTS}/*")))


class _Described:
    """What a file says that it loads: the libraries' names, where they are looked for first, and the loader."""

    def __init__(self, needed: list[str], folders: list[str], interpreter: str) -> None:
        self.needed, self.folders, self.interpreter = needed, folders, interpreter

    @classmethod
    def read(cls, file: int) -> _Described:
        """Read an open file. Raises as `struct.unpack` does for one that is damaged."""
        start = os.pread(file, 64, 0)
        headers_at, size, count = struct.unpack_from("<Q", start, 32)[0], *struct.unpack_from("<HH", start, 54)
        headers = [
            struct.unpack("<IIQQQQQQ", os.pread(file, 56, headers_at + size * number))
            for number in range(min(count, _MAX_HEADERS))
        ]
        loaded = {address: (offset, length) for kind, _, offset, address, _, length, *_ in headers if kind == _PT_LOAD}
        entries: list[tuple[int, int]] = []
        interpreter = ""
        for kind, _, offset, _, _, length, *_ in headers:
            if kind == _PT_INTERP:
                interpreter = os.pread(file, min(length, _MAX_NAME), offset).rstrip(b"\0").decode()
            if kind == _PT_DYNAMIC:
                content = os.pread(file, min(length, 16 * _MAX_ENTRIES), offset)
                entries = list(struct.iter_unpack("<QQ", content[: len(content) // 16 * 16]))
        texts = dict(_texts(file, entries, loaded))
        needed = [texts[place] for kind, place in entries if kind == _NEEDED]
        folders = [texts[place] for kind, place in entries if kind in (_RPATH, _RUNPATH)]
        return cls(needed, [part for text in folders for part in text.split(":")], interpreter)


def _texts(
    file: int, entries: Sequence[tuple[int, int]], loaded: Mapping[int, tuple[int, int]]
) -> Iterator[tuple[int, str]]:
    """The texts that entries name, by their places in the table of texts."""
    table = next((address for kind, address in entries if kind == _STRING_TABLE), None)
    if table is None:
        return
    for first, (offset, length) in loaded.items():
        if first <= table < first + length:
            for kind, place in entries:
                if kind in (_NEEDED, _RPATH, _RUNPATH):
                    text = os.pread(file, _MAX_NAME, offset + table - first + place)
                    yield place, text.split(b"\0", 1)[0].decode()
