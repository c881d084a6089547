"""The command line of the C and C++ compiler, zig's clang for WebAssembly. No other module knows ziglang."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tournament.artifacts.limits import BOT_STACK

# Standards by language, in the order in which they are tried. None is stricter than in gcc.
STANDARDS = {"c": ("gnu17", "gnu2x", "gnu89"), "cpp": ("gnu++17", "gnu++20", "gnu++11", "gnu++98")}
LANGUAGES = tuple(STANDARDS)
LANGUAGE_NAMES = {"c": "C", "cpp": "C++"}
# Folders beside the unit: for the organiser's adapter, and for the bot, whose file could have the name of one of ours.
ADAPTER_FOLDER = "adapter"
BOT_FOLDER = "bot"
HEADERS = Path(__file__).with_name("headers")  # replace the compiler's headers of these names


def _to_the_compiler_proper(*words: str) -> list[str]:
    """Return options for the compiler proper, which its driver doesn't know."""
    return [given for word in words for given in ("-Xclang", word)]


_FLAGS = [
    *("-target", "wasm32-wasi"),
    # The driver turns -O3 into -O2, so the compiler proper gets it, too.
    *("-O3", *_to_the_compiler_proper("-O3")),
    *("-mexec-model=reactor", "-mcpu=generic", "-fno-sanitize=all"),
    # A failed assertion is a fault with the assertion's text.
    "-UNDEBUG",
    # Accept C as people write it: old habits build, and overflow wraps.
    *("-fwrapv", "-fno-strict-aliasing"),
    # A float too large for an integer type becomes the type's maximum, and NaN becomes 0.
    "-fno-strict-float-cast-overflow",
    # A function without a return statement returns if its value isn't used. An endless loop doesn't end.
    *("-fno-strict-return", "-fno-finite-loops"),
    # The C library's replacements for signals and other parts of an operating system.
    *(f"-D_WASI_EMULATED_{what}" for what in ("SIGNAL", "PROCESS_CLOCKS", "GETPID", "MMAN")),
]
EMULATING = [f"-lwasi-emulated-{what}" for what in ("signal", "process-clocks", "getpid", "mman")]
# For sources that would take the compiler too long. Its passes, also those of -O1, take time by the square of a
# function's size.
NOT_OPTIMISED = ["-O1", *_to_the_compiler_proper("-O1", "-disable-llvm-passes")]
# Text before a bot whose names clash with the library's, so that only the bot's own headers are included.
BARE = "#define TOURNAMENT_BARE\n#define _LIBCPP_REMOVE_TRANSITIVE_INCLUDES\n"
WITHOUT_WARNINGS = "-w"
WARNINGS = ["-Wall", "-Wno-date-time"]
_OLD_HABITS = (
    *("implicit-int", "implicit-function-declaration", "int-conversion", "incompatible-pointer-types"),
    *("incompatible-function-pointer-types", "return-mismatch", "return-type"),
)
_LANGUAGE_FLAGS = {
    "c": [f"-Wno-error={warning}" for warning in _OLD_HABITS],
    "cpp": ["-fexceptions", "-Wno-error=register", "-Wno-error=c++11-narrowing"],
}
# Tried first: code that cleans up after throws would slow down bots that never throw.
WITHOUT_EXCEPTIONS = ["-fno-exceptions"]
EXCEPTIONS = ["-fwasm-exceptions", "-mllvm", "-wasm-use-legacy-eh=false"]
EXCEPTIONS += _to_the_compiler_proper("-target-feature", "+exception-handling")
# The linker puts the stack below the data, so that an overflow traps instead of writing over it.
LINK_FLAGS = [f"-Wl,-z,stack-size={BOT_STACK}", "-s"]
STRIP = ("-s", "--strip-all")  # the flag's names for the compiler and the linker
LINES = "-gline-tables-only"
# Functions that bot_runtime/environment.c replaces in every build.
_WRAPPED = ("__wasi_environ_sizes_get",)
WRAPS = [f"--wrap={name}" for name in _WRAPPED]
# Name by which bot_runtime/assertions.c reports the assertion that failed.
EXPORT = "--export-if-defined=tournament_assertion"
# Below the compiler's lib/. locale.cpp is omitted: it takes as long as the rest, and throws only for unknown locales.
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
_DEFINED_FOR_LIBRARY = (
    *("NDEBUG", "_LIBCXXABI_BUILDING_LIBRARY", "_LIBCXXABI_HAS_NO_THREADS", "LIBCXXABI_SILENT_TERMINATE"),
    *("_LIBCPP_BUILDING_LIBRARY", "LIBCXX_BUILDING_LIBCXXABI", "_LIBUNWIND_HIDE_SYMBOLS"),
)
FLAGS_OF_LIBRARY = ["-Os", *_to_the_compiler_proper("-Os"), "-std=c++23", *(f"-D{n}" for n in _DEFINED_FOR_LIBRARY)]
EXCEPTIONS_SOURCE = Path(__file__).with_name("bot_exceptions.cpp")
# Sources that bots are linked with, and all files that determine a bot's bytes.
RUNTIME_SOURCES = sorted(Path(__file__).with_name("bot_runtime").glob("*.c"))
WRITTEN_FROM = (Path(__file__).with_name("c_bots.py"), *RUNTIME_SOURCES, EXCEPTIONS_SOURCE)

# Names by which a bot's compilation finds files on every machine. It finds nothing else (`seen_by_bots`).
_SEEN_LIBRARY, _SEEN_HEADERS, SEEN_SDK, _SEEN_WORK = "/zig/lib", "/zig/headers", "/sdk", "/work"
SEEN_FILES = "seen.json"
_BOT_FLAGS = [
    # An assembler could open files. An empty statement, as a barrier, is still allowed.
    "-fno-gnu-inline-asm",
    # A crash isn't repeated, and a source can't cause one by a pragma.
    "-fno-crash-diagnostics",
    *_to_the_compiler_proper("-disable-pragma-debug-crash"),
    f"-I{_SEEN_HEADERS}",
    "-ffile-prefix-map=/=",
    "-ffile-compilation-dir=.",
    *_to_the_compiler_proper("-working-directory", _SEEN_WORK, "-ivfsoverlay", SEEN_FILES),
]


@cache
def version() -> str:
    """Return everything on which the bytes of a build depend, except the source, as one text. It is kept.

    Raises:
        OSError: A header of this package can't be read.
    """
    by_language = [word for kind in LANGUAGES for word in (*STANDARDS[kind], *_LANGUAGE_FLAGS[kind])]
    exception_parts = [*EXCEPTIONS, *FLAGS_OF_LIBRARY, *SOURCES_THAT_THROW]
    flags = [
        *_FLAGS,
        *by_language,
        *LINK_FLAGS,
        *EMULATING,
        *NOT_OPTIMISED,
        *_WRAPPED,
        BARE,
        EXPORT,
        *exception_parts,
        *_BOT_FLAGS,
    ]
    headers = [path.read_text() for path in sorted(HEADERS.rglob("*.h"))]
    return " ".join(["ziglang", importlib.metadata.version("ziglang"), *flags, *headers])


@cache
def digest() -> str:
    """Return the sha256 of the `version`, in hex."""
    return hashlib.sha256(version().encode()).hexdigest()


def language_of(standard: str) -> str:
    """Return the language of one of the STANDARDS: "c" or "cpp"."""
    return next(kind for kind, standards in STANDARDS.items() if standard in standards)


def own_command(kind: str) -> list[str]:
    """Return the compiler's command for sources of our own in a language, with the flags of every bot.

    Args:
        kind: "c" or "cpp".
    """
    # Files' paths in the output are the same on every machine.
    same_paths = [f"-ffile-prefix-map={path}=zig" for path in (home(), HEADERS)]
    return [*_with_all_files(kind), f"-I{HEADERS}", *same_paths]


def _with_all_files(kind: str) -> list[str]:
    """Return the compiler's command for a language with its first standard, which finds files on this machine."""
    driver = "cc" if kind == "c" else "c++"
    return [zig(), driver, *_FLAGS, f"-std={STANDARDS[kind][0]}", *_LANGUAGE_FLAGS[kind]]


def asking_for_words(kind: str, source: str) -> list[str]:
    """Return a command for an empty source. `words_said` finds the call of the compiler proper in its message.

    The compiler prints its calls when `run_compiler` gets a folder for its cache.

    Args:
        kind: "c" or "cpp".
        source: Name of the empty source.
    """
    return [*_with_all_files(kind), "-c", source, "-o", "said.o"]


def words_said(message: str, source: str) -> list[str]:
    """Return the words for the compiler proper, with the paths of bots' compilations, and without names of files.

    They are in the compiler's order.

    Args:
        message: What the command of `asking_for_words` prints.
        source: Name of the empty source.

    Raises:
        StopIteration: The message has no such call.
    """
    line = next(line for line in message.splitlines() if f" clang {source} " in line)
    arguments = line.partition(f" clang {source} ")[2].replace(str(home() / "lib"), _SEEN_LIBRARY).split()
    return [
        word for word in arguments if word not in ("-c", "-o", "-MD", "-MV", "-MF") and not word.endswith((".o", ".d"))
    ]


def bot_command(arguments: list[str], standard: str) -> list[str]:
    """Return the compiler's command for a bot. It finds only the files in SEEN_FILES.

    It starts no other program and keeps no cache.

    Args:
        arguments: The result of `words_said`.
        standard: Language standard, one of the STANDARDS.
    """
    return [zig(), "clang", *arguments, f"-std={standard}", *_BOT_FLAGS]


def seen_by_bots(folder: Path, files: Mapping[str, Path]) -> str:
    """Return the list of the files that a compilation finds, as the JSON that the compiler reads.

    They are the compiler's headers, the sdk's headers directly in `folder`, and a bot's files. Nothing else is found.

    Args:
        folder: Folder with the sdk's headers. Those that exist now are listed.
        files: Paths of a bot's files by the names under which it finds them.
    """
    folders = {_SEEN_LIBRARY: home() / "lib", _SEEN_HEADERS: HEADERS}
    seen = {f"{SEEN_SDK}/{path.name}": path for path in folder.glob("*.h")}
    seen |= {f"{_SEEN_WORK}/{name}": path for name, path in files.items()}
    roots = [("directory-remap", name, path) for name, path in folders.items()]
    roots += [("file", name, path) for name, path in seen.items()]
    overlay = {
        "version": 0,
        "case-sensitive": "true",
        "redirecting-with": "redirect-only",
        "use-external-names": "false",
        "roots": [{"type": kind, "name": name, "external-contents": str(path)} for kind, name, path in roots],
    }
    return json.dumps(overlay, ensure_ascii=False)


@cache
def home() -> Path:
    """Return the folder in which the compiler is installed."""
    spec = importlib.util.find_spec("ziglang")
    assert spec is not None and spec.submodule_search_locations is not None
    return Path(spec.submodule_search_locations[0])


def zig() -> str:
    """Return the path of the compiler's program."""
    return str(home() / "zig")
