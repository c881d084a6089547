"""Number of processors that a container may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournament.cores import read_quota

# By case: the groups of a process, what their files say, and the processors for it.
CASES: dict[str, tuple[str, dict[str, str], int]] = {
    "without a limit": ("0::/a\n", {"a/cpu.max": "max 100000"}, 1 << 20),
    "a part": ("0::/a\n", {"a/cpu.max": "150000 100000"}, 2),
    "less than one": ("0::/a\n", {"a/cpu.max": "10000 100000"}, 1),
    "of a group above": ("0::/a/b\n", {"a/cpu.max": "300000 100000", "a/b/cpu.max": "800000 100000"}, 3),
    "of the first version": (
        "5:cpu,cpuacct:/a\n4:memory:/a\n",
        {"cpu,cpuacct/a/cpu.cfs_quota_us": "400000", "cpu,cpuacct/a/cpu.cfs_period_us": "100000"},
        4,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_quota_of_groups_limits_the_processors(case: str, tmp_path: Path) -> None:
    groups, files, expected = CASES[case]
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    assert read_quota(groups, tmp_path) == expected
