"""The C and C++ compiler: zig's clang for WebAssembly. The only module that knows ziglang."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import signal
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

from tournament.artifacts.limits import BOT_STACK
from tournament.cache import cache_folder, cache_trouble, keep, make_folder, recall
from tournament.errors import RunFailed, printable
from tournament.sandbox.outside import running
from tournament.sandbox.outside.endings import KILLED, kills_for_memory
from tournament.sandbox.outside.launch import LaunchSpec, Limits
from tournament.sandbox.outside.running import Finished
from tournament.sandbox.outside.scratch import alone_on_this_machine, remove, scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings

SECONDS = 120
FIRST_SECONDS = 1800
_MOST_BYTES = 1 << 30  # of any file that the compiler writes
_MOST_MEGABYTES = 4096
# By language, the newest first: what builds by one of them plays. Nothing is stricter than gcc is with them.
STANDARDS = {"c": ("gnu17", "gnu89"), "cpp": ("gnu++17", "gnu++11", "gnu++98")}
LANGUAGES = tuple(STANDARDS)
_LANGUAGE_NAMES = {"c": "C", "cpp": "C++"}
BOT_FOLDER = "bot"  # beside the unit that includes the bot, so that no bot's name is one of ours
_HEADERS = Path(__file__).with_name("headers")  # before the compiler's own of these names
# Without instructions for blocks of memory, which take a unit of fuel a byte: see bot_runtime/blocks.c.
_CPU = "generic-bulk_memory-bulk_memory_opt"
_FLAGS = [
    "-target",
    "wasm32-wasi",
    # The driver makes -O2 of -O3, so the compiler proper is told, too.
    "-O3",
    "-Xclang",
    "-O3",
    "-mexec-model=reactor",
    # The runtime counts a unit of fuel for each byte of these: blocks.c has them by vectors.
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
_WITHOUT_WARNINGS = "-w"
_WARNINGS = ["-Wall", "-Wno-date-time"]
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
# What a bot is compiled with first: code that cleans up after throws would make those slower that never throw.
_WITHOUT_EXCEPTIONS = ["-fno-exceptions"]
_TEXT_HAS_EXCEPTIONS = "with exceptions disabled"  # so the compiler says of each try and throw
_EXCEPTIONS = ["-fwasm-exceptions", "-mllvm", "-wasm-use-legacy-eh=false", f"-mcpu={_CPU}+exception_handling"]
# The linker puts the stack below the data, so that an overflow traps instead of writing over it.
_LINK_FLAGS = [f"-Wl,-z,stack-size={BOT_STACK}", "-s"]
_STRIP = ("-s", "--strip-all")  # the last of these as the linker has it
_LINES = "-gline-tables-only"
# Where bot_runtime/assertions.c tells what assertion failed.
_EXPORT = "--export-if-defined=tournament_assertion"
# Below the compiler's lib/. Left out: locale.cpp, which takes as long as the rest and throws for unknown locales only.
_SOURCES_THAT_THROW = tuple(
    f"{folder}/src/{name}.cpp"
    for folder, names in {
        "libcxxabi": "cxa_aux_runtime cxa_default_handlers cxa_exception cxa_exception_storage cxa_handlers"
        " cxa_personality cxa_vector fallback_malloc private_typeinfo stdlib_exception stdlib_new_delete",
        "libcxx": "exception hash ios ios.instantiations new_helpers stdexcept string system_error valarray vector",
    }.items()
    for name in names.split()
)
_HEADERS_OF_LIBRARY = ("libcxxabi/src", "libcxxabi/include", "libcxx/src", "libunwind/include", "libunwind/src")
_FLAGS_OF_LIBRARY = [
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
_MOST_MESSAGE_BYTES = 1 << 18


# What newcomers trip over: what a message contains then, and the way out.
Hints = tuple[tuple[str, str], ...]


class CompilerRefused(Exception):
    """The message is the compiler's own, cut to what helps. `complaints`: what it found wrong, each with its file.

    `text_has_exceptions`: a text that throws or catches was compiled without exceptions.
    """

    complaints: tuple[tuple[str, str], ...] = ()
    text_has_exceptions: bool = False


class TookTooMuch(CompilerRefused):
    """The compiler used up what it may take; it would do so again."""


class StillAtIt(CompilerRefused):
    """The compiler was cut off by a clock; a machine that is less busy might have let it come to an end."""


@cache
def version() -> str:
    """What the bytes of a build depend on, besides the source."""
    by_language = [word for kind in LANGUAGES for word in (*STANDARDS[kind], *_LANGUAGE_FLAGS[kind])]
    of_exceptions = [*_EXCEPTIONS, *_FLAGS_OF_LIBRARY, *_SOURCES_THAT_THROW]
    flags = [*_FLAGS, *by_language, *_LINK_FLAGS, _EXPORT, *of_exceptions]
    headers = [path.read_text() for path in sorted(_HEADERS.rglob("*.h"))]
    return " ".join(["ziglang", importlib.metadata.version("ziglang"), *flags, *headers])


def errors_of(
    unit: Path, standard: str, include: Path, sandbox: SandboxSettings, hints: Hints, *, expected: str
) -> dict[str, str]:
    """What is wrong in the files of a unit whose names begin so: by each file's name the first complaint.

    Raises CompilerRefused where anything else is wrong.
    """
    flags = [_WITHOUT_WARNINGS, "-ferror-limit=0", "-c", f"-I{include}"]
    command = [*_command(standard, include), *flags, unit.name, "-o", "errors.o"]
    try:
        _run([command], unit.parent, [include], sandbox, hints=hints)
    except CompilerRefused as refused:
        if not refused.complaints or any(not file.startswith(expected) for file, _ in refused.complaints):
            raise
        return dict(reversed(refused.complaints))
    return {}


def warnings_of(unit: Path, standard: str, include: Path, sandbox: SandboxSettings) -> str:
    """What the compiler warns of in a unit that it accepts, cut to a few lines. Raises CompilerRefused."""
    # As a system's header, the contest's own is not warned of.
    command = [*_command(standard, include), *_WARNINGS, "-c", "-isystem", str(include), unit.name, "-o", "warnings.o"]
    message = _message(_run([command], unit.parent, [include], sandbox))
    return _shorten(message, [unit.parent, include], ()) if "warning:" in message else ""


def compile_unit(
    unit: Path,
    standard: str,
    include: Path,
    runtime: bytes,
    sandbox: SandboxSettings,
    hints: Hints,
    *,
    with_lines: bool = False,
) -> bytes:
    """The WebAssembly of a unit by one of the STANDARDS, linked with the object file `runtime`.

    Beside the unit there is room for the work. `with_lines`: the same code with what tells the source's line of each
    instruction. The libraries must have been prepared. Raises CompilerRefused, and RunFailed when the libraries are
    damaged.
    """

    def compile_with(flags: list[str], objects: dict[str, bytes]) -> bytes:
        return _compile_and_link(unit, standard, include, flags, objects, sandbox, hints, with_lines=with_lines)

    objects = {"runtime.o": runtime}
    if _language_of(standard) == "c":
        return compile_with([], objects)
    try:
        return compile_with(_WITHOUT_EXCEPTIONS, objects)
    except CompilerRefused as refused:
        if not refused.text_has_exceptions:
            raise
    return compile_with(_EXCEPTIONS, {**objects, "libexceptions.a": _library_of_exceptions(sandbox)})


def _compile_and_link(
    unit: Path,
    standard: str,
    include: Path,
    flags: list[str],
    linked: dict[str, bytes],
    sandbox: SandboxSettings,
    hints: Hints,
    *,
    with_lines: bool,
) -> bytes:
    """`compile_unit` with these flags, linked with these object files and libraries, which are given by name."""
    objects, output = [unit.with_suffix(".o").name, *linked], unit.with_name("output.wasm")
    for name, content in linked.items():
        unit.with_name(name).write_bytes(content)
    lines = [_LINES] if with_lines else []
    compiling = [*_command(standard, include), *flags, _WITHOUT_WARNINGS, "-c", f"-I{include}", unit.name]
    libraries = _libraries(_language_of(standard))
    link = recall(libraries / _LINK_FILE)
    if link is None:
        raise RunFailed(f"the compiler's library {libraries} was damaged during the run; run again")
    words: list[str] = []
    for word in json.loads(link)["words"]:
        if with_lines and word in _STRIP:
            continue
        words += [*objects, _EXPORT] if word == _OBJECTS else [word.replace(_LIBRARIES, str(libraries))]
    linking = [str(_home() / "zig"), *words, "-o", output.name]
    # Together, since starting a confined process takes as long as the compiler does.
    commands = [[*compiling, *lines, "-o", objects[0]], linking]
    _run(commands, unit.parent, [include, libraries], sandbox, hints=hints)
    return output.read_bytes()


def compile_once(sources: Sequence[Path], sandbox: SandboxSettings) -> bytes:
    """One object file of C sources of our own, which lie in a folder; kept on this machine. Raises RunFailed."""
    made_of = hashlib.sha256(version().encode())
    for source in sources:
        made_of.update(hashlib.sha256(source.read_bytes()).digest())
    name = sources[0].parent.name
    kept = cache_folder() / "libraries" / f"{name}-{made_of.hexdigest()[:16]}.sealed"
    content = recall(kept)
    if content is None:
        with scratch_folder() as folder:
            commands = []
            for source in sources:
                (folder / source.name).write_bytes(source.read_bytes())
                # What is libc's must not be made of calls of libc's.
                commands.append(
                    [*_command(STANDARDS["c"][0], folder), _WITHOUT_WARNINGS, "-fno-builtin", "-c", source.name]
                )
            objects = [source.with_suffix(".o").name for source in sources]
            commands.append([str(_home() / "zig"), "wasm-ld", "-r", *objects, "-o", "all.object"])
            try:
                _run(commands, folder, [], sandbox)
            except CompilerRefused as problem:
                raise RunFailed(f"the compiler can't compile {name}: {_first_line(problem)}") from None
            content = (folder / "all.object").read_bytes()
        keep(kept, content)
    return content


def _library_of_exceptions(sandbox: SandboxSettings) -> bytes:
    """What bots that throw are linked with before the compiler's libraries, which can't; kept on this machine.

    The runtime of C++'s exceptions, and of the C++ library what throws. Built when the first bot needs it.
    Raises RunFailed.
    """
    sources = [_home() / "lib" / path for path in _SOURCES_THAT_THROW]
    made_of = hashlib.sha256(version().encode() + EXCEPTIONS_SOURCE.read_bytes()).hexdigest()
    kept = cache_folder() / "libraries" / f"exceptions-{made_of[:16]}.sealed"
    above = kept.parent
    with _library_lock, cache_trouble(above), alone_on_this_machine(above):
        content = recall(kept)
        if content is None:
            with scratch_folder() as folder:
                shutil.copy(EXCEPTIONS_SOURCE, folder)
                paths = [str(path) for path in sources] + [EXCEPTIONS_SOURCE.name]
                objects = [f"{Path(path).stem}.o" for path in paths]
                building = [*_command(STANDARDS["cpp"][0], folder), *_EXCEPTIONS, _WITHOUT_WARNINGS, *_FLAGS_OF_LIBRARY]
                building += [f"-I{_home()}/lib/{path}" for path in _HEADERS_OF_LIBRARY]
                commands = [[*building, "-c", path, "-o", name] for path, name in zip(paths, objects)]
                try:
                    with ThreadPoolExecutor(os.cpu_count()) as pool:
                        list(pool.map(lambda command: _run([command], folder, [], sandbox), commands))
                    _run([[str(_home() / "zig"), "ar", "rcsD", "exceptions.a", *objects]], folder, [], sandbox)
                except CompilerRefused as problem:
                    raise RunFailed(f"the compiler can't build its exceptions here: {_first_line(problem)}") from None
                content = (folder / "exceptions.a").read_bytes()
            keep(kept, content)
    return content


_library_lock = threading.Lock()
_LINK_FILE = "link.sealed"
_OBJECTS, _LIBRARIES = "{objects}", "{libraries}"


def prepare_libraries(kinds: Collection[str], sandbox: SandboxSettings, say: Callable[[str], None]) -> None:
    """Let the compiler build its libraries for C or C++ or both, once on a machine: about a minute.

    What is kept is what its linker was given; submissions are linked with that
    alone, so that nothing of theirs gets near the compiler's own cache.
    Raises RunFailed when one can't be built or kept.
    """
    if all(_is_sound(_libraries(kind)) for kind in kinds):
        return
    above = cache_folder() / "libraries"
    with _library_lock, cache_trouble(above), alone_on_this_machine(above):
        missing = [kind for kind in sorted(kinds) if not _is_sound(_libraries(kind))]
        if not missing:
            return
        named = " and ".join(_LANGUAGE_NAMES[kind] for kind in missing)
        what = "library" if len(missing) == 1 else "libraries"
        say(f"Building the compiler's {named} {what}, once on this machine (about a minute)…")
        made = above / "made"
        if any(_libraries(kind).exists() for kind in missing):  # damaged, as what it was made of may be
            for kind in missing:
                remove(_libraries(kind))
            remove(made)
        make_folder(made)
        # Side by side, since the compiler hardly uses a second processor; what both need, one of them waits for.
        with ThreadPoolExecutor(len(missing)) as pool:
            for _ in pool.map(lambda kind: _build_library(kind, made, sandbox), missing):
                pass


def _build_library(kind: str, made: Path, sandbox: SandboxSettings) -> None:
    """Build and keep what the bots of a language are linked with; `made` is the compiler's cache."""
    libraries = _libraries(kind)
    with scratch_folder(libraries.parent) as folder:
        unit = folder / ("library.c" if kind == "c" else "library.cpp")
        header = "#include <stdio.h>\n" if kind == "c" else "#include <vector>\n#include <iostream>\n"
        unit.write_text(header + "int main() { return 0; }\n")
        command = [*_command(STANDARDS[kind][0], folder), *_LINK_FLAGS, unit.name, "-o", "library.wasm"]
        try:
            text = _message(_run([command], folder, [], sandbox, libraries=made))
        except CompilerRefused as problem:
            language = _LANGUAGE_NAMES[kind]
            raise RunFailed(f"the compiler can't build its {language} library here: {_first_line(problem)}") from None
        line = next(line for line in text.splitlines() if line.startswith("wasm-ld "))
        words = _keep_libraries(line.split(), unit, folder)
        link = {"words": words, "sha256": _digests(folder)}
        keep(folder / _LINK_FILE, json.dumps(link).encode())
        with contextlib.suppress(OSError):  # another machine was faster, where they share the folder
            folder.rename(libraries)
        folder.mkdir(exist_ok=True)


def _is_sound(libraries: Path) -> bool:
    """Whether the libraries are there and are what was kept. Raises RunFailed."""
    link = recall(libraries / _LINK_FILE)
    with cache_trouble(libraries):
        return link is not None and json.loads(link)["sha256"] == _digests(libraries)


def _digests(folder: Path) -> dict[str, str]:
    """The contents of a folder's libraries, in hex."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.name != _LINK_FILE
    }


def _keep_libraries(words: list[str], unit: Path, folder: Path) -> list[str]:
    """Copy the libraries of a linker's command beside the unit; the command with places for what varies."""
    kept = []
    for number, word in enumerate(words):
        if word == "-o" or words[number - 1] == "-o":
            continue
        path = Path(word)
        if path.name == f"{unit.stem}.o":
            continue
        if path.is_absolute():
            # Objects come first: what they define, such as rand(), is not looked for in libraries.
            kept += [] if _OBJECTS in kept else [_OBJECTS]
            shutil.copy(path, folder / path.name)
            with open(folder / path.name, "rb") as file:
                os.fsync(file.fileno())
            kept.append(f"{_LIBRARIES}/{path.name}")
        else:
            kept.append(word)
    for leftover in ("library.wasm", unit.name):
        (folder / leftover).unlink()
    return kept


def _libraries(kind: str) -> Path:
    """The libraries that bots of a language are linked with."""
    return cache_folder() / "libraries" / f"{kind}-{hashlib.sha256(version().encode()).hexdigest()[:16]}"


def _language_of(standard: str) -> str:
    return next(kind for kind, standards in STANDARDS.items() if standard in standards)


def _command(standard: str, include: Path) -> list[str]:
    kind = _language_of(standard)
    driver = "cc" if kind == "c" else "c++"
    # What says where a file is says the same on every machine.
    same_paths = [
        f"-ffile-prefix-map={path}={name}" for path, name in ((_home(), "zig"), (include, "sdk"), (_HEADERS, "zig"))
    ]
    flags = [*_FLAGS, f"-std={standard}", *_LANGUAGE_FLAGS[kind], f"-I{_HEADERS}"]
    return [str(_home() / "zig"), driver, *flags, *same_paths]


@cache
def _home() -> Path:
    """Where the compiler is installed."""
    found = importlib.util.find_spec("ziglang")
    assert found is not None and found.submodule_search_locations is not None
    return Path(found.submodule_search_locations[0])


def _run(
    commands: list[list[str]],
    folder: Path,
    readable: list[Path],
    sandbox: SandboxSettings,
    *,
    libraries: Path | None = None,
    hints: Hints = (),
) -> Finished:
    """Run the compiler in the sandbox, a command after the other; how it ended, which is well.

    It reads its own files, `folder` and what is `readable`, and writes into `folder`
    alone. When it is to build its `libraries`, which is a folder for what it makes, it
    has nothing of strangers before it: then only limits hold it. Raises CompilerRefused,
    and RunFailed when it is the machine that keeps it from compiling.
    """
    kills = kills_for_memory()
    finished = _run_once(commands, folder, readable, sandbox, libraries)
    if finished.status != 0 and not finished.cut_off and not finished.excess and not _blames_source(finished):
        # Something killed it, or it failed for itself. Once more, with nobody beside it; then who is to blame?
        with _alone:
            finished = _run_once(commands, folder, readable, sandbox, libraries)
            if finished.status != 0 and not finished.cut_off and not _blames_source(finished):
                was_killed = finished.status in KILLED or kills_for_memory() > kills
                if was_killed or not _works(sandbox):
                    words = _first_line(_message(finished)) or finished.in_words
                    raise RunFailed(f"the compiler does not work on this machine (out of memory or disk?): {words}")
    if finished.cut_off and not finished.excess:
        raise StillAtIt(f"the compiler was still at it after {_patience(libraries)} seconds")
    if finished.excess or finished.status != 0:
        refused = (TookTooMuch if finished.excess else CompilerRefused)(_why_refused(finished, folder, commands, hints))
        refused.complaints = tuple(_COMPLAINT.findall(_message(finished)))
        refused.text_has_exceptions = _TEXT_HAS_EXCEPTIONS in _message(finished)
        raise refused
    return finished


def _why_refused(finished: Finished, folder: Path, commands: list[list[str]], hints: Hints) -> str:
    if finished.excess:
        return f"the compiler took {finished.excess}"
    message = _message(finished)
    folders = [folder, *[Path(word[2:]) for word in commands[0] if word.startswith("-I")]]
    return _shorten(message, folders, hints) if message.strip() else _silent_end(finished)


def _silent_end(finished: Finished) -> str:
    """What to say of a compiler that failed without a word."""
    # Its driver tells so of a part that a signal ended.
    if 256 - finished.status in set(signal.Signals):
        return f"the compiler crashed ({signal.Signals(256 - finished.status).name}), for want of memory perhaps"
    return f"the compiler {finished.in_words}"


_alone = threading.Lock()


def _run_once(
    commands: list[list[str]], folder: Path, readable: list[Path], sandbox: SandboxSettings, libraries: Path | None
) -> Finished:
    seconds = FIRST_SECONDS if libraries else SECONDS
    scratch = libraries or folder / "tournament_scratch"
    scratch.mkdir(exist_ok=True)
    return running.run(
        LaunchSpec(
            Limits(_MOST_MEGABYTES, seconds, open_files=1024, file_megabytes=_MOST_BYTES >> 20, processes=64),
            command=commands[-1],
            before=commands[:-1],
            folder=folder,
            readable=[str(path) for path in (_home(), _HEADERS, *readable)],
            writable=[str(folder), str(scratch)],
            environment={
                "HOME": str(folder),
                "TMPDIR": str(scratch),
                "ZIG_GLOBAL_CACHE_DIR": str(scratch),
                "ZIG_LOCAL_CACHE_DIR": str(scratch),
                "LC_ALL": "C.UTF-8",
                "SOURCE_DATE_EPOCH": "0",  # what __DATE__ and __TIME__ say
                **({"ZIG_VERBOSE_LINK": "1"} if libraries else {}),
            },
            purpose="build",
            watched=libraries is None,
        ),
        "off" if libraries else sandbox.mode,  # which for all its files takes a third longer
        _patience(libraries),
    )


def _patience(libraries: Path | None) -> int:
    """Seconds that the compiler may take by the clock: its processor time ends first, unless the machine is busy."""
    return FIRST_SECONDS if libraries else 2 * SECONDS


def _message(finished: Finished) -> str:
    """What the compiler said, the beginning of it."""
    return finished.errors[:_MOST_MESSAGE_BYTES].decode(errors="replace")


# A place in the unit or in what it includes from its folder; the compiler's own files have absolute paths.
_PLACE = re.compile(r"^(?!/)\S[^:\n]*:\d+:\d+: (?:fatal )?error: ", re.MULTILINE)
_COMPLAINT = re.compile(r"^(?:\./)?([^:\n]+):\d+:\d+: (?:fatal )?error: (.*)$", re.MULTILINE)


def _blames_source(finished: Finished) -> bool:
    """Whether the compiler says what is wrong with a source."""
    message = _message(finished)
    return bool(_PLACE.search(message) or _UNDEFINED.search(message) or "File too large" in message)


def _works(sandbox: SandboxSettings) -> bool:
    """Whether the compiler compiles a source of our own. Raises OSError when there is no room for it."""
    with scratch_folder() as folder:
        unit = folder / "trial.c"
        unit.write_text("int trial(int x) { return x + 1; }\n")
        command = [*_command(STANDARDS["c"][0], folder), "-c", unit.name, "-o", "trial.o"]
        return _run_once([command], folder, [], sandbox, None).status == 0


def _first_line(text: object) -> str:
    lines = [line.strip() for line in str(text).splitlines() if line.strip()]
    return printable(lines[0][:200]) if lines else ""


_UNDEFINED = re.compile(r"undefined symbol: (.+)$", re.MULTILINE)


_IN_UNIT = re.compile(r"^unit\.\w+:\d+:\d+: (.*)$")


def _shorten(message: str, folders: list[Path], hints: Hints, lines: int = 12) -> str:
    """The compiler's message in the bot's terms: without our folders and the lines around its file."""
    undefined = list(dict.fromkeys(_UNDEFINED.findall(message)))
    if undefined:
        return f"uses {', '.join(undefined)}, which bots don't have"
    if "File too large" in message:
        return f"takes more than {_MOST_BYTES >> 30} GiB compiled"
    for folder in folders:
        message = message.replace(f"{folder}/", "")
    kept = []
    quoting_unit = False
    for line in message.replace("./", "").replace(f"{BOT_FOLDER}/", "").splitlines():
        if in_unit := _IN_UNIT.match(line):
            kept.append(f"at the end of the file: {in_unit.group(1)}")
            quoting_unit = True
        elif line.startswith(" ") and quoting_unit:
            continue
        elif line.startswith("In file included from") and (line in kept or "from unit." in line):
            continue  # a file that includes itself is named once
        elif line.strip() and "generated." not in line:
            kept.append(line)
            quoting_unit = False
    ways_out = list(dict.fromkeys(f"Hint: {hint}" for sign, hint in hints if sign in message))
    if len(kept) > lines:
        kept = [*kept[:lines], f"… and {len(kept) - lines} more lines"]
    return "\n".join([*kept, *ways_out]) or "the compiler failed without a message"
