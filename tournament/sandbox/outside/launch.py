"""The descriptions of confined processes: what they run, and what they can use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

Mode = Literal["on", "off"]
# Megabytes of memory of compilers and builds, and of each file that they write.
MEGABYTES_OF_BUILDS, MEGABYTES_OF_BUILDS_FILES = 4096, 1024
MAX_THREADS = 1024  # threads of a build's processes together
_STACK_MEGABYTES = 64


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of a process. Its memory counts where it is resident (`Confined.has_taken_too_much`).

    A megabyte has 2²⁰ bytes. Only builds have limits of disk and of processes, which `BuildWatch` samples.

    Attributes:
        memory_megabytes: Resident memory.
        cpu_seconds: Processor time.
        reserved_megabytes: Addresses beyond its memory, for files and reservations. Some runtimes reserve gigabytes. By
            default 64 GiB.
        open_files: Open descriptors.
        file_megabytes: Size of each file that it writes. 0: it can write none.
        disk_megabytes: Size of a build's files together, with and without names.
        free_megabytes: Free disk space that a build leaves.
        processes: Processes of a build, which can start others.
        writable_megabytes: Writable memory, resident or not. None: the same as its memory.
    """

    memory_megabytes: int
    cpu_seconds: int
    reserved_megabytes: int = 64 << 10
    open_files: int = 64
    file_megabytes: int = 0
    disk_megabytes: int = 0
    free_megabytes: int = 0
    processes: int = 1
    writable_megabytes: int | None = None

    def as_resource_limits(self) -> dict[str, int]:
        """Return the limits by their names in Linux without RLIMIT_: bytes, seconds for CPU, and a number for NOFILE.

        Limits of disk and of processes aren't among them.
        """
        memory = self.memory_megabytes << 20
        return {
            "CORE": 0,
            "CPU": self.cpu_seconds,
            "DATA": memory if self.writable_megabytes is None else self.writable_megabytes << 20,
            "AS": memory + (self.reserved_megabytes << 20),
            "STACK": _STACK_MEGABYTES << 20,
            "NOFILE": self.open_files,
            "FSIZE": self.file_megabytes << 20,
            "MEMLOCK": 0,
            "MSGQUEUE": 0,
        }

    @property
    def resident_bytes(self) -> int:
        """Maximum resident bytes that don't belong to files: its memory, and 64 MiB for the stack."""
        return (self.memory_megabytes + _STACK_MEGABYTES) << 20


def limits_of_build(
    cpu_seconds: int, memory_megabytes: int = MEGABYTES_OF_BUILDS, free_megabytes: int = 0
) -> ProcessLimits:
    """Return the limits of a compiler or a program's build, which start processes and write files.

    They allow 64 processes, files of 1 GiB each, and 4 GiB of disk.

    Args:
        cpu_seconds: Processor seconds of each process.
        memory_megabytes: MiB of memory of each process. By default 4 GiB.
        free_megabytes: MiB of free disk space that it leaves.
    """
    return ProcessLimits(
        memory_megabytes,
        cpu_seconds,
        open_files=1024,
        file_megabytes=MEGABYTES_OF_BUILDS_FILES,
        disk_megabytes=4 * MEGABYTES_OF_BUILDS_FILES,
        free_megabytes=free_megabytes,
        processes=64,
    )


@dataclass(frozen=True)
class Program:
    """A command that plays. It can start threads and become another program, but start no process.

    Attributes:
        command: The command's words. The first is the program's path.
    """

    kind: ClassVar[str] = "program"
    command: Sequence[str]


@dataclass(frozen=True)
class Build:
    """Commands that run one after another until one fails. They can start processes and write files.

    Attributes:
        commands: Each command's words, at least one command. The first word is the program's path.
        environment: All environment variables of the commands.
        writable: Folders that they can write to. The first one's disk is measured. Without folders no disk is.
        watched: Whether `BuildWatch` checks what the processes use together.
    """

    kind: ClassVar[str] = "build"
    commands: Sequence[Sequence[str]]
    environment: Mapping[str, str] = field(default_factory=dict)
    writable: Sequence[str] = ()
    watched: bool = True


@dataclass(frozen=True)
class PythonBot:
    """A Python bot.

    Attributes:
        orders: Orders of the host, by the names that `inside.python_host.prepare` lists. They must not be changed.
    """

    kind: ClassVar[str] = "python"
    orders: Mapping[str, Any]


@dataclass(frozen=True)
class ModuleTrial:
    """The trial of a WebAssembly module (`inside.module_compiler`).

    Attributes:
        library: Path of the engine's library.
        settings: Settings of each engine that compiles it, in this order, by the library's names.
    """

    kind: ClassVar[str] = "module"
    library: str
    settings: Sequence[Mapping[str, bool | int]]


@dataclass(frozen=True)
class Probe:
    """Attempts at what a bot must not do.

    Attributes:
        paths: Files to try it on: "read" exists, "write" doesn't.
        tournament: Process ID of the tournament.
    """

    kind: ClassVar[str] = "probe"
    paths: Mapping[str, str]
    tournament: int


@dataclass(frozen=True)
class ForkServer:
    """A server that forks processes of one kind (`fork_server`).

    Attributes:
        of: Kind of the forks: "python", "module" or "program".
        file: A file that it loads first, or None. It is the contest's module for bots, or the engine's library. For a
            program it only distinguishes servers.
        imported: Packages that it imports first.
        modules: Name, file and package folders of these packages' modules and of what they need, by name. A module that
            is one file has no folders.
        environment: Names and values of variables for these imports, by name.
    """

    kind: ClassVar[str] = "server"
    of: str
    file: str | None = None
    imported: tuple[str, ...] = ()
    modules: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


What = Program | Build | PythonBot | ModuleTrial | Probe | ForkServer


@dataclass(frozen=True)
class LaunchSpec:
    """A process to start.

    Attributes:
        what: What it runs.
        limits: Its limits.
        folder: Its working folder, which it can read. None: "/", which it can't read.
        readable: Readable paths in addition to those that every program needs. Missing ones are ignored.
        modules: More modules of this project that it can import.
        given: Its first messages, each of which is sent after its length. Only forks and processes with mode "off" from
            `fork_server.start` get them.
    """

    what: What
    limits: ProcessLimits
    folder: Path | None = None
    readable: Sequence[str] = ()
    modules: Sequence[str] = ()
    given: Sequence[bytes] = ()

    def to_orders(self, *, landlock: int | None) -> dict[str, Any]:
        """Return a process's orders as plain values: kind, limits, landlock, and the fields of what it runs.

        These fields aren't copied, so callers must not change them.

        Args:
            landlock: Version of Landlock that confines it. None: it isn't confined, so it can write files and has no
                limit of open files.
        """
        limits = self.limits.as_resource_limits()
        if landlock is None:
            del limits["FSIZE"], limits["NOFILE"]
        return {"kind": self.what.kind, "limits": limits, "landlock": landlock, **vars(self.what)}
