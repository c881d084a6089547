"""Programs: their folders, their recipes, and the last words that they read."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import stat
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worker.support import ON, A, ask, build, pair, script, write_bot
from tournament.artifacts import archive
from tournament.artifacts.bot_toml import read_recipe
from tournament.config import load_config
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.errors import InputError, RunError
from tournament.leg import Unfit
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import programs

OFF = SandboxSettings(mode="off")

printable = st.characters(exclude_characters="/", exclude_categories=["C", "Zl", "Zp", "Zs"], include_characters=" ")
names = st.text(printable, min_size=1, max_size=30).filter(lambda name: name not in (".", "..", "__pycache__", ".git"))


paths = st.lists(names, min_size=1, max_size=3).map(lambda parts: Path(*parts))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(files=st.dictionaries(paths, st.tuples(st.binary(max_size=2000), st.booleans()), max_size=6))
def test_packed_folder_is_unpacked_unchanged(
    files: dict[Path, tuple[bytes, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    source, target = (tmp_path_factory.mktemp(name) for name in ("source", "target"))
    written = {}
    for path, (content, executable) in files.items():
        with contextlib.suppress(OSError):  # a file where a folder should be, or the reverse
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            (source / path).write_bytes(content)
            (source / path).chmod(0o755 if executable else 0o644)
            written[path] = (content, executable)
    packed = archive.pack(source)
    archive.unpack(packed, target)
    found = {
        path.relative_to(target): (path.read_bytes(), bool(path.stat().st_mode & stat.S_IXUSR))
        for path in target.rglob("*")
        if path.is_file()
    }
    assert found == written
    assert archive.pack(target) == packed


def test_folder_with_links_or_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bot(tmp_path / "bot", {"bot.toml": "", "big": "x" * 100})
    for target in ("/etc/passwd", "/etc"):
        (tmp_path / "bot" / "link").symlink_to(target)
        with pytest.raises(InputError, match="bot/link: a program's folder has plain files only"):
            archive.pack(tmp_path / "bot")
        (tmp_path / "bot" / "link").unlink()
    for limit, most, words in (("_MAX_ARCHIVED", 99, "larger than"), ("_MAX_FILES", 1, "more than 1 files")):
        monkeypatch.setattr(archive, limit, most)
        with pytest.raises(InputError, match=f"bot: {words}"):
            archive.pack(tmp_path / "bot")


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
        b"",
        b"this is none",
        archive_of(("../out", tarfile.REGTYPE, b"x")),
        archive_of(("/tmp/out", tarfile.REGTYPE, b"x")),
        archive_of(("a/../../out", tarfile.REGTYPE, b"x")),
        archive_of(("link", tarfile.SYMTYPE, b"")),
        archive_of(("hard", tarfile.LNKTYPE, b"")),
        archive_of(("device", tarfile.CHRTYPE, b"")),
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


RECIPES = {
    'comand = ["x"]': "bot.toml, line 1: unknown key comand; expected one of: command, build; did you mean command?",
    'command = ["x"]\n[more]\na = 1': "bot.toml, line 1: unknown key more; expected one of: command, build",
    "": 'bot.toml: lacks command, for example: command = ["python3", "bot.py"]',
    'build = ["x"]': "bot.toml: lacks command, for example",
    'command = "python3 bot.py"': "bot.toml, line 1: command must be a list of words",
    "\ncommand = []": "bot.toml, line 2: command must be a list of words",
    'command = ["x"]\n\nbuild = ["gcc", 1]': "bot.toml, line 3: build must be a list of words",
    'command = [""]': "bot.toml, line 1: command must be a list of words",
    'command = ["a\\u0000b"]': "bot.toml, line 1: command must be a list of words",
    "command = [": "bot.toml: ",
    "[" * 5000: "bot.toml: ",
}


@pytest.mark.parametrize("text", sorted(RECIPES), ids=range(len(RECIPES)))
def test_bad_recipe_is_reported_with_its_line(text: str) -> None:
    with pytest.raises(Unfit) as caught:
        read_recipe(text, "bot.toml")
    assert str(caught.value).startswith(RECIPES[text])
    assert "\n" not in str(caught.value)


FAILS = "echo a; echo why not >&2; exit 3"
# A bot.toml, and why its bot can't play.
UNFIT: dict[str, str] = {
    'command = ["no-such-program"]': "no-such-program is not installed on this machine",
    'command = ["./bot"]': "./bot is not in its folder",
    f'command = ["./x"]\nbuild = ["sh", "-c", "{FAILS}"]': f"its build (sh -c {FAILS}) ended with status 3\nwhy not\na",
    'command = ["sh", "-c", "echo weary >&2; exit 3"]': "can't start: ended with status 3 before it was asked anyth",
    "\xff=[": "bot.toml: ",
}


def test_program_that_cannot_play_gets_a_reason() -> None:
    entrants = build({f"bot{number}": {"bot.toml": recipe} for number, recipe in enumerate(UNFIT)})
    for entrant, words in zip(entrants, UNFIT.values(), strict=True):
        assert (entrant.problem or "fit").startswith(words)


def test_script_without_execute_permission_gets_a_fix(tmp_path: Path) -> None:
    write_bot(tmp_path / "bot", {"bot.toml": 'command = ["./x"]', "x": "#!/bin/sh"})
    (tmp_path / "bot" / "x").chmod(0o644)
    with pytest.raises(RunError, match=r"\./x can't be executed; chmod \+x it"):
        programs.launch_of(archive.pack(tmp_path / "bot"), ON, tmp_path, memory_megabytes=64, cpu_seconds=5)


LOOP = "read sessions\nwhile read line; do\n    echo ACTION 0\ndone\n"
ALWAYS = "import sys\nfor line in sys.stdin:\n    print('ACTION 0', flush=True)\n"
OF_WINDOWS = {
    "sh": {"bot.toml": 'command = ["./bot.sh"]', "bot.sh": f"#!/bin/sh\n{LOOP}"},
    "env": {"bot.toml": 'command = ["./bot.py"]', "bot.py": f"#!/usr/bin/env python3\n{ALWAYS}"},
    "read": {"bot.toml": 'command = ["sh", "./bot.sh"]', "bot.sh": LOOP},
    "built": {
        "bot.toml": 'command = ["./x"]\nbuild = ["make"]',
        "Makefile": "x:\n\tcp bot x\n\tchmod +x x\n",
        "bot": f"#!/bin/sh\n{LOOP}",
    },
    "python": {"bot.toml": 'command = [\n"python3",\n"bot.py"]\n', "bot.py": ALWAYS},
}


def test_program_with_windows_line_ends_and_byte_order_mark_plays() -> None:
    bots = {
        name: {path: "\ufeff" * (path == "bot.toml") + text.replace("\n", "\r\n") for path, text in files.items()}
        for name, files in OF_WINDOWS.items()
    }
    assert {entrant.name: entrant.problem for entrant in build(bots)} == dict.fromkeys(sorted(bots))


def test_program_reads_its_folder_and_writes_nowhere() -> None:
    folder = script("""
        import os, sys
        import other
        sys.stdin.readline()
        for line in sys.stdin:
            number = int(open("data.txt").read()) + other.NUMBER
            for path in ("data.txt", "new.txt", "/tmp/new.txt"):
                try: open(path, "w").close()
                except OSError: continue
                number += 1
            print("ACTION", number + 100 * len(os.environ))
        """)
    assert ask({**folder, "data.txt": "30", "other.py": "NUMBER = 7"}, [A] * 2).answers == [37, 37]


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
    """Scores are mean points per session."""
    x, y = Ear(tmp_path / "x"), Ear(tmp_path / "y")
    played = pair(x.program("ACTION 0"), y.program("ACTION 0"), Settings(sessions=3), OFF, kinds=" ")
    mean = played.result.sums[0].points / 3
    assert mean != 0
    assert [x.heard(), y.heard()] == [f"SCORE {mean:.6f}\nend\n", f"SCORE {-mean:.6f}\nend\n"]


@pytest.mark.usefixtures("read_to_the_end")
def test_program_that_breaks_protocol_receives_minus_one(tmp_path: Path) -> None:
    """Opponents receive it once, because the leg has no score."""
    x, y = Ear(tmp_path / "x"), Ear(tmp_path / "y")
    played = pair(x.program("ACTION RAISE 5"), y.program("ACTION 0"), Settings(max_faults=2), OFF, kinds=" ")
    assert [fault.message for fault in played.faults] == ["wrote an ACTION that is no JSON: ACTION RAISE 5"] * 3
    assert (x.heard(), y.heard()) == (3 * "-1\nend\n", "-1\nend\n")


def test_readable_paths_are_relative_to_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths don't depend on the working folder. Errors name missing ones."""
    place = tmp_path / "contest"
    (place / "libs").mkdir(parents=True)
    (place / "libs" / "word").write_text("ACTION 0\n")
    (place / "tournament.toml").write_text('[sandbox]\nreadable_paths = ["libs"]\n[von_neumann_poker]\n')
    monkeypatch.chdir(tmp_path)
    sandbox = load_config("von_neumann_poker", place / "tournament.toml").sandbox
    word = str(place / "libs" / "word")
    reads = f"import sys\nsys.stdin.readline()\nfor line in sys.stdin: print(open({word!r}).read(), end='')"
    assert ask(script(reads), [A], sandbox=sandbox).what == []
    shutil.rmtree(place / "libs")
    with pytest.raises(InputError, match=rf"\[sandbox\] readable_paths: no such file or folder: {place / 'libs'}"):
        build({"bot": script("input()")}, sandbox)
