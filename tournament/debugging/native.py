"""A C or C++ bot as a native library with the compiler's sanitizers, asked by a process of its own.

The library is made of the text that also gives the bot's WebAssembly, so the same functions answer. It runs in a Python
process (`native_driver`), because there the contest's own helpers answer the bot's calls of them.
"""

from __future__ import annotations

import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tournament.artifacts.bot import Submission
from tournament.artifacts.c_bots import compile_bot
from tournament.artifacts.compiler_command import ADAPTER_FOLDER, BOT_FOLDER
from tournament.contests.bots import Import
from tournament.contests.interface import Interface
from tournament.debugging.tape import SECONDS_PER_DECISION
from tournament.errors import InputError
from tournament.sandbox.outside.settings import SandboxSettings

_COMPILERS = {"c": "gcc", "cpp": "g++"}
# Arithmetic is as in WebAssembly: integers wrap around, and no sum is rounded once instead of twice.
_FLAGS = ("-w", "-g", "-fPIC", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fsigned-char")
_SANITIZERS = (
    "-O1",
    "-fno-omit-frame-pointer",
    "-fsanitize=address,undefined",
    "-fno-sanitize=vptr",
    "-fno-sanitize-recover=undefined",
)
_C_TYPES = {"i32": "int32_t", "i64": "int64_t", "f32": "float", "f64": "double"}
_RANDOMNESS = Path(__file__).parents[1] / "artifacts" / "bot_runtime" / "randomness.c"
# An adapter's function by the decision that it answers.
_EXPORTED = re.compile(r'__export_name__\("(\w+)"\)\)\)\s+(?:ANSWER_\w+\(|\w+ )(\w+)[,(]')
# gdb stops in this function before each decision of the game; a step leads to the bot.
STOP = "tournament_stop"


def build_native(
    submission: Submission, interface: Interface, sandbox: SandboxSettings, folder: Path, *, has_sanitizers: bool
) -> str:
    """Build a bot's file as the native library bot.so, and return the compiler, standard and sanitizers as text.

    Args:
        submission: The bot, in C or C++. Its file must still exist.
        interface: The contest's interface, with the organiser's adapters.
        sandbox: How the compiler is confined that builds the bot for the contest. The native one isn't confined.
        folder: An existing, empty folder for the build.
        has_sanitizers: Whether memory errors and undefined behaviour end the bot with a report. Otherwise it is built
            without optimisation, for a debugger.

    Raises:
        InputError: The compiler or its sanitizers aren't installed, or don't accept the bot. Or this machine can't
            confine the compiler.
        Unfit: The bot doesn't build for the contest.
        RunError: This machine can't build bots, or is too busy.
        OSError: The folder can't be written or isn't empty, the disk is full, or a file of the SDK can't be read.
    """
    compiler = shutil.which(_COMPILERS[submission.kind])
    if not compiler:
        missing = _COMPILERS[submission.kind]
        raise InputError(f"debug needs {missing}, which isn't installed; try: apt install {missing}")
    compiled = compile_bot(submission, interface, sandbox)
    (folder / BOT_FOLDER).mkdir()
    (folder / BOT_FOLDER / f"{submission.name}{'.c' if submission.kind == 'c' else '.cpp'}").symlink_to(
        submission.path.resolve()
    )
    if adapter := interface.adapters.get(submission.kind):
        (folder / ADAPTER_FOLDER).mkdir()
        (folder / ADAPTER_FOLDER / adapter.name).write_bytes(adapter.content)
    unit = folder / f"unit{'.c' if submission.kind == 'c' else '.cpp'}"
    unit.write_text(compiled.unit + _driver_text(interface))
    (folder / "imports.c").write_text(
        "".join(["#include <stdint.h>\n", *map(_import_text, interface.compiled.imports)])
    )
    watched = _SANITIZERS if has_sanitizers else ("-O0",)
    common = [*_FLAGS, *watched, "-iquote", str(interface.folder)]
    gcc = shutil.which("gcc") or compiler
    commands = [
        [gcc, *common, "-c", str(_RANDOMNESS), "-o", str(folder / "randomness.o")],
        [gcc, *common, "-c", str(folder / "imports.c"), "-o", str(folder / "imports.o")],
        # Bsymbolic: the bot calls the rand() of its leg, not that of Python's C library.
        [
            *[compiler, *common, f"-std={compiled.standard}", "-shared", "-Wl,-Bsymbolic", str(unit)],
            *[str(folder / "randomness.o"), str(folder / "imports.o"), "-lm", "-o", str(folder / "bot.so")],
        ],
    ]
    for command in commands:
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode:
            if has_sanitizers and ("libasan" in ended.stderr or "libubsan" in ended.stderr):
                raise InputError(
                    "debug needs gcc's sanitizers, which aren't installed; try: apt install libasan8 libubsan1"
                )
            raise InputError(
                f"{submission.path}: {Path(compiler).name} doesn't build it:\n{ended.stderr.strip()[-4000:]}"
            )
    description = f"{Path(compiler).name} -std={compiled.standard}"
    return description + " with address and undefined-behaviour sanitizers" * has_sanitizers


def run_native(source: Path, folder: Path, orders: Mapping[str, object], *, with_gdb: bool) -> int:
    """Run the driver with a bot's library, at this process's terminal.

    Args:
        source: The bot's file.
        folder: The folder of its native build.
        orders: The arguments of `native_driver.ask_bot` without the folder, by name. They must be picklable.
        with_gdb: Whether gdb stops before each decision of the game. Otherwise the sanitizers watch the bot.

    Returns:
        The driver's exit status, or minus a signal's number. Sanitizers end the driver with 99. With gdb it is gdb's
        own status, which doesn't depend on the answers.

    Raises:
        InputError: gdb or the sanitizers' library isn't installed.
        OSError: The orders can't be written, or gcc isn't found.
    """
    (folder / "orders").write_bytes(pickle.dumps(orders))
    words = [sys.executable, "-m", "tournament.debugging.native_driver", str(folder)]
    if with_gdb:
        if not shutil.which("gdb"):
            raise InputError("--gdb: gdb isn't installed; try: apt install gdb")
        stops = ("set breakpoint pending on", f"break {STOP}", "run")
        commands = [word for command in stops for word in ("-ex", command)]
        return subprocess.run(["gdb", "-q", *commands, "--args", *words]).returncode
    environment = os.environ | {
        "LD_PRELOAD": _sanitizers_library(),
        # Python frees nothing at its end, and catches no signals of the bot's.
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
    }
    with subprocess.Popen(words, env=environment, stderr=subprocess.PIPE, text=True, errors="replace") as driver:
        assert driver.stderr
        for line in _own_frames(driver.stderr):
            print(line.replace(str(folder / BOT_FOLDER), str(source.parent)), end="", file=sys.stderr, flush=True)
    if driver.returncode == -signal.SIGVTALRM:
        seconds = f"{SECONDS_PER_DECISION:g} s of processor time"
        print(f"no answer after {seconds}: it loops or is too slow; --gdb steps through it", flush=True)
    return driver.returncode


def _own_frames(lines: Iterable[str]) -> Iterator[str]:
    """Yield a report's lines, but of each stack omit the frames from that of the driver's function on.

    The omitted frames called the bot.
    """
    is_drivers = False
    for line in lines:
        is_frame = re.match(r"\s+#\d+ ", line) is not None
        is_drivers = is_frame and (is_drivers or " tournament_ask " in line or " tournament_begin " in line)
        if not is_drivers:
            yield line


def _sanitizers_library() -> str:
    """Return the path of the address sanitizer's library.

    Raises:
        InputError: It isn't installed.
        OSError: gcc isn't found.
    """
    path = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    if not os.path.isabs(path):
        raise InputError("debug needs gcc's sanitizers, which aren't installed; try: apt install libasan8 libubsan1")
    return path


def _driver_text(interface: Interface) -> str:
    """Return the end of the unit: a function that starts the bot, and one that asks it for any decision.

    The latter returns 0 for decisions that the bot or the adapter has no function for.

    Raises:
        OSError: The contest's adapter.h can't be read.
    """
    adapter = interface.adapter or (interface.folder / "adapter.h").read_text()
    functions = dict(_EXPORTED.findall(adapter))
    cases = "".join(
        f"#ifdef BOT_{question.name.upper()}\n    if (kind == {kind})\n"
        f"        return {functions[question.name]}(tournament_pass(view));\n#endif\n"
        for kind, question in enumerate(interface.questions)
        if question.name in functions
    )
    return f"""
#ifdef __cplusplus
struct tournament_pass {{
    void *view;
    explicit tournament_pass(void *its) : view(its) {{}}
    template <class T> operator T *() const {{ return (T *)view; }}
}};
extern "C" {{
#else
#define tournament_pass(view) (view)
#endif
__attribute__((noinline)) void {STOP}(void) {{ __asm__ volatile(""); }}

void tournament_begin(void *view, uint64_t seed) {{ tournament_start(tournament_pass(view), seed); }}

int64_t tournament_ask(int kind, void *view, int stops)
{{
    if (stops)
        {STOP}();
{cases}    return 0;
}}
#ifdef __cplusplus
}}
#endif
"""


def _import_text(function: Import) -> str:
    """Return the C text of a function that a bot imports, which calls the contest's own by a pointer."""
    names = [f"p{number}" for number in range(len(function.parameters))]
    parameters = ", ".join(f"{_C_TYPES[kind]} {name}" for kind, name in zip(function.parameters, names)) or "void"
    result = _C_TYPES[function.result]
    return (
        f"{result} (*tournament_pointer_{function.name})({parameters});\n"
        f"{result} {function.name}({parameters}) {{ return tournament_pointer_{function.name}({', '.join(names)}); }}\n"
    )
