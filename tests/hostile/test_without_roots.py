"""Where the system gives no namespaces, as in a container, Landlock and the filter hold alone.

What only a root of its own hides is told in docs/explanation/sandbox.md: that paths are there, and the machine's name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.in_process import shown
from tests.hostile.field import GOOD, HERE, Ground, assert_they_fare_as_said, bots_in
from tests.worker.support import answering, write_bot
from tournament.records.results import Results
from tournament.sandbox.outside import confinement, fork_server, probe
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.launch import LaunchSpec

OF_A_ROOT = {"looks_at_other_legs.py", "looks_where_it_is.py"}
REACHING_OUT = [
    *("attacks_its_parent", "changes_files_of_others", "executes_programs", "forks", "imports_other_packages"),
    *("inherited_descriptors", "opens_files", "reads_links", "reads_proc"),
    *("shared_memory", "signals_by_descriptor", "sockets", "spies_on_processes", "system_calls", "writes_files"),
]
PROGRAMS = ["becomes_another_program", "reads_what_it_may_not", "starts_programs", "writes_what_it_may_not"]
FEW = {name: GOOD[name] for name in ("steady.c", "plain")}


@pytest.fixture(autouse=True)
def no_namespaces(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    start = confinement._start_server

    def start_server(launch: LaunchSpec, *, root: bool) -> Confined | None:
        return None if root else start(launch, root=False)

    fork_server.end_idle()
    with monkeypatch.context() as patch:
        patch.setattr(confinement, "_start_server", start_server)
        yield
        fork_server.end_idle()
    probe.probe_sandbox.cache_clear()
    confinement.lacks_roots.clear()


@pytest.mark.parametrize("part", range(3))
def test_what_bots_try_is_refused(tmp_path: Path, scratch: Path, alone: Results, part: int) -> None:
    bots = [HERE / "python" / f"{name}.py" for name in REACHING_OUT] + [HERE / "programs" / name for name in PROGRAMS]
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone, bots[part::3], FEW)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(8))
def test_all_fare_as_they_do_with_a_root(tmp_path: Path, scratch: Path, alone: Results, part: int) -> None:
    bots = [bot for bot in bots_in("python") if bot.name not in OF_A_ROOT] + bots_in("programs")
    assert_they_fare_as_said(Ground(tmp_path), scratch, alone, bots[part::8], FEW)


def test_a_check_says_so(tmp_path: Path) -> None:
    probe.probe_sandbox.cache_clear()
    assert probe.probe_sandbox("on").endswith("system call filter")
    write_bot(tmp_path / "calls", answering("0", "True"))
    told = shown("check", str(tmp_path / "calls"), "--contest", "von_neumann_poker", columns=200)
    assert told.code == 0 and "so a bot's legs see each other in /proc" in told.out, told
