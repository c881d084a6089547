"""Ways in which a node of a cluster can't play: each is code that its workers run when Python starts, or a mount."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests.contest_runs import REPOSITORY

_NO_PACKAGE = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "pyarrow":
            raise ModuleNotFoundError("No module named 'pyarrow'")
sys.meta_path.insert(0, Missing())
"""
# A filter of system calls: it answers those of Landlock (444 to 446) as a kernel without it does.
_NO_LANDLOCK = """
import ctypes, errno, struct
jump = lambda code, yes, no, value: struct.pack("HBBI", code, yes, no, value)
filter = jump(0x20, 0, 0, 0) + jump(0x35, 0, 2, 444) + jump(0x25, 1, 0, 446)
filter += jump(0x06, 0, 0, 0x00050000 | errno.ENOSYS) + jump(0x06, 0, 0, 0x7FFF0000)
kept = ctypes.create_string_buffer(filter)
program = struct.pack("HxxxxxxQ", len(filter) // 8, ctypes.addressof(kept))
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
"""
# What the workers of a bad node run, and what a run says of the node.
IN_PYTHON = {
    "no package": (_NO_PACKAGE, "pyarrow.*; install the same on every node"),
    "no Landlock": (_NO_LANDLOCK, r"there is no Landlock here .*; give this node what the others have, or take it out"),
}
# What is mounted at the results on a bad node.
BY_MOUNT = {
    "hidden": ("mount -t tmpfs none {there}", "it does not find in .* what this run wrote there: results must lie in a")
}
APART = ["unshare", "--user", "--map-root-user", "--mount"]


def environment_of(folder: Path, code: str) -> dict[str, str]:
    """Return variables with which every Python process of a node runs this code first."""
    folder.mkdir(parents=True)
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": f"{folder}:{REPOSITORY}"}


def mounting(command: str, there: Path) -> list[str]:
    """Return the words before a command that has this mounted at the results."""
    return [*APART, "sh", "-c", f'{command.format(there=shlex.quote(str(there)))} && exec "$@"', "sh"]
