"""Builds the compiler's libraries once on a machine: python -m tournament.artifacts.libraries [c] [cpp].

`make` runs this while it compiles the core, which this doesn't need. If it fails, a run tries again and reports the
reason. A wheel contains the libraries (`shipped_libraries`).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tournament.artifacts import shipped_libraries as shipped
from tournament.artifacts.compiler_command import (
    EMULATING,
    EXCEPTIONS,
    EXCEPTIONS_SOURCE,
    EXPORT,
    FLAGS_OF_LIBRARY,
    HEADERS_OF_LIBRARY,
    LANGUAGE_NAMES,
    LANGUAGES,
    LINK_FLAGS,
    SOURCES_THAT_THROW,
    STRIP,
    WITHOUT_WARNINGS,
    WRAPS,
    digest,
    home,
    own_command,
    version,
    zig,
)
from tournament.artifacts.compiler_messages import first_line, message_of
from tournament.artifacts.compiler_run import run_compiler
from tournament.cache import (
    cache_folder,
    cache_trouble,
    get_or_make,
    make_folder,
    read_cached,
    require_room,
    write_cached,
)
from tournament.cores import cores
from tournament.errors import RunError, TournamentError
from tournament.leg import Unfit
from tournament.sandbox.outside.ending import threads_that_end
from tournament.sandbox.outside.scratch import alone_on_this_machine, remove, scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings

_lock = threading.Lock()
_LINK_FILE = "link.sealed"
_OBJECTS, _LIBRARIES = "{objects}", "{libraries}"


def prepare_libraries(kinds: Collection[str], sandbox: SandboxSettings, on_message: Callable[[str], None]) -> None:
    """Have the compiler build its libraries for C, C++ or both, once on a machine. This takes about a minute.

    Those of a wheel are unpacked instead. Damaged ones are built again. While another process builds, this waits. The
    linker's input is kept, and submissions are linked with that alone. So nothing of theirs reaches the compiler's
    cache.

    Args:
        kinds: "c", "cpp" or both. If empty, nothing is built.
        sandbox: How submissions' compilers are confined.
        on_message: Called once with a message before the build. It isn't called if nothing must be built.

    Raises:
        RunError: A library can't be built or kept, the cache can't be used or is full, or the machine is too busy.
        InputError: This machine can't confine the compiler.
        CommandAborted: The thread must end.
        tarfile.TarError: The libraries in the wheel are damaged.
    """
    if all(_is_intact(libraries_of(kind)) for kind in kinds):
        return
    above = cache_folder() / "libraries"
    with _lock, cache_trouble(above), alone_on_this_machine(above):
        shipped.unpack_into(above)
        missing = [kind for kind in sorted(kinds) if not _is_intact(libraries_of(kind))]
        if not missing:
            return
        named = " and ".join(LANGUAGE_NAMES[kind] for kind in missing)
        noun = "library" if len(missing) == 1 else "libraries"
        on_message(f"Building the compiler's {named} {noun}, once on this machine (about a minute)…")
        compiler_cache = above / "made"
        if any(libraries_of(kind).exists() for kind in missing):  # damaged; the compiler's cache may be, too
            for kind in missing:
                remove(libraries_of(kind))
            remove(compiler_cache)
        make_folder(compiler_cache)
        # In parallel, because the compiler hardly uses a second processor. Parts that both need are built once.
        with threads_that_end(len(missing)) as pool:
            for _ in pool.map(lambda kind: _build_library(kind, compiler_cache, sandbox), missing):
                pass


def _build_library(kind: str, made: Path, sandbox: SandboxSettings) -> None:
    """Build and keep the libraries for bots of a language. If another machine has kept them before, those stay.

    Args:
        kind: "c" or "cpp".
        made: Folder of the compiler's cache.
        sandbox: How submissions' compilers are confined.

    Raises:
        RunError: The compiler can't build them, they can't be kept, or the machine is too busy.
        InputError: This machine can't confine the compiler.
        OSError: They can't be copied, or the disk is full.
        CommandAborted: The thread must end.
    """
    libraries = libraries_of(kind)
    with scratch_folder(libraries.parent) as folder:
        unit = folder / ("library.c" if kind == "c" else "library.cpp")
        header = "#include <stdio.h>\n" if kind == "c" else "#include <vector>\n#include <iostream>\n"
        unit.write_text(header + "int main() { return 0; }\n")
        building = [*own_command(kind), *LINK_FLAGS, unit.name, *EMULATING, "-o", "library.wasm"]
        try:
            text = message_of(run_compiler([building], folder, [], sandbox, libraries=made))
        except Unfit as problem:
            require_room(made, f"the cache {made}")
            language = LANGUAGE_NAMES[kind]
            raise RunError(f"the compiler can't build its {language} library here: {first_line(problem)}") from None
        line = next(line for line in text.splitlines() if line.startswith("wasm-ld "))
        link_arguments = _copy_libraries(line.split(), unit, folder)
        link = {"words": link_arguments, "sha256": _digests(folder)}
        write_cached(folder / _LINK_FILE, json.dumps(link).encode())
        with contextlib.suppress(OSError):  # another machine may share the folder and have been faster
            folder.rename(libraries)
        folder.mkdir(exist_ok=True)


def _copy_libraries(arguments: list[str], unit: Path, folder: Path) -> list[str]:
    """Copy the libraries in a linker's command to the folder of the unit. Return the command with placeholders.

    Its words keep their order, without the output's name. The placeholder of the objects comes before the first
    library. The unit and the linked file are removed.

    Args:
        arguments: The words of the linker's command.
        unit: The source that was compiled.
        folder: The folder of the unit.

    Raises:
        OSError: A library can't be copied.
    """
    copied = []
    for number, word in enumerate(arguments):
        if word == "-o" or arguments[number - 1] == "-o":
            continue
        path = Path(word)
        if path.name == f"{unit.stem}.o":
            continue
        if path.is_absolute():
            # Objects come first, so that their definitions, such as rand(), replace those of libraries.
            copied += [] if _OBJECTS in copied else [_OBJECTS]
            shutil.copy(path, folder / path.name)
            with open(folder / path.name, "rb") as file:
                os.fsync(file.fileno())
            copied.append(f"{_LIBRARIES}/{path.name}")
        else:
            copied.append(word)
    for leftover in ("library.wasm", unit.name):
        (folder / leftover).unlink()
    return copied


def libraries_of(kind: str) -> Path:
    """Return the folder of the libraries that bots of a language are linked with. It might not exist.

    Args:
        kind: "c" or "cpp".

    Raises:
        RunError: No home is known for the cache, or others can write to it.
    """
    return cache_folder() / "libraries" / f"{kind}-{digest()[:16]}"


def _is_intact(libraries: Path) -> bool:
    """Return whether the libraries exist and are unchanged.

    Raises:
        RunError: They can't be read, or others can have written them.
    """
    link = read_cached(libraries / _LINK_FILE)
    with cache_trouble(libraries):
        return link is not None and json.loads(link)["sha256"] == _digests(libraries)


def _digests(folder: Path) -> dict[str, str]:
    """Return the sha256 of each of a folder's libraries, in hex, by name, sorted by name.

    Raises:
        OSError: The folder is missing, or a library can't be read.
    """
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != _LINK_FILE
    }


def link_command(kind: str, objects: Sequence[str], output: str, with_lines: bool) -> list[str]:
    """Return the words of the linker's command for a bot of a language.

    Args:
        kind: "c" or "cpp".
        objects: Names of the object files, in the order of linking. Their definitions come before those of the
            libraries.
        output: Name of the file to write.
        with_lines: Whether the code keeps the numbers of source lines.

    Raises:
        RunError: The libraries are missing or damaged, or the cache can't be used.
    """
    libraries = libraries_of(kind)
    link = read_cached(libraries / _LINK_FILE)
    if link is None:
        raise RunError(f"the compiler's library {libraries} was damaged during the run; run again")
    arguments: list[str] = []
    for argument in json.loads(link)["words"]:
        if with_lines and argument in STRIP:
            continue
        arguments += (
            [*objects, EXPORT, *WRAPS] if argument == _OBJECTS else [argument.replace(_LIBRARIES, str(libraries))]
        )
    return [zig(), *arguments, "-o", output]


def kept_object(name: str, sources: Iterable[Path]) -> Path:
    """Return the path in the cache of what is compiled from sources of our own. It might not exist.

    It depends on the sources' content and order, and on the compiler's version and options.

    Args:
        name: Prefix of the file's name.
        sources: The sources.

    Raises:
        RunError: The cache can't be used.
        OSError: A source can't be read.
    """
    made_of = hashlib.sha256(version().encode())
    for source in sources:
        made_of.update(hashlib.sha256(source.read_bytes()).digest())
    return cache_folder() / "libraries" / f"{name}-{made_of.hexdigest()[:16]}.sealed"


def compile_once(sources: Sequence[Path], sandbox: SandboxSettings) -> bytes:
    """Return one object file of C sources of our own, which is compiled at the first call on a machine and kept.

    Args:
        sources: The sources and their headers, which are all in one folder. The folder's name becomes that of the file.
            The files that end in .c are compiled and linked in this order.
        sandbox: How the compiler is confined.

    Raises:
        RunError: The sources can't be compiled, the object file not kept or read, or the machine is too busy.
        InputError: This machine can't confine the compiler.
        OSError: A source can't be read, or the disk is full.
        CommandAborted: The thread must end.
    """
    name = sources[0].parent.name
    return get_or_make(kept_object(name, sources), lambda: _build_object(name, sources, sandbox))


def _build_object(name: str, sources: Sequence[Path], sandbox: SandboxSettings) -> bytes:
    """Return one object file of C sources.

    Args:
        name: Name of the sources in messages.
        sources: The sources and their headers.
        sandbox: How the compiler is confined.

    Raises:
        RunError: The compiler refuses them or exceeds a limit, or the machine is too busy.
        InputError: This machine can't confine the compiler.
        OSError: A source can't be read, or the disk is full.
        CommandAborted: The thread must end.
    """
    with scratch_folder() as folder:
        for source in sources:
            shutil.copyfile(source, folder / source.name)
        # These define functions of libc, which must not become calls of libc.
        building = [*own_command("c"), WITHOUT_WARNINGS, "-fno-builtin", "-c"]
        compiled = [source for source in sources if source.suffix == ".c"]
        commands = [[*building, source.name] for source in compiled]
        objects = [source.with_suffix(".o").name for source in compiled]
        commands.append([zig(), "wasm-ld", "-r", *objects, "-o", "all.object"])
        try:
            run_compiler(commands, folder, [], sandbox)
        except Unfit as problem:
            raise RunError(f"the compiler can't compile {name}: {first_line(problem)}") from None
        return (folder / "all.object").read_bytes()


def library_of_exceptions(sandbox: SandboxSettings) -> bytes:
    """Return the library that bots with exceptions are linked with before the compiler's, which has none.

    It contains the runtime of C++ exceptions, and the parts of the C++ library that throw. It is built for the first
    bot that needs it, and kept. While another process builds it, this waits.

    Args:
        sandbox: How the compiler is confined.

    Raises:
        RunError: It can't be built, kept or read, the disk is full, or the machine is too busy.
        InputError: This machine can't confine the compiler.
        OSError: Its source can't be read.
        CommandAborted: The thread must end.
    """
    path = kept_object("exceptions", [EXCEPTIONS_SOURCE])
    with _lock, cache_trouble(path.parent), alone_on_this_machine(path.parent):
        return get_or_make(path, lambda: _build_exceptions(sandbox))


def _build_exceptions(sandbox: SandboxSettings) -> bytes:
    """Return the library of `library_of_exceptions`, built. All processors compile its parts.

    Raises:
        RunError: The compiler can't build it, or the machine is too busy.
        InputError: This machine can't confine the compiler.
        OSError: The disk is full.
        CommandAborted: The thread must end.
    """
    paths = [*(str(home() / "lib" / path) for path in SOURCES_THAT_THROW), EXCEPTIONS_SOURCE.name]
    objects = [f"{Path(path).stem}.o" for path in paths]
    with scratch_folder() as folder:
        shutil.copy(EXCEPTIONS_SOURCE, folder)
        building = [*own_command("cpp"), *EXCEPTIONS, WITHOUT_WARNINGS, *FLAGS_OF_LIBRARY]
        building += [f"-I{home()}/lib/{path}" for path in HEADERS_OF_LIBRARY]
        commands = [[*building, "-c", path, "-o", name] for path, name in zip(paths, objects)]
        try:
            with ThreadPoolExecutor(cores()) as pool:
                list(pool.map(lambda one: run_compiler([one], folder, [], sandbox), commands))
            run_compiler([[zig(), "ar", "rcsD", "exceptions.a", *objects]], folder, [], sandbox)
        except Unfit as problem:
            raise RunError(f"the compiler can't build its exceptions here: {first_line(problem)}") from None
        return (folder / "exceptions.a").read_bytes()


if __name__ == "__main__":
    with contextlib.suppress(TournamentError):
        prepare_libraries(sys.argv[1:] or LANGUAGES, SandboxSettings(), lambda _text: None)
