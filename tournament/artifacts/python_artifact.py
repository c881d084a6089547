"""A Python bot's artifact: its file, and the versions of the interpreter and packages that it plays with."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from tournament.contests.bots import PythonSdk
from tournament.errors import InputError, RunError
from tournament.library import Library
from tournament.sandbox.outside.settings import SandboxSettings

_IMPORTS = re.compile(rb"^[ \t]*(?:import|from)[ \t]([^#\r\n]*)", re.MULTILINE)


@dataclass(frozen=True)
class Packages:
    """Installed packages. The object is shared, so its dictionaries must not be changed.

    Attributes:
        versions: Version by name, in lower case with hyphens.
        modules: File and package folders of each top-level module, by name. A module that is one file has no folders.
        readable: Paths that a bot with these packages reads.
    """

    versions: dict[str, str]
    modules: dict[str, tuple[str, list[str]]]
    readable: tuple[str, ...]

    def imported_by(self, source: bytes) -> list[str]:
        """Return the sorted names of those of the modules that a bot's file imports.

        All words of its import lines count, so that there can be too many.
        """
        identifiers = {
            word.decode() for line in _IMPORTS.findall(source) for word in re.findall(rb"[A-Za-z_]\w*", line)
        }
        return sorted(identifiers & self.modules.keys())


@cache
def installed(names: tuple[str, ...]) -> Packages:
    """Return the packages of these names and everything that they need, once in a process.

    What they need but isn't installed is left out, because it can be for other systems. The object is shared.

    Args:
        names: Names of packages. The order decides that of the result.

    Raises:
        InputError: One of these names isn't installed.
    """
    versions: dict[str, str] = {}
    modules: dict[str, tuple[str, list[str]]] = {}
    readable: list[str] = []
    pending = list(names)
    while pending:
        name = pending.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in versions:
            continue
        try:
            distribution = importlib.metadata.distribution(name)
        except (importlib.metadata.PackageNotFoundError, ValueError):
            if name in names:
                install = f"{sys.executable} -m pip install {name}"
                raise InputError(
                    f"[sandbox] python_packages: {name} is not installed; correct it, or install it: {install}"
                ) from None
            continue  # needed on other systems only
        versions[key] = distribution.version
        pending += _requirements(distribution)
        for top in sorted(
            {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}
        ):
            path = Path(str(distribution.locate_file(top)))
            readable.append(str(path))
            if (path / "__init__.py").exists():
                modules[top] = (str(path / "__init__.py"), [str(path)])
            elif path.suffix == ".py" or ".so" in path.suffixes:
                modules[top.split(".")[0]] = (str(path), [])
    return Packages(versions, modules, tuple(readable))


def _requirements(distribution: importlib.metadata.Distribution) -> list[str]:
    """Return the names of the packages that a package needs, in its order, without its extras."""
    names = []
    for line in distribution.requires or ():
        requirement, _, condition = line.partition(";")
        if "extra" not in condition:
            match = re.match(r"[A-Za-z0-9._-]+", requirement.strip())
            if match:
                names.append(match.group())
    return names


def identity(sandbox: SandboxSettings, sdk: PythonSdk | None) -> dict[str, Any]:
    """Return everything on which a Python bot's answers depend, except its file.

    These are the version of "python", and the versions of "packages" by name. The contest's module for bots is among
    them with a digest as its version. The dictionary of packages can be shared and must not be changed.

    Args:
        sandbox: The allowed packages.
        sdk: The contest's module for bots. None if it has none.

    Raises:
        InputError: A package of the settings isn't installed.
        OSError: The contest's module can't be read.
    """
    parts: dict[str, Any] = {
        "python": platform.python_version(),
        "packages": installed(tuple(sorted(sandbox.python_packages))).versions,
    }
    if sdk:
        parts["packages"] = {**parts["packages"], sdk.file.stem: _short_digest(sdk.file)}
    return parts


@cache
def _short_digest(file: Path) -> str:
    """Return the first twelve hex digits of a file's sha256, which is read once in a process.

    Raises:
        OSError: The file can't be read.
    """
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def pack(
    source: bytes,
    sandbox: SandboxSettings,
    sdk: PythonSdk | None = None,
    *,
    legs_may_share: bool = False,
    adapter: bytes = b"",
    library: bytes = b"",
) -> bytes:
    """Return the artifact: a line with the versions, then the library, the contest's adapter, and the file.

    Args:
        source: The bot's file.
        sandbox: The allowed packages.
        sdk: The contest's module for bots. None if it has none.
        legs_may_share: Whether legs can share a process (`isolation_violation` found nothing).
        adapter: The contest's adapter, or b"" if there is none.
        library: The result of `library_for`. b"" if the bot uses none.

    Raises:
        InputError: A package of the settings isn't installed.
        OSError: The contest's module can't be read.
    """
    line = {**identity(sandbox, sdk), "legs_may_share": legs_may_share}
    if adapter:
        line["adapter_bytes"] = len(adapter)
    if library:
        line["library_bytes"] = len(library)
    return json.dumps(line, sort_keys=True).encode() + b"\n" + library + adapter + source


def library_for(source: bytes, adapter: bytes, files: Mapping[str, str]) -> bytes:
    """Return the library as JSON if a bot or its adapter names one of its modules, otherwise b"".

    So a bot that imports nothing of the library stays the same when the library changes. Any word of the files counts,
    also in comments and texts.

    Args:
        source: The bot's file.
        adapter: The contest's adapter, or b"".
        files: Sources of the library, by path. All of them are returned.
    """
    identifiers = set(re.findall(rb"[A-Za-z_]\w*", adapter + b"\n" + source))
    if not any(name.encode() in identifiers for name in Library(files).names):
        return b""
    return json.dumps(dict(files), sort_keys=True).encode()


@lru_cache(1024)
def legs_may_share(artifact: bytes) -> bool:
    """Return whether legs of a packed bot can share a process, as was given when it was packed.

    Args:
        artifact: The result of `pack`.
    """
    return bool(json.loads(artifact.split(b"\n", 1)[0])["legs_may_share"])


def sources_of(artifact: bytes, sandbox: SandboxSettings, sdk: PythonSdk | None = None) -> tuple[bytes, bytes, bytes]:
    """Return the adapter, the bot's file and the library of an artifact. The adapter and the library can be b"".

    Args:
        artifact: The result of `pack`.
        sandbox: The allowed packages.
        sdk: The contest's module for bots. None if it has none.

    Raises:
        RunError: Interpreter, packages or the contest's module differ from those with which it was packed.
        InputError: A package of the settings isn't installed.
        OSError: The contest's module can't be read.
    """
    line, source = artifact.split(b"\n", 1)
    expected, actual = json.loads(line), identity(sandbox, sdk)
    del expected["legs_may_share"]
    adapter_bytes, library_bytes = expected.pop("adapter_bytes", 0), expected.pop("library_bytes", 0)
    if expected != actual:
        raise RunError(
            f"Python bots play with {_describe_identity(expected)}, but this machine ({platform.node()}) has"
            f" {_describe_identity(actual)}; install the same everywhere"
        )
    library, source = source[:library_bytes], source[library_bytes:]
    return source[:adapter_bytes], source[adapter_bytes:], library


def _describe_identity(identity: dict[str, Any]) -> str:
    """Return the result of `identity` as text."""
    return ", ".join(
        [f"Python {identity['python']}", *[f"{name} {version}" for name, version in identity["packages"].items()]]
    )
