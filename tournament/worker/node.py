"""Checks that a machine can play for a driver: it needs the same versions and the same results folder."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import engine
from tournament.contests import find_contest
from tournament.contests.rules_loader import Source, load_source
from tournament.errors import InputError, RunError
from tournament.store.storage import Storage, open_storage, staged_name

# Packages on which games and records depend. Those of bots are named by their artifacts.
_PACKAGES = ("tournament", "wasmtime", "numpy", "pyarrow")
_SOURCES = {".py", ".pyx", ".pxd", ".wat", ".c", ".h", ".toml"}


@dataclass(frozen=True)
class Versions:
    """Versions by name.

    Attributes:
        by_name: Pairs of a name and a version, "none" if it isn't installed. The version of "sources" is a digest of
            this project's files, which can be newer than its version.
    """

    by_name: tuple[tuple[str, str], ...]

    def differences(self, other: Versions) -> str:
        """Return the differences from another machine's as text: "wasmtime 40.0.0 (there 41.0.0)", or "" for none.

        Names that only the other machine has don't count.
        """
        other_versions = dict(other.by_name)
        return ", ".join(
            f"{name} {version} (there {other_versions.get(name, 'none')})"
            for name, version in self.by_name
            if other_versions.get(name) != version
        )


@dataclass(frozen=True)
class Invitation:
    """A driver's message with each task, by which a node proves that it can play.

    Attributes:
        versions: The driver's versions.
        location: Folder or URL of the results.
        name: File in the results' storage that the driver wrote.
        content: Content of that file.
    """

    versions: Versions
    location: str
    name: str
    content: str


@cache
def versions_here() -> Versions:
    """Return the versions on this machine: of packages, of Python, and of this project's files.

    They are found once in a process, and all callers share them.

    Raises:
        OSError: A file of this project can't be read.
    """
    installed = [(name, _installed(name)) for name in _PACKAGES]
    return Versions((*installed, ("python", platform.python_version()), ("sources", _sources_digest())))


def _installed(name: str) -> str:
    """Return the version of a package, "none" if it isn't installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _sources_digest() -> str:
    """Return the first twelve hex digits of a digest of this project's files and their paths.

    Raises:
        OSError: A file can't be read.
    """
    digest = hashlib.sha256()
    for name, path in sorted(_source_files()):
        digest.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:12]


def _source_files() -> Iterator[tuple[str, Path]]:
    """Yield the path in its package and the place of each source file, in any order."""
    for package, folder in (("tournament", Path(__file__).parents[1]), ("engine", Path(str(engine.__file__)).parent)):
        for path in folder.rglob("*"):
            # In a checkout, Cython's output is next to its sources and differs between compiler versions.
            if path.suffix in _SOURCES and not (path.suffix == ".c" and path.with_suffix(".pyx").exists()):
                yield f"{package}/{path.relative_to(folder).as_posix()}", path


def invite(storage: Storage) -> Invitation:
    """Write the file that nodes have to read into the results' storage, and return the message that names it.

    The file is in staging, under a new name for each call. It isn't removed here.

    Raises:
        OSError: The file can't be written, or a file of this project can't be read.
        RunError: The object store's request fails.
    """
    invitation = Invitation(versions_here(), storage.location, staged_name("driver"), uuid.uuid4().hex)
    storage.replace(invitation.name, invitation.content.encode(), durable=False)
    return invitation


@cache
def accept(invitation: Invitation) -> None:
    """Check once in this process that it has the driver's versions and can read its file. A failure isn't remembered.

    Raises:
        RunError: It has other versions, reads another content or none, or the object store's request fails.
        InputError: The location is an invalid URL.
        OSError: A file of this project can't be read.
    """
    if found := versions_here().differences(invitation.versions):
        raise RunError(f"it has {found}: install the same on every node")
    try:
        content = open_storage(invitation.location).read(invitation.name)
    except (OSError, KeyError):
        content = b""
    if content != invitation.content.encode():
        raise RunError(
            f"it does not find in {invitation.location} what this run wrote there: results must lie in a folder that"
            " all nodes share, or at a URL such as s3://bucket/prefix"
        )


@cache
def accept_contest(rules: str, requires: tuple[tuple[str, str], ...], source: Source | None = None) -> None:
    """Check once in this process that it has a contest's rules, and the packages on which its games depend.

    A failure isn't remembered.

    Args:
        rules: Name of the contest's rules.
        requires: Names of the packages, with the driver's versions.
        source: Place of rules from a user's file or a package; None for the project's own, the default.

    Raises:
        RunError: They are missing or different, the rules can't be loaded, or the machine is at fault.
    """
    try:
        requirements = dict((load_source(source) if source else find_contest(rules)).requires)
    except InputError as problem:
        raise RunError(f"it can't play {rules}: {problem}; install the same on every node") from None
    if found := Versions(tuple(requirements.items())).differences(Versions(requires)):
        raise RunError(f"it has {found} for {rules}: install the same on every node")
