"""The files that confined processes can read: interpreter, system libraries, and modules that run inside.

All processes read the system's libraries. Processes that play read only what they need in addition.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tournament import library
from tournament.sandbox import inside
from tournament.sandbox.outside.launch import Build, ForkServer, LaunchSpec, Probe

# Entries of the standard library's folder that don't belong to it, or that no bot needs.
_BESIDE = ("site-packages", "dist-packages", "test", "idlelib", "lib2to3", "ensurepip", "turtledemo", "pydoc_data")
_TO_COMPILE = "config-"  # prefix of the folder with which extensions are compiled
_DEVICES = (
    "/dev/null",
    "/dev/urandom",
    "/dev/random",
)  # /dev/zero is missing, because no limit counts its shared mappings
_LOADERS_LIST = "/etc/ld.so.cache"


@cache
def interpreter() -> str:
    """Return the real path of this interpreter."""
    return os.path.realpath(sys.executable)


@cache
def python_paths() -> tuple[str, ...]:
    """Return the paths that the interpreter reads: itself, the standard library, and libraries that came with it."""
    libraries = [str(path) for path in Path(sys.base_prefix, "lib").glob("lib*.so*")]
    return (interpreter(), sysconfig.get_path("stdlib"), *libraries)


@cache
def system_libraries() -> tuple[str, ...]:
    """Return the folders of the system's libraries, the loader's list of them, and a few devices, in this order.

    On Debian, folders that can contain people's work are left out. What is missing is, too.
    """
    wide = ("/lib", "/usr/lib", "/usr/local/lib")  # folders that can contain people's work
    is_debian = os.path.isdir(f"/usr/lib/{_debians_folder()}")
    folders = [folder for folder in _library_folders() if folder not in wide or not is_debian]
    return (*folders, *(path for path in (_LOADERS_LIST, *_DEVICES) if os.path.exists(path)))


def _debians_folder() -> str:
    """Return the name of the folder for this processor's libraries on Debian. Not all interpreters know it there."""
    return sysconfig.get_config_var("MULTIARCH") or f"{os.uname().machine}-linux-gnu"


def _library_folders() -> tuple[str, ...]:
    """Return the existing folders in which programs find their shared libraries, those for the processor first."""
    names = [f"{root}/{_debians_folder()}" for root in ("/lib", "/usr/lib", "/usr/local/lib")]
    names += ["/lib64", "/usr/lib64", "/usr/local/lib64", "/lib", "/usr/lib", "/usr/local/lib"]
    return tuple(dict.fromkeys(name for name in names if os.path.isdir(name)))


def module_files(launch: LaunchSpec) -> dict[str, str]:
    """Return the files of this project's modules that a process can import, by name.

    Builds and probes get only the modules inside the sandbox.

    Args:
        launch: The process.

    Returns:
        The files. For a build or probe the dictionary is shared and must not be changed.

    Raises:
        ImportError: A module of the launch or of the core can't be imported here.
    """
    if isinstance(launch.what, Build | Probe):  # compilers can run before the core exists
        return _inside()
    return _inside() | _core_files(tuple(launch.modules), isinstance(launch.what, ForkServer))


@cache
def _inside() -> dict[str, str]:
    """Return the files of the modules that run inside the sandbox, by name. The dictionary is shared."""
    files = sorted(Path(inside.__file__).parent.glob("*.py"))
    modules = {f"{inside.__name__}.{path.stem}": str(path) for path in files if path.stem != "__init__"}
    return modules | {library.__name__: str(library.__file__)}


@cache
def _bytecode() -> list[str]:
    """Return the bytecode files of the modules inside. Compiling these modules at each start would take longest.

    They are written if they are missing and the folder allows it, so they might not exist. The list is shared.

    Raises:
        OSError: A module can't be read.
    """
    for name, source in _inside().items():
        importlib.machinery.SourceFileLoader(name, source).get_code(name)  # writes the file if that is allowed
    return [importlib.util.cache_from_source(source) for source in _inside().values()]


@cache
def _core_files(modules: tuple[str, ...], forks: bool) -> dict[str, str]:
    """Return the files of the compiled modules that run Python bots, and of these other modules, by name.

    The dictionary is shared.

    Args:
        modules: Names of the other modules. With them, Cython's shared module is added.
        forks: Whether the module that forks processes is needed, too.

    Raises:
        ImportError: A module can't be imported here.
    """
    names = ["engine.processes.python_bots", *(["engine.processes.forking"] if forks else []), *modules]
    files = {name: str(importlib.import_module(name).__file__) for name in names}
    # Most compiled modules import Cython's shared module.
    shared = sys.modules.get("engine._cython")
    return files | ({"engine._cython": str(shared.__file__)} if modules and shared else {})


def paths(launch: LaunchSpec, files: Mapping[str, str]) -> list[str]:
    """Return everything that a process can read, sorted: files, and folders with everything below.

    What is in the launch's folder isn't listed again. Paths might be missing.

    Args:
        launch: The process.
        files: The result of `module_files` for it.

    Raises:
        OSError: A module inside, or the folder of a standard library, can't be read.
    """
    own = {*python_paths(), *_bytecode(), *files.values(), *launch.readable, *system_libraries()}
    if isinstance(launch.what, Build | Probe):
        return sorted(own)
    folder = str(launch.folder) if launch.folder else ""
    within = f"{folder}/"  # the command's own path is in the folder, too
    entries = {entry for path in own if not folder or not f"{path}/".startswith(within) for entry in _entries(path)}
    entries |= {folder} if folder else set()
    # Each rule takes time at each start. A folder's rule covers its entries, except links.
    return sorted(path for path in entries if os.path.dirname(path) not in entries or os.path.islink(path))


def listed(launch: LaunchSpec) -> list[str]:
    """Return the folders that a program can list, sorted. Interpreters search them for modules.

    These are standard libraries of Python that it can read. All processes but servers of programs get an empty list.
    """
    if not isinstance(launch.what, ForkServer) or launch.what.of != "program":
        return []
    return [path for path in sorted({*python_paths(), *launch.readable}) if _is_standard_library(path)]


def _is_standard_library(path: str) -> bool:
    """Return whether a path is the folder of a standard library of Python, which has a site.py."""
    return os.path.isfile(os.path.join(path, "site.py"))


@cache
def _entries(path: str) -> tuple[str, ...]:
    """Return the paths to allow for a path. In a standard library's folder they omit packages and what no bot needs."""
    if not _is_standard_library(path):
        return (path,)
    entries = [entry for entry in os.scandir(path) if entry.name not in _BESIDE]
    return tuple(entry.path for entry in entries if not entry.name.startswith(_TO_COMPILE))
