"""The compiler's libraries: built of nothing of strangers, both at once, kept, and built again when damaged."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tournament.artifacts import compiler_command, libraries
from tournament.sandbox.outside import run_command
from tournament.sandbox.outside.launch import Build, LaunchSpec
from tournament.sandbox.outside.run_command import Finished
from tournament.sandbox.outside.settings import SandboxSettings


@dataclass
class Compiler:
    """Stands in for the compiler: makes a library, and says with what it would link."""

    built: list[str] = field(default_factory=list)
    together: threading.Barrier | None = None

    def run(self, launch: LaunchSpec, mode: str, seconds: float) -> Finished:
        build = launch.what
        assert isinstance(build, Build) and launch.folder
        assert mode == "off" and not build.watched and launch.readable[1:] == [str(compiler_command.HEADERS)]
        unit = next(word for word in build.commands[-1] if word.startswith("library.c"))
        if self.together:
            self.together.wait(60)
        self.built.append(unit)
        library = Path(build.writable[1], f"lib{unit}.a")
        library.write_bytes(unit.encode() * 100)
        (launch.folder / "library.wasm").touch()
        return Finished(0, b"", f"error: no\nwasm-ld -s {library} library.o -o library.wasm\n".encode(), False)


@pytest.fixture
def standing_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compiler:
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path / "cache"))
    made = Compiler()
    monkeypatch.setattr(run_command, "run", made.run)
    return made


def prepare(*kinds: str) -> list[str]:
    """Have libraries built. Return the messages."""
    said: list[str] = []
    libraries.prepare_libraries(kinds, SandboxSettings(), said.append)
    return said


def test_only_missing_or_damaged_libraries_are_built(standing_in: Compiler) -> None:
    standing_in.together = threading.Barrier(2)
    (said,) = prepare("cpp", "c")
    assert "the compiler's C and C++ libraries, once on this machine" in said
    assert sorted(standing_in.built) == ["library.c", "library.cpp"]
    assert prepare("c", "cpp") == prepare("c") == prepare() == [] and len(standing_in.built) == 2
    standing_in.together = None
    library = libraries.libraries_of("cpp") / "liblibrary.cpp.a"
    library.write_bytes(b"other")
    (said,) = prepare("c", "cpp")
    assert "C++ library, once" in said and standing_in.built[2:] == ["library.cpp"]
    assert library.read_bytes() == b"library.cpp" * 100
