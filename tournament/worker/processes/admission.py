"""Admits legs while there is memory for all that their processes can take."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from tournament.cores import cores

# Of the memory that is free: the rest is for the tournament and for files.
_SHARE = 7 / 8
# What a program can take beyond its limit on each core between two looks at it: 2.5 GB a second, 50 ms.
_BYTES_BETWEEN_CHECKS = 130 << 20


def free_memory(root: Path = Path("/")) -> int:
    """Return the bytes of memory that are still available on the machine and in this process's cgroups.

    Memory of files that can be dropped counts as free. If the system reports nothing, the number is 2⁶².

    Args:
        root: Folder that contains proc, and the mount points of cgroups.
    """
    free = list(_free_in_groups(root))
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = (root / "proc/meminfo").read_text().splitlines()
        free += [int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")]
    return max(0, min(free, default=1 << 62))


def _free_in_groups(root: Path) -> Iterator[int]:
    """Yield the free bytes of each cgroup of this process, from its own to the outermost that is visible."""
    with contextlib.suppress(OSError, ValueError):
        lines = (root / "proc/self/cgroup").read_text().splitlines()
        (within,) = (PurePosixPath(line.removeprefix("0::")) for line in lines if line.startswith("0::"))
        for line in (root / "proc/self/mountinfo").read_text().splitlines():
            mount, _, system = line.partition(" - ")
            if not system.startswith("cgroup2 "):
                continue
            seen_from, place = mount.split(" ")[3:5]
            below = within.relative_to(seen_from) if within.is_relative_to(seen_from) else PurePosixPath()
            for folder in (below, *below.parents):
                yield from _free_in_group(root / place.lstrip("/") / folder)


def _free_in_group(folder: Path) -> Iterator[int]:
    """Yield the free bytes of a cgroup, or nothing if it has no limit or can't be read. They can be negative."""
    with contextlib.suppress(OSError, ValueError):  # the outermost has no limit
        unused = int((folder / "memory.max").read_text()) - int((folder / "memory.current").read_text())
        statistics = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        yield unused + sum(int(statistics.get(name, 0)) for name in ("inactive_file", "active_file"))


class MemoryBudget:
    """The memory of a machine, shared by all workers of a process. Its size is measured when nothing is reserved.

    Args:
        get_total: Returns the free bytes, of which seven eighths can be reserved; None measures this machine's.
    """

    def __init__(self, get_total: Callable[[], int] | None = None) -> None:
        self._whole = get_total or (lambda: free_memory() - cores() * _BYTES_BETWEEN_CHECKS)
        self._lock = threading.Lock()
        self._bytes, self._taken = 0.0, 0

    def reserve(self, size: int, *, anyway: bool = False) -> bool:
        """Reserve bytes, and return whether they are available. If nothing is reserved, they always are.

        Args:
            size: Number of bytes.
            anyway: Whether to exceed the budget, for a process that replaces another.
        """
        if not size:
            return True  # Asking the system takes longer than a short leg.
        with self._lock:
            if self._taken == 0:
                self._bytes = self._whole() * _SHARE
            elif self._taken + size > self._bytes and not anyway:
                return False
            self._taken += size
            return True

    def release(self, size: int) -> None:
        """Give back reserved bytes."""
        with self._lock:
            self._taken -= size


# Of all workers of this process.
room = MemoryBudget()
