"""The C and C++ compiler's command line: zig's clang for WebAssembly. The only module that knows ziglang."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from functools import cache
from pathlib import Path

from tournament.artifacts.limits import BOT_STACK

# By language, the newest first: a bot that builds by one of them plays. None is stricter here than in gcc.
STANDARDS = {"c": ("gnu17", "gnu89"), "cpp": ("gnu++17", "gnu++11", "gnu++98")}
LANGUAGES = tuple(STANDARDS)
LANGUAGE_NAMES = {"c": "C", "cpp": "C++"}
BOT_FOLDER = "bot"  # beside the unit that includes the bot, so that no bot's file has the name of one of ours
HEADERS = Path(__file__).with_name("headers")  # before the compiler's own of these names
# Without instructions for blocks of memory, which take a unit of fuel a byte: see bot_runtime/blocks.c.
_CPU = "generic-bulk_memory-bulk_memory_opt"
_FLAGS = [
    "-target",
    "wasm32-wasi",
    # The driver turns -O3 into -O2, so the compiler proper is told, too.
    "-O3",
    "-Xclang",
    "-O3",
    "-mexec-model=reactor",
    f"-mcpu={_CPU}",
    "-fno-sanitize=all",
    # A failed assertion is a fault, whose words are the assertion's.
    "-UNDEBUG",
    # C as people write it: old habits warn elsewhere, so they build here, and overflow wraps.
    "-fwrapv",
    "-fno-strict-aliasing",
    # Likewise a fraction too large for a whole type becomes the type's largest, and NaN 0.
    "-fno-strict-float-cast-overflow",
]
WITHOUT_WARNINGS = "-w"
WARNINGS = ["-Wall", "-Wno-date-time"]
_LANGUAGE_FLAGS = {
    "c": [
        "-Wno-error=implicit-int",
        "-Wno-error=implicit-function-declaration",
        "-Wno-error=int-conversion",
        "-Wno-error=incompatible-pointer-types",
        "-Wno-error=incompatible-function-pointer-types",
        "-Wno-error=return-mismatch",
        "-Wno-error=return-type",
    ],
    "cpp": ["-fexceptions", "-Wno-error=register", "-Wno-error=c++11-narrowing"],
}
# Tried first: code that cleans up after throws would slow down bots that never throw.
WITHOUT_EXCEPTIONS = ["-fno-exceptions"]
EXCEPTIONS = ["-fwasm-exceptions", "-mllvm", "-wasm-use-legacy-eh=false", f"-mcpu={_CPU}+exception_handling"]
# The linker puts the stack below the data, so that an overflow traps instead of writing over it.
LINK_FLAGS = [f"-Wl,-z,stack-size={BOT_STACK}", "-s"]
STRIP = ("-s", "--strip-all")  # the last of these, and its name for the linker
LINES = "-gline-tables-only"
# Where bot_runtime/assertions.c tells which assertion failed.
EXPORT = "--export-if-defined=tournament_assertion"
# Below the compiler's lib/. Left out: locale.cpp, which takes as long as the rest and throws for unknown locales only.
SOURCES_THAT_THROW = tuple(
    f"{folder}/src/{name}.cpp"
    for folder, names in {
        "libcxxabi": "cxa_aux_runtime cxa_default_handlers cxa_exception cxa_exception_storage cxa_handlers"
        " cxa_personality cxa_vector fallback_malloc private_typeinfo stdlib_exception stdlib_new_delete",
        "libcxx": "exception hash ios ios.instantiations new_helpers stdexcept string system_error valarray vector",
    }.items()
    for name in names.split()
)
HEADERS_OF_LIBRARY = ("libcxxabi/src", "libcxxabi/include", "libcxx/src", "libunwind/include", "libunwind/src")
FLAGS_OF_LIBRARY = [
    "-Os",
    "-Xclang",
    "-Os",
    "-std=c++23",
    "-DNDEBUG",
    "-D_LIBCXXABI_BUILDING_LIBRARY",
    "-D_LIBCXXABI_HAS_NO_THREADS",
    "-DLIBCXXABI_SILENT_TERMINATE",
    "-D_LIBCPP_BUILDING_LIBRARY",
    "-DLIBCXX_BUILDING_LIBCXXABI",
    "-D_LIBUNWIND_HIDE_SYMBOLS",
]
EXCEPTIONS_SOURCE = Path(__file__).with_name("bot_exceptions.cpp")


@cache
def version() -> str:
    """All that the bytes of a build depend on besides the source."""
    by_language = [word for kind in LANGUAGES for word in (*STANDARDS[kind], *_LANGUAGE_FLAGS[kind])]
    of_exceptions = [*EXCEPTIONS, *FLAGS_OF_LIBRARY, *SOURCES_THAT_THROW]
    flags = [*_FLAGS, *by_language, *LINK_FLAGS, EXPORT, *of_exceptions]
    headers = [path.read_text() for path in sorted(HEADERS.rglob("*.h"))]
    return " ".join(["ziglang", importlib.metadata.version("ziglang"), *flags, *headers])


@cache
def digest() -> str:
    """The sha256 of the `version`, in hex."""
    return hashlib.sha256(version().encode()).hexdigest()


def language_of(standard: str) -> str:
    """The language of one of the STANDARDS."""
    return next(kind for kind, standards in STANDARDS.items() if standard in standards)


def command(standard: str, include: Path) -> list[str]:
    """The compiler's command with the flags of every bot; `include` is a folder that its messages don't name."""
    kind = language_of(standard)
    driver = "cc" if kind == "c" else "c++"
    # Files' paths in the output are the same on every machine.
    same_paths = [
        f"-ffile-prefix-map={path}={name}" for path, name in ((home(), "zig"), (include, "sdk"), (HEADERS, "zig"))
    ]
    flags = [*_FLAGS, f"-std={standard}", *_LANGUAGE_FLAGS[kind], f"-I{HEADERS}"]
    return [zig(), driver, *flags, *same_paths]


@cache
def home() -> Path:
    """Where the compiler is installed."""
    found = importlib.util.find_spec("ziglang")
    assert found is not None and found.submodule_search_locations is not None
    return Path(found.submodule_search_locations[0])


def zig() -> str:
    """The compiler's program."""
    return str(home() / "zig")
