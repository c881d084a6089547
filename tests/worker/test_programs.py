"""Programs: their folders, their recipes, and the last words that they read."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.worker.support import ON, A, ask, build, pair, script, write_bot
from tournament.artifacts import archive
from tournament.config import load_config
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.errors import InputError, RunError
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import programs

OFF = SandboxSettings(mode="off")


def test_packed_folder_is_unpacked_unchanged(tmp_path: Path) -> None:
    files = {"bot": b"\0\xff" * 999, "a b/\N{SNOWMAN}": b"", "a b/c/run": b"#!/bin/sh"}
    for name, content in files.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(content)
    (tmp_path / "in" / "a b/c/run").chmod(0o755)
    (tmp_path / "out").mkdir()
    packed = archive.pack(tmp_path / "in")
    archive.unpack(packed, tmp_path / "out")
    for name, content in files.items():
        path = tmp_path / "out" / name
        assert path.read_bytes() == content and bool(path.stat().st_mode & stat.S_IXUSR) is name.endswith("run")
    assert archive.pack(tmp_path / "out") == packed


def archive_of(*entries: tuple[str, bytes, bytes]) -> bytes:
    """Return an archive of (name, type, content) that no program of ours writes."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as opened:
        for name, kind, data in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname, entry.size = kind, "/etc/passwd", len(data)
            opened.addfile(entry, io.BytesIO(data))
    return content.getvalue()


@pytest.mark.parametrize(
    "damaged",
    [
        b"this is none",
        archive_of(("../out", tarfile.REGTYPE, b"x")),
        archive_of(("/tmp/out", tarfile.REGTYPE, b"x")),
        archive_of(("link", tarfile.SYMTYPE, b"")),
        archive_of(("hard", tarfile.LNKTYPE, b"")),
        archive_of(("a", tarfile.REGTYPE, b"x"), ("a/b", tarfile.REGTYPE, b"x")),
        archive_of(("a", tarfile.REGTYPE, b"x" * 2000))[:1000],
    ],
)
def test_damaged_archive_is_refused(damaged: bytes, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(RunError, match="a program's archive is damaged"):
        archive.unpack(damaged, tmp_path / "in")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert not any(path.is_symlink() for path in (tmp_path / "in").iterdir())


FAILS = "echo a; echo why not >&2; exit 3"
# A bot.toml, and why its bot can't play.
UNFIT: dict[str, str] = {
    'comand = ["x"]': "bot.toml, line 1: unknown key comand; expected one of: command, build; did you mean command?",
    'build = ["x"]': 'bot.toml: lacks command, for example: command = ["python3", "bot.py"]',
    "\ncommand = []": "bot.toml, line 2: command must be a list of words",
    'command = ["x"]\n\nbuild = ["gcc", 1]': "bot.toml, line 3: build must be a list of words",
    'command = ["a\\u0000b"]': "bot.toml, line 1: command must be a list of words",
    "[" * 3000: "bot.toml: ",
    "\xff=[": "bot.toml: ",
    'command = ["no-such-program"]': "no-such-program is not installed on this machine",
    'command = ["./bot"]': "./bot is not in its folder",
    f'command = ["./x"]\nbuild = ["sh", "-c", "{FAILS}"]': f"its build (sh -c {FAILS}) ended with status 3\nwhy not\na",
    'command = ["sh", "-c", "echo weary >&2; exit 3"]': "can't start: ended with status 3 before it was asked anyth",
}


def test_program_that_cannot_play_gets_a_reason() -> None:
    entrants = build({f"bot{number:02}": {"bot.toml": recipe} for number, recipe in enumerate(UNFIT)})
    for entrant, words in zip(entrants, UNFIT.values(), strict=True):
        assert (entrant.problem or "fit").startswith(words)


def test_script_without_execute_permission_gets_a_fix(tmp_path: Path) -> None:
    write_bot(tmp_path / "bot", {"bot.toml": 'command = ["./x"]', "x": "#!/bin/sh"})
    (tmp_path / "bot" / "x").chmod(0o644)
    with pytest.raises(RunError, match=r"\./x can't be executed; chmod \+x it"):
        programs.launch_of(archive.pack(tmp_path / "bot"), ON, tmp_path, memory_megabytes=64, cpu_seconds=5)


LOOP = "read sessions\nwhile read line; do\n    echo ACTION 0\ndone\n"
ALWAYS = "#!/usr/bin/env python3\nimport sys\nfor line in sys.stdin:\n    print('ACTION 0', flush=True)\n"
OF_WINDOWS = {
    "env": {"bot.toml": 'command = ["./bot.py"]', "bot.py": ALWAYS},
    "read": {"bot.toml": 'command = [\n"sh",\n"./bot.sh"]\n', "bot.sh": LOOP},
    "built": {
        "bot.toml": 'command = ["./x"]\nbuild = ["make"]',
        "Makefile": "x:\n\tcp bot x\n\tchmod +x x\n",
        "bot": f"#!/bin/sh\n{LOOP}",
    },
}


def test_program_with_windows_line_ends_and_byte_order_mark_plays() -> None:
    bots = {
        name: {path: "\ufeff" * (path == "bot.toml") + text.replace("\n", "\r\n") for path, text in files.items()}
        for name, files in OF_WINDOWS.items()
    }
    assert {entrant.name: entrant.problem for entrant in build(bots)} == dict.fromkeys(sorted(bots))


LISTENING = """
    import sys
    from pathlib import Path
    sys.stdin.readline()
    for line in sys.stdin:
        if line.startswith("{{"):
            print({answer!r})
        else:
            Path({pipe!r}).write_text(line)
    Path({pipe!r}).write_text("end\\n")
"""


@dataclass
class Ear:
    """A named pipe into which programs copy what they read."""

    path: Path

    def __post_init__(self) -> None:
        os.mkfifo(self.path)
        self.descriptor = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)

    def program(self, answer: str) -> dict[str, str]:
        return script(LISTENING.format(answer=answer, pipe=str(self.path)))

    def heard(self) -> str:
        text = os.read(self.descriptor, 10_000).decode()
        os.close(self.descriptor)
        return text.removeprefix("end\n")  # The trial writes this, too.


@pytest.mark.usefixtures("read_to_the_end")
def test_programs_receive_their_scores(tmp_path: Path) -> None:
    """Scores are mean points per session. After a fault, programs receive -1, because the leg has no score."""
    x, y = Ear(tmp_path / "x"), Ear(tmp_path / "y")
    played = pair(x.program("ACTION 0"), y.program("ACTION 0"), Settings(sessions=3), OFF, kinds=" ")
    mean = played.result.sums[0].points / 3
    assert mean != 0
    assert [x.heard(), y.heard()] == [f"SCORE {mean:.6f}\nend\n", f"SCORE {-mean:.6f}\nend\n"]
    x, y = Ear(tmp_path / "breaks"), Ear(tmp_path / "other")
    played = pair(x.program("ACTION RAISE 5"), y.program("ACTION 0"), Settings(max_faults=2), OFF, kinds=" ")
    assert [fault.message for fault in played.faults] == ["wrote an ACTION that is no JSON: ACTION RAISE 5"] * 3
    assert (x.heard(), y.heard()) == (3 * "-1\nend\n", "-1\nend\n")


def test_readable_paths_are_relative_to_settings(tmp_path: Path) -> None:
    """Errors name missing ones."""
    (tmp_path / "libs").mkdir()
    (tmp_path / "libs" / "word").write_text("ACTION 0\n")
    (tmp_path / "tournament.toml").write_text('[sandbox]\nreadable_paths = ["libs"]\n[von_neumann_poker]\n')
    sandbox = load_config("von_neumann_poker", tmp_path / "tournament.toml").sandbox
    word = str(tmp_path / "libs" / "word")
    reads = f"import sys\nsys.stdin.readline()\nfor line in sys.stdin: print(open({word!r}).read(), end='')"
    assert ask(script(reads), [A], sandbox=sandbox).what == []
    shutil.rmtree(tmp_path / "libs")
    with pytest.raises(InputError, match=rf"\[sandbox\] readable_paths: no such file or folder: {tmp_path / 'libs'}"):
        build({"bot": script("input()")}, sandbox)
