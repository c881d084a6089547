"""Temporary folders: what a killed tournament leaves goes, what a running one works in stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.contest_runs import environment
from tournament.sandbox.outside import scratch

_HOLDER = """
import sys
from pathlib import Path
from tournament.sandbox.outside.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    (folder / "inner").mkdir()
    print(folder, flush=True)
    sys.stdin.read()
"""


def holder(parent: Path) -> tuple[subprocess.Popen[str], Path]:
    """Start a process that works in a scratch folder. Return both."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(parent)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_only_folders_of_killed_runs_are_removed(tmp_path: Path) -> None:
    other = tmp_path / "tournament-results"
    other.mkdir()
    live, kept = holder(tmp_path)
    killed, left = holder(tmp_path)
    killed.kill()
    killed.wait()
    assert left.is_dir()
    with scratch.scratch_folder(tmp_path) as folder:
        assert {path.name for path in tmp_path.iterdir()} == {other.name, kept.name, folder.name}
        assert (kept / "inner").is_dir()
    live.communicate("")
    killed.communicate()
    assert list(tmp_path.iterdir()) == [other]


def test_link_named_as_scratch_folder_stays(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "file").write_text("kept")
    parent = tmp_path / "parent"
    parent.mkdir()
    (parent / ".tournament-scratch-abcdefgh").symlink_to(target)
    with scratch.scratch_folder(parent):
        pass
    assert (target / "file").read_text() == "kept"
