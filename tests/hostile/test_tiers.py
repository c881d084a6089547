"""What reaches out of a bot's process or a build is refused on each version of Landlock, by the filter if need be.

`pytest --landlock 1 tests/hostile` plays all hostile bots so.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.field import GOOD, HERE, Ground, assert_they_fare_as_said
from tests.sandbox.held import OLDER, held_to
from tournament.records.results import Results

REACHING_OUT = [
    *("attacks_its_parent", "changes_files_of_others", "executes_programs", "forks", "imports_other_packages"),
    *("inherited_descriptors", "opens_files", "reads_links", "reads_proc", "shared_memory", "signals_by_descriptor"),
    *("sockets", "spies_on_processes", "system_calls", "writes_files"),
]
PROGRAMS = ["reads_what_it_may_not", "starts_programs", "writes_what_it_may_not"]
BUILDS = ["kills_its_supervisor", "reads_outside", "writes_outside"]
FEW = {name: GOOD[name] for name in ("steady.c", "plain")}


@pytest.mark.parametrize(("version", "part"), [(version, part) for part, version in enumerate(OLDER)])
def test_what_bots_try_is_refused(tmp_path: Path, scratch: Path, alone: Results, version: int, part: int) -> None:
    bots = [HERE / "python" / f"{name}.py" for name in REACHING_OUT]
    bots += [HERE / folder / name for folder, names in (("programs", PROGRAMS), ("builds", BUILDS)) for name in names]
    with held_to(version):
        assert_they_fare_as_said(Ground(tmp_path), scratch, alone, bots[part :: len(OLDER)], FEW)
