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
    words, pipe = [sys.executable, "-c", _HOLDER, str(parent)], subprocess.PIPE
    process = subprocess.Popen(words, env=environment(), stdin=pipe, stdout=pipe, text=True)
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_only_folders_of_killed_runs_are_removed(tmp_path: Path) -> None:
    other, link = tmp_path / "tournament-results", tmp_path / ".tournament-scratch-abcdefgh"
    other.mkdir()
    (other / "file").write_text("kept")
    link.symlink_to(other)
    live, kept = holder(tmp_path)
    killed, left = holder(tmp_path)
    killed.kill()
    killed.wait()
    assert left.is_dir()
    with scratch.scratch_folder(tmp_path) as folder:
        assert {*tmp_path.iterdir()} == {other, link, kept, folder}
        assert (kept / "inner").is_dir()
    live.communicate("")
    killed.communicate()
    assert {*tmp_path.iterdir()} == {other, link} and (other / "file").read_text() == "kept"
