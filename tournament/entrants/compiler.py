"""The C and C++ compiler: zig's clang for WebAssembly. The only module that knows ziglang."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

SECONDS = 120
FIRST_SECONDS = 1800
_MOST_BYTES = 1 << 30  # of any file that the compiler writes
_FLAGS = [
    "-target",
    "wasm32-wasi",
    "-O3",
    "-mexec-model=reactor",
    "-fno-sanitize=all",
    # C as people write it: old habits warn elsewhere, so they build here, and overflow wraps.
    "-w",
    "-fwrapv",
    "-fno-strict-aliasing",
    # Likewise a fraction too large for a whole type becomes the type's largest, and NaN 0.
    "-fno-strict-float-cast-overflow",
]
_LANGUAGE_FLAGS = {
    "c": [
        "-std=gnu17",
        "-Wno-error=implicit-int",
        "-Wno-error=implicit-function-declaration",
        "-Wno-error=int-conversion",
        "-Wno-error=incompatible-pointer-types",
        "-Wno-error=return-type",
    ],
    "cpp": ["-std=c++17", "-fexceptions"],
}
# The linker puts the stack below the data, so that an overflow traps instead of writing over it.
_LINK_FLAGS = ["-Wl,-z,stack-size=1048576", "-s"]


# What newcomers trip over: what a message contains then, and the way out.
Hints = tuple[tuple[str, str], ...]


class CompilerRefused(Exception):
    """The message is the compiler's own, cut to what helps."""


def cache_folder() -> Path:
    """Where compiled bots and the compiler's libraries are kept between runs."""
    root = os.environ.get("TOURNAMENT_CACHE")
    if root:
        return Path(root)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tournament"


def version() -> str:
    """What the bytes of a build depend on, besides the source."""
    flags = [*_FLAGS, *_LANGUAGE_FLAGS["c"], *_LANGUAGE_FLAGS["cpp"], *_LINK_FLAGS]
    return " ".join(["ziglang", importlib.metadata.version("ziglang"), *flags])


def preprocess(unit: Path, kind: str, include: Path) -> str:
    """The unit after the preprocessor. Raises CompilerRefused."""
    return _run([*_command(kind), "-E", f"-I{include}", unit.name], unit.parent, SECONDS)


def check_syntax(unit: Path, kind: str, include: Path, hints: Hints) -> None:
    """Compile without output. Raises CompilerRefused."""
    _run([*_command(kind), "-c", f"-I{include}", unit.name, "-o", "syntax.o"], unit.parent, SECONDS, hints)


def compile_unit(units: list[Path], kind: str, include: Path, output: Path, hints: Hints) -> None:
    """Compile and link `units` (the first in the language `kind`, the others in C). Raises CompilerRefused."""
    first, *others = units
    objects = []
    for other in others:
        objects.append(other.with_suffix(".o").name)
        _run([*_command("c"), "-c", other.name, "-o", objects[-1]], other.parent, SECONDS)
    _run(
        [*_command(kind), *_LINK_FLAGS, f"-I{include}", first.name, *objects, "-o", str(output)],
        first.parent,
        SECONDS,
        hints,
    )


_library_lock = threading.Lock()


def prepare_libraries(kind: str, say: Callable[[str], None]) -> None:
    """Let the compiler build its C or C++ library, once on a machine: about a minute."""
    stamp = cache_folder() / f"library-{kind}-{hashlib.sha256(version().encode()).hexdigest()[:16]}"
    with _library_lock:
        if stamp.exists():
            return
        language = {"c": "C", "cpp": "C++"}[kind]
        say(f"Building the compiler's {language} library, once on this machine (about a minute)…")
        with tempfile.TemporaryDirectory(prefix="tournament-") as folder:
            unit = Path(folder) / ("library.c" if kind == "c" else "library.cpp")
            header = "#include <stdio.h>\n" if kind == "c" else "#include <vector>\n#include <iostream>\n"
            unit.write_text(header + "int main() { return 0; }\n")
            _run([*_command(kind), *_LINK_FLAGS, unit.name, "-o", "library.wasm"], unit.parent, FIRST_SECONDS)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()


def _command(kind: str) -> list[str]:
    driver = "cc" if kind == "c" else "c++"
    return [sys.executable, "-m", "ziglang", driver, *_FLAGS, *_LANGUAGE_FLAGS[kind]]


def _limit_resources() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (_MOST_BYTES, _MOST_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _run(command: list[str], folder: Path, seconds: int, hints: Hints = ()) -> str:
    cache = cache_folder() / "zig"
    cache.mkdir(parents=True, exist_ok=True)
    environment = {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(cache),
        "ZIG_GLOBAL_CACHE_DIR": str(cache),
        "ZIG_LOCAL_CACHE_DIR": str(cache),
        "LC_ALL": "C.UTF-8",
    }
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=_limit_resources,
    ) as process:
        try:
            output, complaints = process.communicate(timeout=seconds)
        except BaseException as interruption:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(interruption, subprocess.TimeoutExpired):
                raise CompilerRefused(f"the compiler was still at it after {seconds} seconds") from None
            raise
    if process.returncode != 0:
        folders = [folder, *[Path(word[2:]) for word in command if word.startswith("-I")]]
        raise CompilerRefused(_shorten(complaints.decode(errors="replace"), folders, hints))
    return output.decode(errors="replace")


_UNDEFINED = re.compile(r"undefined symbol: (.+)$", re.MULTILINE)


_IN_UNIT = re.compile(r"^tournament_unit\.\w+:\d+:\d+: (.*)$")


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
    for line in message.replace("./", "").splitlines():
        if in_unit := _IN_UNIT.match(line):
            kept.append(f"at the end of the file: {in_unit.group(1)}")
            quoting_unit = True
        elif line.startswith(" ") and quoting_unit:
            continue
        elif line.strip() and "generated." not in line and not line.startswith("In file included from tournament_unit"):
            kept.append(line)
            quoting_unit = False
    ways_out = list(dict.fromkeys(f"Hint: {hint}" for sign, hint in hints if sign in message))
    if len(kept) > lines:
        kept = [*kept[:lines], f"… and {len(kept) - lines} more lines"]
    return "\n".join([*kept, *ways_out]) or "the compiler failed without a message"
