"""What a confined process is to run, and what it may use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

Mode = Literal["on", "off"]
# What compilers and builds may take, and how much any file may have that they write.
MEGABYTES_OF_BUILDS, MEGABYTES_OF_BUILDS_FILES = 4096, 1024
MOST_THREADS = 1024  # of a build's processes together


@dataclass(frozen=True)
class ProcessLimits:
    """What a process may use. Bytes of memory count where they are resident (`Confined.has_taken_too_much`).

    `writable_megabytes`: of what it may write to, resident or not; as much as its memory unless it is given.
    `reserved_megabytes`: of addresses beyond its memory, for files and for what is only reserved: gigabytes for some
    runtimes. `processes`: of a build, which may start others. `disk_megabytes`: of a build's files together, with and
    without names; `free_megabytes`: of the disk, that it leaves.
    """

    memory_megabytes: int
    cpu_seconds: int
    reserved_megabytes: int = 64 << 10
    open_files: int = 64
    file_megabytes: int = 0
    disk_megabytes: int = 0
    free_megabytes: int = 0
    stack_megabytes: int = 64
    processes: int = 1
    writable_megabytes: int | None = None

    def as_resource_limits(self) -> dict[str, int]:
        """By the names of Linux's resource limits."""
        memory = self.memory_megabytes << 20
        return {
            "CORE": 0,
            "CPU": self.cpu_seconds,
            "DATA": memory if self.writable_megabytes is None else self.writable_megabytes << 20,
            "AS": memory + (self.reserved_megabytes << 20),
            "STACK": self.stack_megabytes << 20,
            "NOFILE": self.open_files,
            "FSIZE": self.file_megabytes << 20,
            "MEMLOCK": 0,
            "MSGQUEUE": 0,
        }

    @property
    def resident_bytes(self) -> int:
        """The most that can be resident of memory that isn't a file's."""
        return (self.memory_megabytes + self.stack_megabytes) << 20


def limits_of_build(
    cpu_seconds: int, memory_megabytes: int = MEGABYTES_OF_BUILDS, free_megabytes: int = 0
) -> ProcessLimits:
    """Return the limits of compilers and of programs' builds, which start others and write files."""
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
    """A command that plays. It may start threads, and become another program, but start none."""

    kind: ClassVar[str] = "program"
    command: Sequence[str]


@dataclass(frozen=True)
class Build:
    """Commands that are run one after the other, until one fails; they may start others, and write.

    `watched`: the processes are checked for what they take together.
    """

    kind: ClassVar[str] = "build"
    commands: Sequence[Sequence[str]]
    environment: Mapping[str, str] = field(default_factory=dict)
    writable: Sequence[str] = ()
    watched: bool = True


@dataclass(frozen=True)
class PythonBot:
    """A Python bot; `orders` are the host's (`inside.python_host`)."""

    kind: ClassVar[str] = "python"
    orders: Mapping[str, Any]


@dataclass(frozen=True)
class ModuleTrial:
    """The trial of a WebAssembly module, with the engine's library (`inside.module_compiler`)."""

    kind: ClassVar[str] = "module"
    library: str
    settings: Sequence[Mapping[str, bool | int]]


@dataclass(frozen=True)
class Probe:
    """Attempts at what a bot must not do: `paths` to try them on, and the tournament's process."""

    kind: ClassVar[str] = "probe"
    paths: Mapping[str, str]
    tournament: int


@dataclass(frozen=True)
class ForkServer:
    """What forks processes of one kind (`fork_server`): a file that is loaded before, if there is one.

    `imported`: modules that it imports first, with these variables of the `environment`; `modules`: where they and
    what they need are, as `inside.python_host` is told.
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
    """What to run, confined. `readable`: paths, beside those that every program needs; `modules`: more of ours that it
    may import; `given`: what it reads first, each part with its length before it."""

    what: What
    limits: ProcessLimits
    folder: Path | None = None
    readable: Sequence[str] = ()
    modules: Sequence[str] = ()
    given: Sequence[bytes] = ()

    def told(self, *, landlock: int | None) -> dict[str, Any]:
        """What a process is told of its launch, in plain values; `landlock`: the version that confines it, None for one
        that isn't confined, and may write files, and open as many as anybody."""
        limits = self.limits.as_resource_limits()
        if landlock is None:
            del limits["FSIZE"], limits["NOFILE"]
        how = {"confined": landlock is not None, "landlock": landlock}
        return {"kind": self.what.kind, "limits": limits, **how, **vars(self.what)}
