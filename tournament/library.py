"""An organiser's own Python modules, which rules and Python bots import. They are carried as text.

Workers and the bots' sandbox get the text and read no file. The sandbox loads this module, so it imports little.
"""

from __future__ import annotations

import builtins
import sys
import threading
import types
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

MAX_BYTES = 1 << 20  # total of all files
_importing = threading.RLock()


class Library:
    """Modules whose source is text, found by name as in a folder of `sys.path`.

    Attributes:
        files: Source of each file by its path.
        names: The names of its modules and packages that don't lie in another.
        modules: The modules that rules have imported, by name.

    Args:
        files: Source of each file by its path, such as "lux/kit.py".
        check: Called with a file's path and its source before it is executed; raises an error to refuse it. None: every
            file is executed.
    """

    def __init__(self, files: Mapping[str, str], check: Callable[[str, bytes], None] | None = None) -> None:
        self.files, self._check = files, check
        self.names = set(map(_module, files))
        self.modules: dict[str, types.ModuleType] = {}
        self._builtins: dict[str, Any] | None = None

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module is, as the import system asks its finders, or None if it isn't in the library.

        A package comes before a module of its name. A folder without `__init__.py` is a package without source.
        """
        base = name.replace(".", "/")
        for file in (f"{base}/__init__.py", f"{base}.py"):
            if file in self.files:
                loader: Any = self  # no subclass of the import system's
                return ModuleSpec(name, loader, origin=file, is_package=file.endswith("/__init__.py"))
        if any(file.startswith(f"{base}/") for file in self.files):
            return ModuleSpec(name, None, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> None:
        """Return None, so that the import system makes the module."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Execute a module's source.

        Raises:
            Exception: The source raises it, can't be compiled, or `check` refuses it.
        """
        assert module.__spec__ and module.__spec__.origin
        file = module.__spec__.origin
        source = self.files[file].encode()
        if self._check:
            self._check(file, source)
        if self._builtins is not None:
            module.__dict__["__builtins__"] = self._builtins
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)

    def forget(self, names: dict[str, Any]) -> None:
        """Have the next import of each module execute it again, with these builtins."""
        self._builtins = names
        if self.files:
            self._remove_modules()

    def for_rules(self) -> dict[str, Any]:
        """Return builtins with which a module of rules imports from the library, always the same dict.

        The library's modules never stay in `sys.modules`: other contests of the process have other libraries.
        """
        if self._builtins is None:
            self._builtins = {**vars(builtins), "__import__": self._import_in_rules}
        return self._builtins

    def _import_in_rules(
        self,
        name: str,
        global_names: Mapping[str, object] | None = None,
        local_names: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        """Import a module as `__import__` does. Modules of the library are found only while they are imported.

        Raises:
            ImportError: There is no such module.
            Exception: The module's source raises it, can't be compiled, or is refused by the library's check.
        """
        within = str((global_names or {}).get("__package__") or "") if level else name
        if within.partition(".")[0] not in self.names:
            return builtins.__import__(name, global_names, local_names, fromlist or (), level)
        with _importing:
            if self in sys.meta_path:  # a module of the library imports another
                return builtins.__import__(name, global_names, local_names, fromlist or (), level)
            displaced = self._remove_modules()
            sys.modules.update(self.modules)
            sys.meta_path.insert(0, self)
            try:
                return builtins.__import__(name, global_names, local_names, fromlist or (), level)
            finally:
                sys.meta_path.remove(self)
                self.modules |= self._remove_modules()
                sys.modules.update(displaced)

    def _remove_modules(self) -> dict[str, types.ModuleType]:
        """Remove the modules of the library's names from `sys.modules`, and return them."""
        names = [name for name in sys.modules if name.partition(".")[0] in self.names]
        return {name: sys.modules.pop(name) for name in names}


def mentioned(source: bytes, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files of a library that a source can import, by path.

    These are the modules and packages whose names are words of the source or of such a file.
    """
    if not files:
        return {}  # The next line takes milliseconds of each bot's process.
    import re

    matches: dict[str, str] = {}
    remaining = dict(files)
    more = {"": source.decode("utf-8", "replace")}
    while more:
        identifiers = set(re.findall(r"[^\W\d]\w*", "\n".join(more.values())))
        more = {path: text for path, text in remaining.items() if _module(path) in identifiers}
        matches |= more
        remaining = {path: text for path, text in remaining.items() if path not in more}
    return matches


def library_paths(value: object, folder: Path) -> list[Path]:
    """Return the absolute paths that a value of the key library names, in its order, or an empty list for None.

    Args:
        value: A path or a list of them, from the settings.
        folder: Folder from which relative paths start.

    Raises:
        InputError: A path is no text, or no Python file and no folder.
    """
    from tournament.errors import InputError, truncate

    paths: list[Path] = []
    for name in [] if value is None else value if isinstance(value, list) else [value]:
        if not (isinstance(name, str) and name):
            raise InputError(f"{truncate(repr(name), 100)} is no path; expected text")
        path = folder / name
        try:
            fits = path.is_dir() or (path.is_file() and path.suffix == ".py")
        except OSError:  # too long a name
            fits = False
        if not fits:
            raise InputError(f"{truncate(repr(name), 100)} is no Python file and no folder")
        paths.append(path.absolute())
    return paths


def _module(path: str) -> str:
    """Return the name of the module or package in which a file is, without those within it."""
    return path.split("/")[0].removesuffix(".py")


def read_library(paths: Sequence[Path]) -> dict[str, str]:
    """Return the source of a library's files, by their paths in it.

    A file is a module. A folder with `__init__.py` is a package, and other folders contain modules and packages. Of two
    files with the same path in the library, the later one counts.

    Raises:
        InputError: A file can't be read or isn't UTF-8, all have more than 1 MiB, or a module would hide one of
            Python's own, `tournament` or `engine`.
    """
    from tournament.errors import InputError
    from tournament.small_files import decoded, read_small_file

    files: dict[str, str] = {}
    for path in paths:
        base = path.parent if path.is_file() or (path / "__init__.py").is_file() else path
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            try:
                files[file.relative_to(base).as_posix()] = decoded(read_small_file(file, MAX_BYTES))
            except UnicodeDecodeError:
                raise InputError(f"{file} can't be read: it is not UTF-8 text") from None
    if sum(len(text.encode()) for text in files.values()) > MAX_BYTES:
        raise InputError(f"the library has more than {MAX_BYTES >> 20} MiB of Python files")
    for name in sorted(Library(files).names):
        if name in sys.stdlib_module_names or name in ("tournament", "engine"):
            raise InputError(f"the library's module {name} would hide one that is there; give it another name")
    return files
