"""Why a bot's code failed, in a few words."""

from __future__ import annotations

import re

import wasmtime

from tournament.errors import RunFailed

_WORDS = {
    wasmtime.TrapCode.STACK_OVERFLOW: "recursed too deep (stack overflow)",
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: "read or wrote out of bounds of its memory (or recursed too deep)",
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: "divided by zero",
    wasmtime.TrapCode.UNREACHABLE: "gave up (abort, exit, or a path without a return)",
    wasmtime.TrapCode.OUT_OF_FUEL: "ran out of fuel (an endless loop?)",
}


def describe(error: Exception) -> str:
    """A trap or an error of the runtime in words."""
    if isinstance(error, wasmtime.Trap) and error.trap_code in _WORDS:
        return _WORDS[error.trap_code]
    text = str(error)
    if is_uncaught(error):
        return "threw an exception that nothing caught"
    if is_out_of_fuel(error):
        return _WORDS[wasmtime.TrapCode.OUT_OF_FUEL]
    causes = [line.strip() for line in text.splitlines() if line.strip()]
    return causes[-1].removeprefix("0: ").removeprefix("wasm trap: ") if causes else "unknown failure"


# In a trace of the runtime: a function, after its module's name if it has one, and a line of a bot's file.
_FUNCTION = re.compile(r"\s+(?:\d+:\s+0x[0-9a-f]+\s+)?- (?:<[^>]*>!)?(.+)")
_LINE = re.compile(r"\s+at .*/bot/[^/:]+:(\d+)(?::\d+)?")


# Functions of one letter, as the runtime names them: it reads the letter as a mangled type of C++.
_LETTERS = {
    "signed char": "a", "bool": "b", "char": "c", "double": "d", "long double": "e", "float": "f", "unsigned char": "h",
    "int": "i", "unsigned int": "j", "long": "l", "unsigned long": "m", "short": "s", "unsigned short": "t",
    "void": "v", "wchar_t": "w", "long long": "x", "unsigned long long": "y", "...": "z",
}  # fmt: skip


def where(error: Exception) -> str:
    """The innermost function of the bot's own file, and its line; "" where the module has no lines."""
    function = ""
    for line in str(error).splitlines():
        if found := _FUNCTION.fullmatch(line):
            function = _LETTERS.get(found[1], found[1])
        elif found := _LINE.fullmatch(line):
            return f" (line {found[1]} in {function})"
    return ""


def is_own_doing(error: Exception) -> bool:
    """Whether a bot's code failed by itself, so that it would fail again anywhere."""
    return isinstance(error, wasmtime.Trap) or is_out_of_fuel(error)


def is_out_of_fuel(error: Exception) -> bool:
    """Whether a bot had no fuel left."""
    if isinstance(error, wasmtime.Trap):
        return error.trap_code == wasmtime.TrapCode.OUT_OF_FUEL
    return "all fuel consumed" in str(error)


def is_uncaught(error: Exception) -> bool:
    """Whether an exception left a bot's function."""
    return str(error).rstrip().endswith("thrown Wasm exception")


def is_of_system(error: Exception) -> bool:
    """Whether the operating system refused something that a bot needed, such as memory."""
    return not isinstance(error, wasmtime.Trap) and "(os error " in str(error)


def blame_machine(error: wasmtime.WasmtimeError) -> None:
    """Raise RunFailed for an error of the system, such as too little memory, which no bot is to blame for."""
    if "(os error " in str(error):
        raise RunFailed(f"this machine can't run a bot: {describe(error)}")


def was_stopped(error: Exception) -> bool:
    """Whether the clock ran out, not the fuel."""
    if isinstance(error, wasmtime.Trap):
        return error.trap_code == wasmtime.TrapCode.INTERRUPT
    return "wasm trap: interrupt" in str(error)
