"""A source builds to the same bytes everywhere, or is refused in the same words, whatever the machine around it has."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.support import build_folder
from tournament.artifacts import compiler_command, libraries
from tournament.cache import cache_folder
from tournament.sandbox.outside.settings import SandboxSettings

ANSWERS = "int a(const Bot *bot) { return 18 + SEEN; }\nint b(const Bot *bot, const int bet) { return 1; }\n"
# Files that one machine has and another hasn't. MARK lies beside the tests; another machine may let no one read it.
ELSEWHERE = (
    *("MARK", "/etc/hostname", "/etc/ld.so.cache", "/etc/passwd", "/proc/self/status", "/proc/version", "/dev/null"),
    *("/usr/include/stdio.h", "/lib/x86_64-linux-gnu/libc.so.6", "../../../../../../etc/hostname"),
    *("../seen.json", "seen.json", "../runtime.o", "runtime.o", "unit.o", "../unit.o", "../output.wasm"),
    *(str(compiler_command.home() / "zig"), str(compiler_command.home() / "lib" / "include" / "stddef.h")),
    *(str(VON_NEUMANN_POKER.interface.folder / "adapter.h"), "/sdk/new_bot.c", "/proc/self/cwd/unit.c", "/"),
)
ASKS = "#define SEEN 0\n" + "".join(
    f'#if __has_{how}("{path}"){also}\n#undef SEEN\n#define SEEN 24\n#endif\n'
    for path in ELSEWHERE
    for how, also in (("include", ""), ("include_next", ""), ("embed", " == 1"))
)
HOSTILE = {
    "plain.c": "#define SEEN 0\n" + ANSWERS,
    "plain.cpp": "#define SEEN 0\n" + ANSWERS,
    # Orders to the compiler and the linker that mean nothing here.
    "orders.c": '#pragma comment(lib, "/etc/passwd")\n#pragma comment(linker, "--export=foo")\n'
    "#pragma GCC system_header\n"
    '#pragma push_macro("Bot")\n#pragma GCC optimize("-fplugin=MARK")\n#pragma clang plugin MARK\n'
    "#pragma clang __debug crash\n#pragma clang __debug overflow_stack\n#pragma clang __debug llvm_fatal_error\n"
    '__attribute__((section("producers"))) const int made = 5;\n#define SEEN 0\n' + ANSWERS,
    # What asks whether a file is there builds, and finds none.
    "asks.c": ASKS + ANSWERS,
    "asks.cpp": ASKS + ANSWERS,
    "includes.c": '#include "MARK"\n#define SEEN 0\n' + ANSWERS,
    "embeds.c": 'const char file[] = {\n#embed "MARK" if_empty(0)\n};\n#define SEEN file[0]\n' + ANSWERS,
    # The assembler opens files by itself. Each line is refused, so one source can try them all.
    "assembles.c": "".join(
        f"__asm__({line});\n"
        for line in (
            r'".section .data.file,\"\",@\nfile: .incbin \"MARK\"\n"',
            r'".include \"MARK\"\n"',
            r'".ifdef __linux__\n.endif\n"',
        )
    )
    + '#define SEEN ({ __asm__("local.get 0\\n.incbin \\"MARK\\"\\n"); 0; })\n'
    + ANSWERS,
    "tells_time_and_place.cpp": "#include <vector>\n#include <cassert>\n"
    "static const char *told[] = { __FILE__, __BASE_FILE__, __FILE_NAME__, __DATE__, __TIME__, __TIMESTAMP__ };\n"
    "static int sum() { int s = __COUNTER__; for (auto t : told) for (; *t; t++) s = s * 31 + *t; return s; }\n"
    "#define SEEN (assert(bot->card < 2), std::vector<int>(7).at(sum() & 3))\n" + ANSWERS,
}


def outcomes(folder: Path, monkeypatch: pytest.MonkeyPatch, mark: str) -> dict[str, bytes | str]:
    """Build sources as on a machine whose scratch, cache and bots are in a folder. Return artifacts or problems."""
    # Libraries of the compiler take a minute to build; on another machine they are the same.
    kept = cache_folder() / "libraries"
    libraries.prepare_libraries(("c", "cpp"), SandboxSettings(), lambda _text: None)
    cache, scratch, bots = (folder / name for name in ("cache", "scratch", "bots"))
    for made in (scratch, bots):
        made.mkdir(parents=True)
    shutil.copytree(kept, cache / "libraries", ignore=shutil.ignore_patterns("made"))
    for parent in (cache, cache / "libraries"):
        parent.chmod(0o700)
    sources = {
        file.replace(".", f"_{file.partition('.')[2]}."): text.replace("MARK", mark) for file, text in HOSTILE.items()
    }
    with monkeypatch.context() as there:
        there.setenv("TOURNAMENT_CACHE", str(cache))
        there.setattr(tempfile, "tempdir", str(scratch))
        built = build_folder(bots, sources)
    return {name: entrant.artifact or str(entrant.problem) for name, entrant in built.items()}


@pytest.mark.slow
def test_source_builds_the_same_on_every_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "mark"
    here = outcomes(tmp_path / "here", monkeypatch, str(mark))
    mark.write_text("24")
    assert here == outcomes(tmp_path / "elsewhere" / "with" / "longer names", monkeypatch, str(mark))
    for name, outcome in here.items():
        assert isinstance(outcome, bytes) == name.startswith(("plain", "orders", "asks", "tells")), (name, outcome)
        assert str(compiler_command.home()) not in str(outcome), outcome
    assert here["orders_c"] == here["asks_c"] == here["plain_c"], "they see a file"
    assert here["asks_cpp"] == here["plain_cpp"], "it sees a file"
