"""How many processors there are for us."""

from __future__ import annotations

import contextlib
import math
import os
from functools import cache
from pathlib import Path


def cores() -> int:
    """Processors that this process may use, by its affinity and the quotas of its groups; where the system doesn't say,
    all of the machine."""
    here = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(here, _quota())


@cache
def _quota() -> int:
    """The processors whose time this process's groups may use, rounded up."""
    with contextlib.suppress(OSError):
        return quota_of(Path("/proc/self/cgroup").read_text(), Path("/sys/fs/cgroup"))
    return 1 << 20


def quota_of(groups: str, mounted: Path) -> int:
    """The least quota of the groups of /proc/self/cgroup and of those above them, in processors."""
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
    """How much of processors' time a group has by the files of either version of groups, infinite without a limit."""
    with contextlib.suppress(OSError, ValueError):
        most, period = (group / "cpu.max").read_text().split()
        return float("inf" if most == "max" else most) / int(period)
    with contextlib.suppress(OSError, ValueError):
        quota = int((group / "cpu.cfs_quota_us").read_text())
        return quota / int((group / "cpu.cfs_period_us").read_text()) if quota > 0 else math.inf
    return math.inf
