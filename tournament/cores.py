"""The number of processors that this process can use."""

from __future__ import annotations

import contextlib
import math
import os
from functools import cache
from pathlib import Path


def cores() -> int:
    """Return the number of processors that this process can use, at least 1, by its affinity and its groups' quotas.

    If the system doesn't report them, all of the machine count.
    """
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, _quota())


@cache
def _quota() -> int:
    """Return the processors whose time this process's groups can use, rounded up, or 2²⁰ without a limit.

    It is read once in a process.
    """
    with contextlib.suppress(OSError):
        return read_quota(Path("/proc/self/cgroup").read_text(), Path("/sys/fs/cgroup"))
    return 1 << 20


def read_quota(groups: str, mounted: Path) -> int:
    """Return the least quota of the groups in /proc/self/cgroup and of those above them, in processors, rounded up.

    Args:
        groups: Content of /proc/self/cgroup.
        mounted: Folder of the groups' files.

    Returns:
        At least 1, and 2²⁰ if there is no quota.
    """
    quota = math.inf
    for line in groups.splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = mounted / controllers
        group = top / path.lstrip("/")
        for folder in (group, *group.parents):
            if folder.is_relative_to(top):
                quota = min(quota, _share(folder))
    return max(1, math.ceil(quota)) if quota < math.inf else 1 << 20


def _share(group: Path) -> float:
    """Return a group's quota in processors, from the files of either version of groups.

    It is infinite without a limit, and if the files can't be read.
    """
    with contextlib.suppress(OSError, ValueError):
        most, period = (group / "cpu.max").read_text().split()
        return float("inf" if most == "max" else most) / int(period)
    with contextlib.suppress(OSError, ValueError):
        quota = int((group / "cpu.cfs_quota_us").read_text())
        return quota / int((group / "cpu.cfs_period_us").read_text()) if quota > 0 else math.inf
    return math.inf
