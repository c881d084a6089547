"""The compiler's libraries in a wheel, packed in 0.7 MB. Building them takes the first command on a machine a minute.

`make wheel` packs them: python -m tournament.artifacts.shipped_libraries FILE
"""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path

from tournament.artifacts.compiler_command import EXCEPTIONS_SOURCE, LANGUAGES, RUNTIME_SOURCES, home
from tournament.cache import make_folder
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings

ARCHIVE = Path(__file__).with_name("libraries.tar.xz")  # exists in wheels only
_PARTS = ("libc/wasi", "libcxx", "libcxxabi", "libunwind")  # folders in the compiler's lib/
_LICENCES = ("LICENSE*", "COPYRIGHT*")


def unpack_into(folder: Path, archive: Path = ARCHIVE) -> None:
    """Unpack the package's libraries into a folder of the cache, once. Existing ones stay.

    Nothing happens if the archive is missing, as in a checkout, or was unpacked there before. Libraries of another
    version of the compiler have other names, so they are never used.

    Args:
        folder: The folder, which exists. It also gets a file that marks the archive as unpacked.
        archive: The archive. By default it is that of the wheel.

    Raises:
        OSError: The archive can't be read, or the folder can't be written.
        tarfile.TarError: The archive is damaged.
    """
    if not archive.exists():
        return
    content = archive.read_bytes()
    marker = folder / f"shipped-{hashlib.sha256(content).hexdigest()[:16]}"
    if marker.exists():
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
    marker.touch(mode=0o600)


def pack(built: Iterable[Path], archive: Path) -> None:
    """Pack libraries, which are files or folders of a cache, and their licences. The same files give the same bytes.

    Entries are sorted by name. An existing archive is overwritten.

    Args:
        built: The libraries. Their names in the archive start below the folder that each is in.
        archive: The file to write. Its folder exists.

    Raises:
        OSError: A file can't be read or written.
    """
    files = {
        f"{path.relative_to(one.parent)}": path for one in built for path in (one, *one.rglob("*")) if path.is_file()
    }
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


def _main(archive: Path) -> None:
    """Build the libraries that this machine lacks, print what is built, and pack them.

    Args:
        archive: The file to write. Missing folders above it are made.

    Raises:
        RunError: A library can't be built or kept, or the machine is too busy.
        OSError: The archive can't be written, or a source can't be read.
        InputError: This machine can't confine the compiler.
        CommandAborted: The thread must end.
    """
    from tournament.artifacts import libraries

    sandbox = SandboxSettings()
    libraries.prepare_libraries(LANGUAGES, sandbox, print)
    libraries.library_of_exceptions(sandbox)
    libraries.compile_once(RUNTIME_SOURCES, sandbox)
    archive.parent.mkdir(parents=True, exist_ok=True)
    objects = (("exceptions", [EXCEPTIONS_SOURCE]), (RUNTIME_SOURCES[0].parent.name, RUNTIME_SOURCES))
    pack([*map(libraries.libraries_of, LANGUAGES), *(libraries.kept_object(*one) for one in objects)], archive)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
