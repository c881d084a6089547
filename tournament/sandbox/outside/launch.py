"""What a confined process is to run, and what it may use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tournament.sandbox.inside.system_calls import Purpose

Mode = Literal["on", "off"]


@dataclass(frozen=True)
class Limits:
    """What a process may use. Bytes of memory count where they can be written to.

    `reserved_megabytes`: of addresses beyond those, for files and for what is only reserved: gigabytes for some
    runtimes.
    """

    memory_megabytes: int
    cpu_seconds: int
    reserved_megabytes: int = 64 << 10
    open_files: int = 64
    file_megabytes: int = 0
    stack_megabytes: int = 64
    processes: int = 1
    threads: bool = True

    def as_resource_limits(self) -> dict[str, int]:
        """By the names of Linux's resource limits."""
        memory = self.memory_megabytes << 20
        return {
            "CORE": 0,
            "CPU": self.cpu_seconds,
            "DATA": memory,
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


@dataclass(frozen=True)
class LaunchSpec:
    """What to run, confined: a `command`, or the orders of a part of ours, the Python host or the trial of a module.

    `before`: commands of a build that are run first; the build ends with the first that fails.
    `forks`: instead of all these, what the processes that this one will fork have in common (`fork_server`).
    `readable` and `writable`: paths, beside those that every program needs. `modules`: more of ours that it may import.
    `reads_links`: a bot may read where links lead, also those of /proc (builds may always).
    `watched`: the processes of a build are checked for what they take together.
    """

    limits: Limits
    command: Sequence[str] = ()
    before: Sequence[Sequence[str]] = ()
    python: Mapping[str, Any] | None = None
    module: Mapping[str, Any] | None = None
    probe: Mapping[str, str] | None = None
    forks: Mapping[str, Any] | None = None
    folder: Path | None = None
    readable: Sequence[str] = ()
    writable: Sequence[str] = ()
    modules: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    purpose: Purpose = "play"
    reads_links: bool = False
    watched: bool = True

    @property
    def is_python(self) -> bool:
        """Whether it is a Python bot, or forks some."""
        return self.python is not None or "python" in (self.forks or {})

    def told(self) -> dict[str, Any]:
        """What a process is told of its launch, in plain values."""
        given: dict[str, Any] = {
            "purpose": self.purpose,
            "limits": self.limits.as_resource_limits(),
            "threads": self.limits.threads,
            "reads_links": self.reads_links,
            "filter": True,
            "environment": dict(self.environment),
            "before": [list(command) for command in self.before],
        }
        if self.command:
            given["command"] = list(self.command)
        for name in ("python", "module", "probe", "forks"):
            if (orders := getattr(self, name)) is not None:
                given[name] = dict(orders)
        return given
