"""What confined processes read: the interpreter, the system's libraries, and the modules of ours that run inside."""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import sysconfig
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

from tournament.sandbox import inside
from tournament.sandbox.outside.launch import Build, ForkServer, LaunchSpec, Probe

_SECONDS_TO_COMPILE = 120.0  # all that a package imports
# Folders of packages within the standard library's.
_BESIDE = ("site-packages", "dist-packages")


@cache
def interpreter() -> str:
    return os.path.realpath(sys.executable)


@cache
def python_paths() -> tuple[str, ...]:
    """What the interpreter reads: itself and the standard library."""
    libraries = [str(path) for path in Path(sys.base_prefix, "lib").glob("libpython*")]
    return (interpreter(), sysconfig.get_path("stdlib"), *libraries)


@cache
def library_folders() -> tuple[str, ...]:
    """Where programs find their shared libraries."""
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    folders = [f"{root}/{multiarch}" for root in ("/lib", "/usr/lib") if multiarch]
    folders += ["/lib64", "/usr/lib64", "/usr/local/lib/" + multiarch if multiarch else "/usr/local/lib"]
    return tuple(path for path in folders if os.path.exists(path))


@cache
def system_libraries() -> tuple[str, ...]:
    """The same with the list of them, and a few devices."""
    # Not /dev/zero: a shared mapping of it is memory that no limit counts.
    others = ("/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/dev/random")
    return (*library_folders(), *(path for path in others if os.path.exists(path)))


def module_files(launch: LaunchSpec) -> dict[str, str]:
    """The modules of ours that a process may import, by name."""
    if isinstance(launch.what, Build | Probe):  # compilers may run before there is a core
        return _inside()
    return _inside() | _core_files(tuple(launch.modules), isinstance(launch.what, ForkServer))


@cache
def _inside() -> dict[str, str]:
    files = sorted(Path(inside.__file__).parent.glob("*.py"))
    return {f"{inside.__name__}.{path.stem}": str(path) for path in files if path.stem != "__init__"}


@cache
def _bytecode() -> list[str]:
    """Of the modules inside: compiling them at each start would take longer than all the rest."""
    for name, source in _inside().items():
        importlib.machinery.SourceFileLoader(name, source).get_code(name)  # which writes it, if it may
    return [importlib.util.cache_from_source(source) for source in _inside().values()]


@cache
def compile_packages(imported: tuple[str, ...], files: tuple[str, ...]) -> None:
    """Have the bytecode of packages written, where that is missing and may be: those who import them confined can't.

    `files`: those of the modules. They are imported unconfined, as this process imports packages itself.
    """
    sources = [file for file in files if file.endswith(".py")]
    missing = [file for file in sources if not os.path.exists(importlib.util.cache_from_source(file))]
    if any(os.access(os.path.dirname(file), os.W_OK) for file in missing):
        program = f"import sys; sys.path[:] = {sys.path!r}; import {', '.join(imported)}"
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        nothing = subprocess.DEVNULL
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                [sys.executable, "-P", "-c", program],
                env=environment,
                cwd="/",
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                timeout=_SECONDS_TO_COMPILE,
            )


@cache
def _core_files(modules: tuple[str, ...], forks: bool) -> dict[str, str]:
    """The compiled modules in which Python bots run, by name, and these `modules` of ours."""
    names = ["engine.processes.python_bots", *(["engine.processes.forking"] if forks else []), *modules]
    files = {name: str(importlib.import_module(name).__file__) for name in names}
    # Most compiled modules import the one that Cython shares among them.
    shared = sys.modules.get("engine._cython")
    return files | ({"engine._cython": str(shared.__file__)} if modules and shared else {})


def paths(launch: LaunchSpec, files: Mapping[str, str]) -> set[str]:
    """All that a process may read, with these modules of ours."""
    return {*python_paths(), *_bytecode(), *system_libraries(), *files.values(), *launch.readable}


def entry_by_entry(readable: Collection[str], launch: LaunchSpec) -> Iterator[str]:
    """The same for a domain, which allows all below a folder: not the library's folder for Python bots, but
    what is in it except packages."""
    library = os.path.realpath(sysconfig.get_path("stdlib"))
    for path in readable:
        if isinstance(launch.what, ForkServer) and launch.what.of == "python" and os.path.realpath(path) == library:
            yield from (entry.path for entry in os.scandir(path) if entry.name not in _BESIDE)
        else:
            yield path
