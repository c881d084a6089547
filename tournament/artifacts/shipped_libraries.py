"""The compiler's libraries in a wheel, packed in 0.7 MB. Building them takes the first command on a machine a minute.

`make wheel` packs them: python -m tournament.artifacts.shipped_libraries FILE
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tournament.artifacts.compiler_command import LANGUAGES, RUNTIME_SOURCES, home
from tournament.cache import make_folder
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings

ARCHIVE = Path(__file__).with_name("libraries.tar.xz")  # exists in wheels only
_PARTS = ("libc/wasi", "libcxx", "libcxxabi", "libunwind")  # folders in the compiler's lib/
_LICENCES = ("LICENSE*", "COPYRIGHT*")


def unpack_into(folder: Path, archive: Path = ARCHIVE) -> None:
    """Unpack the package's libraries into a folder of the cache, once, beside the existing ones.

    Libraries of another version of the compiler have other names, so they are never used.

    Raises:
        OSError: The folder can't be written.
    """
    if not archive.exists():
        return
    content = archive.read_bytes()
    done = folder / f"shipped-{hashlib.sha256(content).hexdigest()[:16]}"
    if done.exists():
        return
    with scratch_folder(folder) as scratch, tarfile.open(fileobj=io.BytesIO(content)) as opened:
        for entry in opened:
            target = scratch / entry.name
            make_folder(target.parent)
            source = opened.extractfile(entry)
            assert source is not None, entry.name
            target.write_bytes(source.read())
            target.chmod(0o600)
        for path in scratch.iterdir():
            if not (folder / path.name).exists():
                path.rename(folder / path.name)
    done.touch(mode=0o600)


def pack(folder: Path, archive: Path) -> None:
    """Pack a cache's libraries and their licences. The same files give the same bytes.

    Raises:
        OSError: A file can't be read or written.
    """
    kept = (path for path in folder.rglob("*") if path.is_file() and path.relative_to(folder).parts[0] != "made")
    files = {f"{path.relative_to(folder)}": path for path in kept}
    library = home() / "lib"
    files["licences/LICENSE"] = home() / "LICENSE"  # zig's, whose own library is linked, too
    for part in _PARTS:
        for pattern in _LICENCES:
            files |= {f"licences/{path.relative_to(library)}": path for path in (library / part).rglob(pattern)}
    with tarfile.open(archive, "w:xz") as opened:
        for name, path in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                opened.addfile(entry, file)


def copy_built(built: Iterable[Path], folder: Path) -> None:
    """Copy the libraries that exist into a folder of a new cache.

    Raises:
        OSError: A file can't be read or written.
    """
    make_folder(folder)
    for library in built:
        if library.exists():
            shutil.copytree(library, folder / library.name)


def _main(archive: Path) -> None:
    """Build the libraries in a new cache, which starts with those that this machine has, and pack it."""
    from tournament.artifacts.libraries import compile_once, libraries_of, library_of_exceptions, prepare_libraries

    sandbox = SandboxSettings()
    with tempfile.TemporaryDirectory() as cache:
        libraries = Path(cache, "libraries")
        copy_built(map(libraries_of, LANGUAGES), libraries)
        os.environ["TOURNAMENT_CACHE"] = cache
        prepare_libraries(LANGUAGES, sandbox, print)
        library_of_exceptions(sandbox)
        compile_once(RUNTIME_SOURCES, sandbox)
        archive.parent.mkdir(parents=True, exist_ok=True)
        pack(libraries, archive)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
