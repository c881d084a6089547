"""Processes that play read what they need, and nothing else; what they may read is in memory before they start."""

from __future__ import annotations

import ctypes
import mmap
import os
import shutil
import struct
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.processes import wait_until
from tests.worker.support import ON, build
from tournament.artifacts import commands, python_artifact
from tournament.leg import Unfit
from tournament.sandbox.outside import fork_server, libraries, readable_paths, run_command
from tournament.sandbox.outside.launch import ForkServer, LaunchSpec, ProcessLimits, Program
from tournament.worker.processes import python_bots

INTERFACE = VON_NEUMANN_POKER.interface


def raised_by(source: str) -> str:
    """What a Python bot's file says when it starts."""
    artifact = python_artifact.pack(source.encode(), ON, INTERFACE.python.sdk)
    with pytest.raises(Unfit) as caught:
        python_bots.try_start(artifact, "bot", INTERFACE, ON, memory_megabytes=64)
    return str(caught.value)


def strange_libraries() -> list[str]:
    """The system's libraries that an interpreter doesn't load."""
    needed = {os.path.realpath(path) for path in libraries.closure(readable_paths.paths(shell("true"), {}))}
    found = {os.path.realpath(path) for folder in libraries.library_folders() for path in Path(folder).glob("lib*.so*")}
    if not found - needed:
        pytest.skip("this machine has no library but those of its interpreter")
    return sorted(found - needed)


def shell(script: str, *more: str) -> LaunchSpec:
    command = commands.find_command("sh", Path("/"))
    return LaunchSpec(
        Program([command, "-c", script]), ProcessLimits(256, 10), readable=[*commands.read_by(command), *more]
    )


def test_builds_read_the_same_libraries_if_the_interpreter_does_not_know_debians_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = readable_paths.system_libraries()
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _name: None)
    libraries.library_folders.cache_clear()
    readable_paths.system_libraries.cache_clear()
    assert readable_paths.system_libraries() == known


def test_python_bot_opens_no_library_that_it_does_not_need() -> None:
    tries = f"""
opened = []
for path in {strange_libraries()!r}:
    try:
        open(path, "rb")
        opened.append(path)
    except PermissionError:
        pass
raise ValueError(f"opened {{opened}}")
"""
    assert "opened []" in raised_by(tries)
    assert "opened True" in raised_by(f"raise ValueError('opened', open({os.__file__!r}).readable())").replace(
        "', ", " "
    )


def test_program_opens_no_library_that_it_does_not_need(tmp_path: Path) -> None:
    strange = strange_libraries()[0]
    (tmp_path / "own").write_text("own")
    for path, words in ((strange, b"ermission denied"), (tmp_path / "own", b"")):
        launch = shell(f"read x < {path}; echo $x", str(tmp_path))
        done = run_command.finish(fork_server.start(launch, "on"), launch, 20)
        assert words in done.errors and (words or done.output == b"own\n")


def elf(needed: list[str], folders: str = "", loader: str = "") -> bytes:
    """The smallest file that says that it loads these, looked for in these folders first."""
    texts, places = b"\0", []
    for text in (*needed, folders, loader):
        places.append(len(texts))
        texts += text.encode() + b"\0"
    entries = [(1, place) for place in places[: len(needed)]] + [(29, places[-2]), (5, 0x1000), (0, 0)]
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    at = 64 + 3 * 56
    headers = struct.pack("<IIQQQQQQ", 1, 4, at, 0x1000, 0, len(texts), len(texts), 1)
    headers += struct.pack("<IIQQQQQQ", 2, 4, at + len(texts), 0x2000, 0, len(dynamic), len(dynamic), 8)
    headers += struct.pack("<IIQQQQQQ", 3, 4, at + places[-1], 0x1000, 0, len(loader) + 1, len(loader) + 1, 1)
    start = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 3, 0, 0, 0
    )
    return start + headers + texts + dynamic


def test_bot_makes_no_other_file_readable_by_naming_it(tmp_path: Path) -> None:
    """Its own files may say that they load what they like: only the system's libraries are meant."""
    bot, secret = tmp_path / "bot", tmp_path / "secret"
    for folder in (bot, secret):
        folder.mkdir()
    (secret / "opponent.so").write_bytes(elf([]))
    strange = strange_libraries()[0]
    names = [str(secret / "opponent.so"), "opponent.so", "/etc/passwd", "libc.so.6", strange]
    (bot / "liar").write_bytes(elf(names, str(secret), str(secret / "opponent.so")))
    launch = replace(shell("exit 0", str(bot), str(bot / "liar")), folder=bot)
    allowed = {os.path.realpath(path) for path in readable_paths.paths(replace(launch, what=ForkServer("program")), {})}
    assert strange in allowed and str(bot) in allowed
    assert not [path for path in allowed if path.startswith((str(secret), "/etc/passwd"))]


def test_what_lies_in_readable_folder_has_no_rule_of_its_own_unless_it_leads_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "file").write_text("own")
    (tmp_path / "elsewhere").write_text("shown")
    (tmp_path / "bot" / "link").symlink_to(tmp_path / "elsewhere")
    within = [str(tmp_path / "bot" / name) for name in ("file", "link")]
    launch = shell(f"read x < {within[1]}; echo $x", str(tmp_path / "bot"), *within)
    allowed = readable_paths.paths(replace(launch, what=ForkServer("program")), {})
    assert [path for path in allowed if path.startswith(str(tmp_path))] == [str(tmp_path / "bot"), within[1]]
    assert run_command.finish(fork_server.start(launch, "on"), launch, 20).output == b"shown\n"


def test_bot_names_no_more_libraries_than_can_be_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "greedy").write_bytes(elf(strange_libraries()))
    spec = replace(shell("exit 0", str(tmp_path)), folder=tmp_path, what=ForkServer("program"))
    everything = readable_paths.paths(spec, {})
    size = sum(os.path.getsize(path) for path in everything if os.path.isfile(path))
    monkeypatch.setattr(readable_paths, "MAX_WARM", size // 2)
    less = readable_paths.paths(spec, {})
    assert {*less} < {*everything}


@pytest.mark.parametrize("name", ["sh", "perl", "node", "python3", "java"])
def test_closure_has_what_the_systems_loader_loads(name: str) -> None:
    command = shutil.which(name, path=commands.PATH)
    if command is None or shutil.which("ldd") is None:
        pytest.skip(f"there is no {name} here, or no ldd")
    said = subprocess.run(["ldd", os.path.realpath(command)], capture_output=True, text=True, check=True).stdout
    loaded = {word for line in said.splitlines() for word in line.split() if word.startswith("/")}
    found = {os.path.realpath(path) for path in libraries.closure([command])}
    assert loaded and {os.path.realpath(path) for path in loaded} <= found


def test_closure_of_damaged_files_is_what_they_are(tmp_path: Path) -> None:
    content = Path(readable_paths.interpreter()).read_bytes()
    for cut in (6, 40, 64, 100, 300, 4000):
        (tmp_path / f"cut{cut}").write_bytes(content[:cut])
        (tmp_path / f"zeros{cut}").write_bytes(content[:cut] + bytes(5000))
        (tmp_path / f"ones{cut}").write_bytes(content[:cut] + b"\xff" * 5000)
    assert {path for path in libraries.closure([str(tmp_path)]) if str(tmp_path) in path}


def resident(path: Path) -> float:
    """Which part of a file's pages is in memory."""
    libc = ctypes.CDLL(None, use_errno=True)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as content:
        count = -(-len(content) // mmap.PAGESIZE)
        pages = (ctypes.c_ubyte * count)()
        start = ctypes.addressof(ctypes.c_char.from_buffer(content))
        assert libc.mincore(ctypes.c_void_p(start), ctypes.c_size_t(len(content)), pages) == 0
        found = sum(page & 1 for page in pages) / count
        del start
    return found


@contextmanager
def cold_file(path: Path, megabytes: int) -> Iterator[Path]:
    path.write_bytes(os.urandom(megabytes << 20))
    with path.open("rb") as file:
        os.fsync(file.fileno())

        def forget() -> bool:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            return resident(path) < 0.5

        if not wait_until(forget, 5):
            pytest.skip("this file system keeps what it was told to forget")
    yield path


def test_what_processes_may_read_is_in_memory_before_they_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    with cold_file(tmp_path / "inner" / "file", 8) as file, cold_file(tmp_path / "other", 8) as other:
        launch = shell("exit 0", str(tmp_path / "inner"))
        assert run_command.finish(fork_server.start(launch, "on"), launch, 20).status == 0
        assert resident(file) == 1.0
        os.link(file, tmp_path / "same")
        places = [str(file), str(tmp_path / "same"), str(other)]
        monkeypatch.setattr(readable_paths, "MAX_WARM", 8 << 20)
        readable_paths.warm(places)
        assert resident(other) < 0.5
        monkeypatch.setattr(readable_paths, "MAX_WARM", 16 << 20)
        readable_paths.warm(places)
        assert resident(other) == 1.0


def test_place_is_read_into_memory_again_after_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = readable_paths._read
    found: list[str] = []

    def noted(path: str, *more: Any) -> int:
        found.append(path)
        return read(path, *more)

    monkeypatch.setattr(readable_paths, "_read", noted)
    (tmp_path / "file").write_text("content")
    now = time.monotonic()
    for seconds, times in ((0, 1), (50, 1), (70, 2)):
        monkeypatch.setattr(time, "monotonic", lambda seconds=seconds: now + seconds)
        readable_paths.warm([str(tmp_path)])
        assert found == [str(tmp_path / "file")] * times


def test_bot_cannot_advise_the_system_about_files() -> None:
    """Neither forget pages, nor read them ahead or at once."""
    tries = """
import mmap
refused = []
with open(mmap.__file__ if hasattr(mmap, "__file__") else __file__, "rb") as file:
    content = mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ)
    for advice in (3, 9, 20, 21, 22, 23):
        try:
            content.madvise(advice)
        except OSError:
            refused.append(advice)
raise ValueError(f"refused {refused}")
"""
    assert "refused [3, 9, 20, 21, 22, 23]" in raised_by(tries)


def test_interpreters_import_as_programs() -> None:
    """What their own libraries need is there: modules in C among it."""
    source = {"bot.toml": 'command = ["python3", "bot.py"]\n', "bot.py": "import ctypes, json, ssl, sqlite3, decimal\n"}
    (entrant,) = build({"bot": {**source, "bot.py": source["bot.py"] + "input()\n"}})
    assert entrant.problem is None
