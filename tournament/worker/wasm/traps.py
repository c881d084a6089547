"""Reasons why a bot's code failed, as short text."""

from __future__ import annotations

import errno
from itertools import islice

import wasmtime

from engine.wasm.modules import read_module
from tournament.errors import MachineError, RunError
from tournament.leg import TOO_SLOW
from tournament.worker.wasm.lines import has_lines, line_at

_DESCRIPTIONS = {
    wasmtime.TrapCode.STACK_OVERFLOW: "recursed too deep (stack overflow)",
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: "read or wrote out of bounds of its memory (or recursed too deep)",
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: "divided by zero",
    wasmtime.TrapCode.UNREACHABLE: "gave up (abort, exit, or a path without a return)",
}
_MAX_FRAMES = 64
OUT_OF_FUEL = f"ran out of fuel: {TOO_SLOW}"


def describe(error: Exception, *, ran_out: bool = False) -> str:
    """Return a trap or an error of the runtime as text.

    Args:
        error: The trap or error. If it is of no known kind, the text is the cause in the runtime's message.
        ran_out: Whether the bot ran out of fuel. Then a known trap is described as OUT_OF_FUEL.
    """
    if isinstance(error, wasmtime.Trap) and error.trap_code in _DESCRIPTIONS:
        return OUT_OF_FUEL if ran_out else _DESCRIPTIONS[error.trap_code]
    if is_uncaught(error):
        return "threw an exception that nothing caught"
    return _cause(error)


def where(error: Exception, code: bytes) -> str:
    """Return " (line N)" for the innermost line of the bot's own file in a trap's trace, or "" if none is known.

    The code ran with fuel, which moved its instructions, and without names: a module that has one is ours.

    Args:
        error: The error. Only a trap has a trace, of which the innermost 64 frames count.
        code: The bot's bytes as given, without fuel.
    """
    frames = error.frames if isinstance(error, wasmtime.Trap) else []
    offsets = [frame.module_offset for frame in islice(frames, _MAX_FRAMES) if frame.module_name is None]
    if not offsets or not has_lines(code):
        return ""
    for place in read_module(code).origins(offsets):
        if place >= 0 and (line := line_at(code, place)):
            return f" (line {line})"
    return ""


def _cause(error: Exception) -> str:
    """Return the last line of the runtime's message, its cause below the trace, or "unknown failure" if it is empty."""
    causes = [line.strip() for line in str(error).splitlines() if line.strip()]
    return causes[-1].removeprefix("0: ").removeprefix("wasm trap: ") if causes else "unknown failure"


def is_own_doing(error: Exception) -> bool:
    """Return whether a bot's code failed by itself, so that it would fail again anywhere."""
    return isinstance(error, wasmtime.Trap)


def is_uncaught(error: Exception) -> bool:
    """Return whether the error is an exception that a bot threw and didn't catch."""
    return str(error).rstrip().endswith("thrown Wasm exception")


def is_of_system(error: Exception) -> bool:
    """Return whether the operating system refused something that a bot needed, such as memory."""
    return not isinstance(error, wasmtime.Trap) and "(os error " in _cause(error)


def blame_machine(error: wasmtime.WasmtimeError) -> None:
    """Raise an exception if the operating system caused an error of the runtime. Otherwise do nothing.

    Raises:
        RunError: There is too little memory, which might suffice for other bots.
        MachineError: Anything else, such as a limit of files, which every bot would meet.
    """
    if is_of_system(error):
        kind = RunError if f"(os error {errno.ENOMEM})" in _cause(error) else MachineError
        raise kind(f"this machine can't run a bot: {describe(error)}")
