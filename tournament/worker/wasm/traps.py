"""Why a bot's code failed, in a few words."""

from __future__ import annotations

import wasmtime

from tournament.errors import RunFailed

_WORDS = {
    wasmtime.TrapCode.STACK_OVERFLOW: "recursed too deep (stack overflow)",
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: "read or wrote out of bounds of its memory (or recursed too deep)",
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: "divided by zero",
    wasmtime.TrapCode.UNREACHABLE: "gave up (abort, exit, a throw, or a path without a return)",
    wasmtime.TrapCode.OUT_OF_FUEL: "ran out of fuel (an endless loop?)",
}


def describe(error: Exception) -> str:
    """What a trap or an error of the runtime says."""
    if isinstance(error, wasmtime.Trap) and error.trap_code in _WORDS:
        return _WORDS[error.trap_code]
    text = str(error)
    if is_out_of_fuel(error):
        return _WORDS[wasmtime.TrapCode.OUT_OF_FUEL]
    causes = [line.strip() for line in text.splitlines() if line.strip()]
    return causes[-1].removeprefix("0: ").removeprefix("wasm trap: ") if causes else "unknown failure"


def is_own_doing(error: Exception) -> bool:
    """Whether a bot's code failed by itself, so that it would do so again anywhere."""
    return isinstance(error, wasmtime.Trap) or is_out_of_fuel(error)


def is_out_of_fuel(error: Exception) -> bool:
    """Whether a bot had no fuel left."""
    if isinstance(error, wasmtime.Trap):
        return error.trap_code == wasmtime.TrapCode.OUT_OF_FUEL
    return "all fuel consumed" in str(error)


def is_of_system(error: Exception) -> bool:
    """Whether the operating system refused what a bot was to have, such as memory."""
    return not isinstance(error, wasmtime.Trap) and "(os error " in str(error)


def blame_machine(error: wasmtime.WasmtimeError) -> None:
    """Raises RunFailed for an error of the system's, such as too little memory: it is no bot's doing."""
    if "(os error " in str(error):
        raise RunFailed(f"this machine can't run a bot: {describe(error)}")


def was_stopped(error: Exception) -> bool:
    """Whether the clock ran out, not the fuel."""
    if isinstance(error, wasmtime.Trap):
        return error.trap_code == wasmtime.TrapCode.INTERRUPT
    return "wasm trap: interrupt" in str(error)
